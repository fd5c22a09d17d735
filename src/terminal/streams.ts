// Standard output and standard error, written with care: in order, at the reader's pace, and quietly when it has gone.
import process from 'node:process'

let outputClosed = false

// `svc … | head` closes our output when it has seen enough. That is no failure: what was asked for was delivered.
export function endQuietlyOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      outputClosed = true
      process.exit(process.exitCode ?? 0)
    })
  }
}

// Resolves when the reader has taken what was written, so that a slow reader slows the writer instead of filling memory.
export function writeOut(text: string): Promise<void> {
  if (outputClosed) return Promise.resolve()
  return new Promise((resolve) => {
    if (process.stdout.write(text)) resolve()
    else process.stdout.once('drain', resolve)
  })
}

export function writeErr(text: string): void {
  process.stderr.write(text)
}

export const outputWidth = () => (process.stdout.isTTY ? process.stdout.columns || 80 : undefined)

// All of standard input, as text.
export async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
