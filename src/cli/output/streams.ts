// Writes to standard output and standard error, at the reader's pace, and stops quietly when the reader is gone.
import fs from 'node:fs'
import process from 'node:process'
import {SvcError, getSystemCode} from '../../errors.ts'
import {createTooLargeError, decodeText, inputBytesMax} from '../../storage/read-regular-file.ts'
import {cleanText} from './clean.ts'

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
  writeErrUncleaned(lines.map((line) => `${wrapMessage(cleanText(line), getErrorWidth())}\n`).join(''))
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

// Removes the live line, and returns whether there was one.
export function clearLiveLine(): boolean {
  if (liveLine === '') return false
  writeLiveLine('')
  return true
}

// A prompt hides the cursor, draws lists below it, and is not there to clear them when a signal
// ends the process.
export function clearPrompt(): void {
  if (canShowLiveLine()) writeErrUncleaned('\u001b[?25h\u001b[J')
}

const getWidth = ({isTTY, columns}: OutputTraits) => (isTTY ? columns || 80 : undefined)

export const getErrorWidth = () => getWidth(getTraits('stderr'))

// One column less than the terminal, since some terminals break a line that fills the last column.
export const lineWidth = () => (process.stderr.columns || 80) - 1

export const getOutputWidth = () => getWidth(getTraits('stdout'))

// All of standard input, as text, up to what an input can have.
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  let total = 0
  const input: AsyncIterable<Buffer> = process.stdin
  for await (const chunk of input) {
    total += chunk.length
    if (total > inputBytesMax) throw createTooLargeError('standard input')
    chunks.push(chunk)
  }
  return decodeText(Buffer.concat(chunks), 'Standard input')
}

// Whether a person can be asked: questions are printed to standard error.
export const isAtTerminal = () => getTraits('stderr').isTTY === true && process.stdin.isTTY

// Standard output and standard error without Node's streams, which take longer to create than most commands to print. Only
// a file or a pipe is written without one.
type Output = 'stdout' | 'stderr'

// What a printer has to know of a stream.
interface OutputTraits {
  isTTY?: boolean | undefined
  columns?: number | undefined
}

const descriptors: Readonly<Record<Output, number>> = {stdout: 1, stderr: 2}

let isAllowed = false

// For the program. In a test, other code may listen to the streams.
export function writeWithoutStreams(): void {
  isAllowed = true
}

// Outputs that are no terminals for certain.
const plain = new Map<Output, boolean>()
// What a pipe takes at once on every system. A write of more could block, and svc would not notice Ctrl-C.
const directBytesMax = 16_384
const bytesLeft: Record<Output, number> = {stdout: directBytesMax, stderr: directBytesMax}

function isFileOrPipe(descriptor: number): boolean {
  try {
    const found = fs.fstatSync(descriptor)
    return found.isFile() || found.isFIFO() || found.isSocket() || found.rdev === fs.statSync('/dev/null').rdev
  } catch {
    return false
  }
}

function isPlain(output: Output): boolean {
  if (!isAllowed) return false
  const known = plain.get(output) ?? isFileOrPipe(descriptors[output])
  plain.set(output, known)
  return known
}

export const getTraits = (output: Output): OutputTraits => (isPlain(output) ? {} : process[output])

// Writes a short text to a file or a pipe, and returns whether it was one. From the first longer text on, the stream is used.
// Throws the error of the system.
function writeDirectly(output: Output, text: string | Uint8Array): boolean {
  if (!isPlain(output) || bytesLeft[output] === 0) return false
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  bytesLeft[output] = Math.max(0, bytesLeft[output] - bytes.length)
  if (bytesLeft[output] === 0) return false
  let written = 0
  try {
    while (written < bytes.length) written += fs.writeSync(descriptors[output], bytes, written)
  } catch (error) {
    if (getSystemCode(error) !== 'EAGAIN') throw error
    // The pipe is full and does not block. The stream waits for its reader, and keeps the order of what follows.
    bytesLeft[output] = 0
    process[output].write(bytes.subarray(written))
  }
  return true
}

// Calls the listener for the errors of a stream, without creating the stream for it.
function onStreamError(output: Output, listener: (error: Error) => void): void {
  const property = Object.getOwnPropertyDescriptor(process, output)
  if (!property || 'value' in property) {
    process[output].on('error', listener)
    return
  }
  const get = (): NodeJS.WriteStream => {
    Object.defineProperty(process, output, property)
    return process[output].on('error', listener)
  }
  Object.defineProperty(process, output, {...property, get})
}

// A progress line on standard error, in a terminal only, and only if the work takes longer than a second.
const showAfterMs = 1000

interface Progress {
  // The text must be short enough for any terminal and contain nothing from the service.
  report(text: string): void
  // Removes the line.
  end(): void
}

export function startProgress(): Progress {
  const startedMs = performance.now()
  return {
    report(text) {
      if (canShowLiveLine() && performance.now() - startedMs >= showAfterMs) writeLiveLine(text)
    },
    end: clearLiveLine,
  }
}

// Messages are wrapped between words, and what is in backquotes, to be copied, stays in one piece.
const piece = /(?:`[^`]*`|[^\s`])+/g

// East Asian characters and emoji take two columns. Every command loads this file, so it does without a package.
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{10000}-\u{10FFFF}]/gu
const measure = (text: string) => text.replace(wide, '  ').length

// Lines after the first begin below the text of the first. In a pipe there is no width, and nothing is wrapped.
export function wrapMessage(text: string, width: number | undefined, unbroken = piece): string {
  if (width === undefined || measure(text) <= width) return text
  const indent = ' '.repeat(/^ *(?:- |\d+\. )?/.exec(text)?.[0].length ?? 0)
  let [lines, line, end] = ['', '', 0]
  for (const match of text.matchAll(unbroken)) {
    const space = text.slice(end, match.index)
    end = match.index + match[0].length
    const longer = line + space + match[0]
    if (line === '' || measure(longer) <= width) line = longer
    else {
      lines += `${line}\n`
      line = indent + match[0]
    }
  }
  return lines + line
}
