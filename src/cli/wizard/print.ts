// What a conversation says between its questions: on standard error, in lines that fit the terminal.
import {cleanText} from '../output/clean.ts'
import {painterFor} from '../output/colour.ts'
import {writeErr, writeErrPainted} from '../output/streams.ts'
import {wrapped} from '../output/wrap.ts'

const widthDefault = 80

// A line that fills the last column would be broken by some terminals.
export const lineWidth = () => (process.stderr.columns || widthDefault) - 1

export function say(text: string): void {
  writeErr(`${wrapped(cleanText(text), lineWidth()).join('\n')}\n`)
}

export async function sayHeading(text: string): Promise<void> {
  const painter = await painterFor(process.stderr)
  writeErrPainted(
    `\n${wrapped(cleanText(text), lineWidth())
      .map((line) => painter.bold(line))
      .join('\n')}\n`,
  )
}
