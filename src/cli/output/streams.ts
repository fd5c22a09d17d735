// Writes to standard output and standard error, at the reader's pace, and stops quietly when the reader is gone.
import process from 'node:process'
import {SvcError, getSystemCode} from '../../errors.ts'
import {cleanText} from './clean.ts'
import {type OutputTraits, getTraits, onStreamError, writeDirectly} from './outputs.ts'
import {addProfileToCommands} from './suggest-profile.ts'
import {wrapMessage} from './wrap-message.ts'
import {createTooLargeError, inputBytesMax} from '../../storage/read-regular-file.ts'

// `svc … | head` closes the output when it has read enough, which is not a failure. If standard error is closed, the data
// and the exit code are still delivered.
export function exitOnClosedPipe(): void {
  needsReader = true
  onStreamError('stdout', isReaderGone)
  onStreamError('stderr', () => {})
}

let needsReader = true
let hasReader = true

// For a command that changes something: its work is finished, and its exit code told, also if nobody reads its output any more.
export function keepGoingWithoutReader(): void {
  needsReader = false
}

// Whether the error says that the reader is gone. The process ends then, unless its work goes on without a reader.
function isReaderGone(error: unknown): boolean {
  if (getSystemCode(error) !== 'EPIPE') return false
  if (needsReader) process.exit(process.exitCode ?? 0)
  hasReader = false
  return true
}

// Resolves when the text is written, so that a slow reader slows the writer down instead of filling memory.
export async function writeOut(text: string | Uint8Array): Promise<void> {
  if (!hasReader) return
  try {
    if (!writeDirectly('stdout', text)) await writeToStream(text)
  } catch (error) {
    if (!isReaderGone(error)) throw outputFailed(error)
  }
}

function writeToStream(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) return resolve()
      // oclif's own listener would throw the error with its stack before it can be shown as an SvcError.
      process.stdout.removeAllListeners('error').on('error', () => {})
      reject(error)
    })
  })
}

const outputFailed = (cause: unknown) =>
  new SvcError({
    error: 'OUTPUT_FAILED',
    kind: 'bug',
    message: `Standard output cannot be written (${getSystemCode(cause) ?? 'unknown'})`,
    hint: 'Check that the disk has space; the output is incomplete',
    cause,
  })

// Notices may contain text from the service, so everything that could control the terminal is removed, except line breaks.
export function writeErr(text: string): void {
  writeErrUncleaned(text.split('\n').map(cleanText).join('\n'))
}

// Writes each text as one line, so that a line break in text from the service cannot begin a line that looks like ours. A
// terminal gets the line wrapped between words.
export function writeErrLines(lines: readonly string[]): void {
  writeErrUncleaned(lines.map((line) => `${layOutMessage(cleanText(line))}\n`).join(''))
}

// A person gets the line wrapped, with commands that can be copied. A script gets it as it is.
export function layOutMessage(line: string, width = getErrorWidth()): string {
  return width === undefined ? line : wrapMessage(addProfileToCommands(line), width)
}

// For text that was cleaned before it was coloured. It is printed above the live line, if there is one.
export function writeErrUncleaned(text: string): void {
  const shown = liveLine === '' ? text : `${eraseLine}${text}${liveLine}`
  try {
    if (!writeDirectly('stderr', shown)) process.stderr.write(shown)
  } catch {
    // If nobody reads standard error, the data and the exit code are still delivered.
  }
}

const eraseLine = '\r\u001b[K'
let liveLine = ''

// A live line needs a terminal that can rewrite a line.
export const canShowLiveLine = () => getTraits('stderr').isTTY === true && process.env['TERM'] !== 'dumb'

// Rewrites the last line of standard error with text that fits into it.
export function writeLiveLine(text: string): void {
  liveLine = text
  process.stderr.write(`${eraseLine}${text}`)
}

// Removes the rows that the live line has in a terminal that became so narrow. The cursor is in the last one.
export function clearWrappedLine(columns: number): void {
  const rowsAbove = Math.max(0, Math.ceil(liveLine.length / columns) - 1)
  process.stderr.write(`\r${rowsAbove > 0 ? `\u001b[${rowsAbove}A` : ''}\u001b[J`)
}

// Removes the live line, and returns whether there was one.
export function clearLiveLine(): boolean {
  if (liveLine === '') return false
  writeLiveLine('')
  return true
}

const getWidth = ({isTTY, columns}: OutputTraits) => (isTTY ? columns || 80 : undefined)

export const getErrorWidth = () => getWidth(getTraits('stderr'))

export const getOutputWidth = () => getWidth(getTraits('stdout'))

// All of standard input, as text, up to what an input can have.
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  let total = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    total += chunk.length
    if (total > inputBytesMax) throw createTooLargeError('standard input')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

export const streamStdin = (): AsyncIterable<Uint8Array> => process.stdin as AsyncIterable<Buffer>

// Writes data that is not text, piece by piece.
export async function writeOutBytes(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const piece of pieces) await writeToStream(piece)
  } catch (error) {
    if (isReaderGone(error)) return
    if (getSystemCode(error) === undefined) throw error
    throw outputFailed(error)
  }
}

// Whether a person can be asked: questions are printed to standard error.
export const isAtTerminal = () => getTraits('stderr').isTTY === true && process.stdin.isTTY
