// Standard output and standard error, written with care: in order, at the reader's pace, and quietly when it has gone.
import process from 'node:process'
import {SvcError, getSystemCode} from '../../errors.ts'
import {cleanText} from './clean.ts'

// `svc … | head` closes our output when it has seen enough. That is no failure: what was asked for was delivered.
// Whoever stops listening to notices still gets the data and the code.
export function exitOnClosedPipe(): void {
  process.stdout.on('error', (error) => {
    if (getSystemCode(error) === 'EPIPE') process.exit(process.exitCode ?? 0)
  })
  process.stderr.on('error', () => {})
}

// Resolves when the reader has taken what was written, so that a slow reader slows the writer instead of filling memory.
export function writeOut(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) return resolve()
      if (getSystemCode(error) === 'EPIPE') return process.exit(process.exitCode ?? 0)
      // oclif listens as well, and would throw the error with its stack before it can be shown as one of ours.
      process.stdout.removeAllListeners('error').on('error', () => {})
      reject(outputFailed(error))
    })
  })
}

const outputFailed = (cause: unknown) =>
  new SvcError({
    error: 'OUTPUT_FAILED',
    kind: 'bug',
    message: `Standard output cannot be written (${getSystemCode(cause) ?? 'unknown'})`,
    hint: 'Check that the disk has room; what is there is not whole',
    cause,
  })

// What is said on the way may carry the service's words, so nothing that steers a terminal passes but line breaks.
export function writeErr(text: string): void {
  writeErrUncleaned(text.split('\n').map(cleanText).join('\n'))
}

// For text that was cleaned before it was coloured. It goes above the live line, if there is one.
export function writeErrUncleaned(text: string): void {
  process.stderr.write(liveLine === '' ? text : `${eraseLine}${text}${liveLine}`)
}

const eraseLine = '\r\u001b[K'
let liveLine = ''

// A live line can be rewritten only where a person watches, on a terminal that understands it.
export const canShowLiveLine = () => process.stderr.isTTY && process.env['TERM'] !== 'dumb'

// Rewrites the last line of standard error with text that fits into it.
export function writeLiveLine(text: string): void {
  liveLine = text
  process.stderr.write(`${eraseLine}${text}`)
}

// Leaves the line as if nothing had been there, and says whether there was something.
export function clearLiveLine(): boolean {
  if (liveLine === '') return false
  writeLiveLine('')
  return true
}

export const getOutputWidth = () => (process.stdout.isTTY ? process.stdout.columns || 80 : undefined)

// All of standard input, as text.
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
