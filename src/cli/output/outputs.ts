// Standard output and standard error without Node's streams, which take longer to create than most commands to print. Only
// a file or a pipe is written without one.
import fs from 'node:fs'

export type Output = 'stdout' | 'stderr'

// What a printer has to know of a stream.
export interface OutputTraits {
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
export function writeDirectly(output: Output, text: string | Uint8Array): boolean {
  if (!isPlain(output) || bytesLeft[output] === 0) return false
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  bytesLeft[output] = Math.max(0, bytesLeft[output] - bytes.length)
  if (bytesLeft[output] === 0) return false
  let written = 0
  try {
    while (written < bytes.length) written += fs.writeSync(descriptors[output], bytes, written)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    // The pipe is full and does not block. The stream waits for its reader, and keeps the order of what follows.
    bytesLeft[output] = 0
    process[output].write(bytes.subarray(written))
  }
  return true
}

// Calls the listener for the errors of a stream, without creating the stream for it.
export function onStreamError(output: Output, listener: (error: Error) => void): void {
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
