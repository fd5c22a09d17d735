// Reads a file that somebody named: only a regular one, and no more than an input can have. A device or a pipe could block
// the read, or never end.
import fs from 'node:fs'
import {SvcError, badUsage, getSystemCode} from '../errors.ts'

const mebibyte = 1024 * 1024
// More than a payout file of a hundred thousand rows, and than a body with all of its documents.
export const inputBytesMax = 128 * mebibyte

export const createTooLargeError = (name: string) =>
  badUsage(`There is more in ${name} than an input can have (${inputBytesMax / mebibyte} MiB)`, 'Name another file')

// A pipe in place of the file would make a blocking open wait for a writer.
const openFlags = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0)

// Throws a system error if the file cannot be read, and an SvcError if it is not a regular file or too large.
export function readRegularFile(file: string): Buffer {
  const descriptor = fs.openSync(file, openFlags)
  try {
    const found = fs.fstatSync(descriptor)
    // A folder is refused by the system.
    if (!found.isFile() && !found.isDirectory()) {
      throw badUsage(`${file} is not a regular file`, 'Name a file, or - to read standard input where it is offered')
    }
    // Some files, such as those in /proc, have more content than their size says.
    const content = found.size > inputBytesMax ? undefined : fs.readFileSync(descriptor)
    if (!content || content.length > inputBytesMax) throw createTooLargeError(file)
    return content
  } finally {
    fs.closeSync(descriptor)
  }
}

type CreateError = (code: string, cause: unknown) => SvcError

// Reads a file that a person named. If the system refuses it, `createError` makes the error from the system's code.
export function readNamedFile(
  file: string,
  createError: CreateError = (code, cause) =>
    badUsage(`The file ${file} cannot be read (${code})`, 'Check the path', cause),
): Buffer {
  try {
    return readRegularFile(file)
  } catch (cause) {
    throw cause instanceof SvcError ? cause : createError(getSystemCode(cause) ?? 'unknown', cause)
  }
}

// Bytes of another encoding would become other characters without a word. `name` begins a sentence.
export function decodeText(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes)
  } catch (cause) {
    throw badUsage(`${name} is not in UTF-8`, 'Save it in UTF-8; nothing was sent', cause)
  }
}

export const readNamedText = (file: string): string => decodeText(readNamedFile(file), `The file ${file}`)
