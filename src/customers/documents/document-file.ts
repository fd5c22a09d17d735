// Reads a file as a document: only regular files, and never more bytes than a document may have.
import {constants} from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import type {Problem} from '../../contract/problems.ts'
import {getSystemCode} from '../../errors.ts'
import {
  detectFormat,
  formatBytesMax,
  validateDocumentBytes,
  validateDocumentFormat,
  validateDocumentSize,
} from '../../values/documents.ts'
import {getConvertedImage} from './converted-images.ts'

// What each system error means, as the end of a sentence about the file.
const readFailures: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  ELOOP: 'is a symbolic link to itself',
  ENAMETOOLONG: 'has a name that is too long',
}

// If a pipe replaces the file after it was checked, a blocking open would wait for a writer forever.
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

// The path relative to the working folder if the file is in it.
function toShownPath(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative
}

async function readUpTo(handle: fs.FileHandle, bytesMax: number): Promise<Buffer> {
  const bytes = Buffer.alloc(bytesMax)
  let count = 0
  while (count < bytesMax) {
    const {bytesRead} = await handle.read(bytes, count, bytesMax - count, count)
    if (bytesRead === 0) break
    count += bytesRead
  }
  return bytes.subarray(0, count)
}

async function readValidBytes(field: string, file: string): Promise<Buffer | Problem> {
  const stats = await fs.stat(file)
  if (stats.isDirectory()) return {path: field, message: 'is a folder'}
  if (!stats.isFile()) return {path: field, message: 'is not a regular file'}
  if (stats.size === 0) return {path: field, message: 'is empty'}
  const handle = await fs.open(file, openFlags)
  try {
    const head = await readUpTo(handle, Math.min(stats.size, formatBytesMax))
    const problem = validateDocumentFormat(field, head) ?? validateDocumentSize(field, stats.size)
    if (problem) return problem
    const bytes = await readUpTo(handle, stats.size)
    return validateDocumentBytes(field, bytes) ?? bytes
  } finally {
    await handle.close()
  }
}

// Returns the content of the file, or the problem with it.
export async function readDocumentBytes(field: string, file: string): Promise<Buffer | Problem> {
  try {
    return getConvertedImage(file) ?? (await readValidBytes(field, file))
  } catch (error) {
    const code = getSystemCode(error)
    if (code === undefined) throw error
    return {path: field, message: readFailures[code] ?? `cannot be read (${code})`}
  }
}

// Returns the content as a data URI, or the problem with the file. The MIME type comes from the bytes, not from the name.
export async function readDocumentUri(field: string, file: string): Promise<{uri: string} | {problem: Problem}> {
  const result = await readDocumentBytes(field, file)
  if (Buffer.isBuffer(result)) return {uri: `data:${detectFormat(result)?.mime};base64,${result.toString('base64')}`}
  return {problem: {path: field, message: `names ${toShownPath(file)}, which ${result.message}`}}
}
