// The output of a prompt. A terminal that is made narrower wraps the lines that are on it, so that the prompt, which counts the
// lines it drew, would leave rubbish behind. Here its lines are counted as they are on the screen, and drawn again.
import {Writable} from 'node:stream'
import {stripVTControlCharacters} from 'node:util'
import stringWidth from 'string-width'

// What a prompt writes on.
type Terminal = Writable & {columns?: number; rows?: number; isTTY?: boolean}

const escape = '\u001B['
const eraseBelow = `${escape}J`
const widthDefault = 80

const moveUp = (count: number) => (count > 0 ? `${escape}${count}A` : '')
const moveDown = (count: number) => (count > 0 ? `${escape}${count}B` : '')
const moveTo = (column: number) => `${escape}${column + 1}G`

/* oxlint-disable no-control-regex -- The escape character is what they look for. */
// How Inquirer begins a drawing: it moves below its last line, and erases each line up to the first.
const erasePattern = /^(?:\u001B\[\d+B)?(?:\u001B\[2K\u001B\[1A)*\u001B\[2K\u001B\[G/
// How a drawing ends: the cursor moves up to the line that is typed on, and to its column.
const cursorPattern = /(?:\u001B\[(\d+)A)?\u001B\[(\d+)G$/
const downPattern = /^\u001B\[\d+B/
const movePattern = /^\u001B\[(\d+)G$/
const endPattern = /^(?:\u001B\[\d+B)?\n/
/* oxlint-enable no-control-regex */

// What is on the screen: lines as they were written, and the cursor on one of them.
interface Drawing {
  lines: readonly string[]
  cursorLine: number
  column: number
}

function readDrawing(text: string): Drawing | undefined {
  const [ending, up = '0', column] = cursorPattern.exec(text) ?? []
  if (ending === undefined) return undefined
  const lines = text.slice(0, -ending.length).split('\n')
  return {lines, cursorLine: Math.max(0, lines.length - 1 - Number(up)), column: Number(column) - 1}
}

const countRows = (line: string, width: number) =>
  Math.max(1, Math.ceil(stringWidth(stripVTControlCharacters(line)) / width))

const sumRows = (lines: readonly string[], width: number) =>
  lines.reduce((sum, line) => sum + countRows(line, width), 0)

// The rows of the screen above and below the cursor, at a width to which the terminal has wrapped the lines.
function measure({lines, cursorLine, column}: Drawing, width: number): {above: number; below: number} {
  const above = sumRows(lines.slice(0, cursorLine), width) + Math.floor(column / width)
  return {above, below: Math.max(0, sumRows(lines, width) - 1 - above)}
}

// These leave lines as they are and hide what does not fit.
const wrapsLines = ({XTERM_VERSION, TERM = '', TMUX}: NodeJS.ProcessEnv) =>
  XTERM_VERSION === undefined && TERM !== 'linux' && !(TERM.startsWith('screen') && TMUX === undefined)

class PromptOutput extends Writable {
  readonly #terminal: Terminal
  readonly #onResize = () => this.#redraw()
  #width: number
  #drawing: Drawing | undefined
  // Whether the screen differs from what the prompt expects.
  #isChanged = false

  constructor(terminal: Terminal) {
    super({decodeStrings: false})
    this.#terminal = terminal
    this.#width = this.columns
    if (wrapsLines(process.env)) terminal.on('resize', this.#onResize)
  }

  get columns(): number {
    return this.#terminal.columns || widthDefault
  }

  get rows(): number | undefined {
    return this.#terminal.rows
  }

  get isTTY(): boolean | undefined {
    return this.#terminal.isTTY
  }

  override _write(chunk: string | Buffer, _: BufferEncoding, done: () => void): void {
    const text = this.#correct(String(chunk))
    const [, column] = movePattern.exec(text) ?? []
    if (column !== undefined) this.#moveWithinRow(Number(column) - 1)
    else this.#drawing = readDrawing(text.replace(erasePattern, '')) ?? this.#drawing
    this.#terminal.write(text)
    done()
  }

  override _final(done: () => void): void {
    this.#terminal.off('resize', this.#onResize)
    done()
  }

  // The column is one of the screen, on which the line may be wrapped.
  #moveWithinRow(column: number): void {
    if (!this.#drawing) return
    const row = Math.floor(this.#drawing.column / this.columns)
    this.#drawing = {...this.#drawing, column: row * this.columns + column}
  }

  // After a change of the width, the prompt erases too few lines or too many.
  #correct(text: string): string {
    if (!this.#isChanged || !this.#drawing) return text
    const {above, below} = measure(this.#drawing, this.columns)
    if (erasePattern.test(text)) {
      this.#isChanged = false
      return `${moveUp(above)}\r${eraseBelow}${text.replace(erasePattern, '')}`
    }
    // The end of a prompt leaves its lines, and goes on below them.
    return endPattern.test(text) ? moveDown(below) + text.replace(downPattern, '') : text
  }

  #redraw(): void {
    const width = this.columns
    if (width === this.#width || !this.#drawing) return
    this.#width = width
    this.#isChanged = true
    const {above, below} = measure(this.#drawing, width)
    const {lines, column} = this.#drawing
    const back = `${moveUp(below)}${moveTo(column % width)}`
    this.#terminal.write(`${moveUp(above)}\r${eraseBelow}${lines.join('\n')}${back}`)
  }
}

export const openPromptOutput = (terminal: Terminal = process.stderr): NodeJS.WritableStream =>
  new PromptOutput(terminal)
