// Prints text between the questions of a wizard: on standard error, wrapped to the width of the terminal.
import {cleanText} from '../output/clean.ts'
import {createPainter} from '../output/colour.ts'
import {lineWidth, wrapMessage, writeErrUncleaned} from '../output/streams.ts'
import {wrapText} from '../output/wrap-text.ts'

export function printText(text: string): void {
  writeErrUncleaned(`${wrapMessage(cleanText(text), lineWidth())}\n`)
}

export async function printHeading(text: string): Promise<void> {
  const painter = await createPainter(process.stderr)
  const lines = wrapText(cleanText(text), lineWidth()).map((line) => painter.bold(line))
  writeErrUncleaned(`\n${lines.join('\n')}\n`)
}
