// Decides whether output is coloured, and which colour each status has.
import {getTone} from '../../web/tones.ts'

export interface Painter {
  dim(text: string): string
  bold(text: string): string
  alarm(text: string): string
  status(text: string): string
}

const colours = {good: 'green', bad: 'red', open: 'yellow'} as const

const plain: Painter = {dim: String, bold: String, alarm: String, status: String}

// FORCE_COLOR overrides NO_COLOR, and both override the terminal check.
function hasColour(stream: {isTTY?: boolean | undefined}): boolean {
  const {FORCE_COLOR, NO_COLOR, TERM} = process.env
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return !NO_COLOR && TERM !== 'dumb' && stream.isTTY === true
}

// chalk is loaded only if something will be coloured.
export async function createPainter(stream: {isTTY?: boolean | undefined}): Promise<Painter> {
  if (!hasColour(stream)) return plain
  const {Chalk} = await import('chalk')
  const chalk = new Chalk({level: 1})
  return {
    dim: chalk.dim,
    bold: chalk.bold,
    alarm: chalk.red.bold,
    status: (text) => {
      // Of two, such as “CREATED, FAILED”, the last one counts, without a sign before it.
      const tone = getTone(text.split(', ').at(-1)?.replace(/^\W+/, ''))
      return tone === 'quiet' ? text : chalk[colours[tone]](text)
    },
  }
}
