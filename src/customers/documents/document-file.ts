// Reads one file as a document: never more of it than a document may have, and nothing that is no plain file.
import {constants} from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import {formatBytesMax, detectFormat} from '../../validation/document-format.ts'
import {validateDocumentBytes, validateDocumentFormat, validateDocumentSize} from '../../validation/document-image.ts'
import type {Problem} from '../../contract/problems.ts'
import {getSystemCode} from '../../errors.ts'
import {getConvertedImage} from './converted-images.ts'

const readFailures: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by you',
  EPERM: 'may not be read by you',
  ELOOP: 'is a link that leads to itself',
  ENAMETOOLONG: 'has a name that is too long',
}

// A pipe that nobody writes to would be waited for without end, were it to take the place of the file in between.
const readAtOnce = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

// As a person would name it from here.
function toShownName(file: string): string {
  const fromHere = path.relative(process.cwd(), file)
  return fromHere === '' || fromHere.startsWith('..') || path.isAbsolute(fromHere) ? file : fromHere
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

async function readValidBytes(at: string, file: string): Promise<Buffer | Problem> {
  const facts = await fs.stat(file)
  if (facts.isDirectory()) return {path: at, message: 'is a folder'}
  if (!facts.isFile()) return {path: at, message: 'is not a plain file'}
  const handle = await fs.open(file, readAtOnce)
  try {
    const head = await readUpTo(handle, Math.min(facts.size, formatBytesMax))
    const early = facts.size === 0 ? {path: at, message: 'is empty'} : validateDocumentFormat(at, head)
    const found = early ?? validateDocumentSize(at, facts.size)
    if (found) return found
    const bytes = await readUpTo(handle, facts.size)
    return validateDocumentBytes(at, bytes) ?? bytes
  } finally {
    await handle.close()
  }
}

// The content of the file, or what is wrong with it.
export async function readDocumentBytes(at: string, file: string): Promise<Buffer | Problem> {
  try {
    return getConvertedImage(file) ?? (await readValidBytes(at, file))
  } catch (error) {
    const code = getSystemCode(error)
    if (code === undefined) throw error
    return {path: at, message: readFailures[code] ?? `cannot be read (${code})`}
  }
}

// The content as a data URI whose prefix is what the bytes are, or what is wrong with the file.
export async function readDocumentUri(at: string, file: string): Promise<{uri: string} | {problem: Problem}> {
  const found = await readDocumentBytes(at, file)
  if (Buffer.isBuffer(found)) return {uri: `data:${detectFormat(found)?.mime};base64,${found.toString('base64')}`}
  return {problem: {path: at, message: `names ${toShownName(file)}, which ${found.message}`}}
}
