// What a conversation says between its questions: on standard error, in lines that fit the terminal.
import {cleanText} from '../output/clean.ts'
import {createPainter} from '../output/colour.ts'
import {writeErr, writeErrUncleaned} from '../output/streams.ts'
import {wrapText} from '../output/wrap-text.ts'

const widthDefault = 80

// A line that fills the last column would be broken by some terminals.
export const lineWidth = () => (process.stderr.columns || widthDefault) - 1

export function printText(text: string): void {
  writeErr(`${wrapText(cleanText(text), lineWidth()).join('\n')}\n`)
}

export async function printHeading(text: string): Promise<void> {
  const painter = await createPainter(process.stderr)
  writeErrUncleaned(
    `\n${wrapText(cleanText(text), lineWidth())
      .map((line) => painter.bold(line))
      .join('\n')}\n`,
  )
}
