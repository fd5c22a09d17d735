// Reads a file as a document: only regular files, and never more bytes than a document may have.
import {constants} from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import {imageSize} from 'image-size'
import {limits} from '../../contract/vocabulary.ts'
import type {Problem} from '../../contract/problems.ts'
import {getSystemCode} from '../../errors.ts'
import {
  detectForeignFormat,
  detectFormat,
  formatBytesMax,
  validateDocumentBytes,
  validateDocumentFormat,
  validateDocumentSize,
} from '../../values/documents.ts'
import {findPathProblem, isDocumentPath, mapDocuments, resolveDocumentPath} from './document-fields.ts'

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
async function readDocumentBytes(field: string, file: string): Promise<Buffer | Problem> {
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

// Replaces the path of every document in a body by the content of its file.
interface AttachedDocuments<T> {
  // With the content of all documents. Must not be sent if there are problems.
  body: T
  // Without the documents that were files. These are validated here, so that they need not be decoded again.
  bodyWithoutFiles: T
  problems: Problem[]
  // Whether the documents exceed the size of a request. Then `body` has only some of them.
  isTooLarge: boolean
}

export async function attachDocuments<T>(given: T): Promise<AttachedDocuments<T>> {
  const pathsByField = new Map<string, string>()
  const bodyWithoutFiles = mapDocuments(given, (value, field) => {
    if (!isDocumentPath(value)) return value
    pathsByField.set(field, value)
    return undefined
  })
  const problems: Problem[] = []
  const urisByField = new Map<string, string>()
  let bytes = 0
  // One file at a time: content beyond the limit is validated and dropped, so that memory stays bounded.
  for (const [field, text] of pathsByField) {
    const message = findPathProblem(text)
    const result = message
      ? {problem: {path: field, message}}
      : await readDocumentUri(field, resolveDocumentPath(text, process.cwd()))
    if ('problem' in result) {
      problems.push(result.problem)
      continue
    }
    bytes += result.uri.length
    if (bytes <= limits.requestBytesMax) urisByField.set(field, result.uri)
  }
  const body = mapDocuments(given, (value, field) => (pathsByField.has(field) ? urisByField.get(field) : value))
  return {body, bodyWithoutFiles, problems, isTooLarge: bytes > limits.requestBytesMax}
}

// Inspects a file named as a document: whether it is valid, and whether a conversion would make it valid.
interface DocumentInspection {
  // The end of a sentence that starts with "It".
  problem?: string
  // Valid, but shown rotated by programs that ignore the EXIF orientation.
  isRotated?: boolean
  isConvertible: boolean
}

// Picture formats that svc recognizes and the service does not accept.
const convertibleFormats: ReadonlySet<string> = new Set([
  'HEIC',
  'AVIF',
  'WEBP',
  'GIF',
  'TIFF',
  'BMP',
  'JPEG XL',
  'JPEG 2000',
])

async function isConvertiblePicture(file: string): Promise<boolean> {
  const handle = await fs.open(file)
  try {
    const {buffer, bytesRead} = await handle.read(Buffer.alloc(formatBytesMax), 0, formatBytesMax, 0)
    const head = buffer.subarray(0, bytesRead)
    const {size} = await handle.stat()
    const isTooLarge = detectFormat(head)?.hasPixels === true && size > limits.documentBytesMax
    return isTooLarge || convertibleFormats.has(detectForeignFormat(head) ?? '')
  } finally {
    await handle.close()
  }
}

// The EXIF orientation of a picture that is not rotated.
const upright = 1

const hasRotation = (bytes: Buffer) =>
  detectFormat(bytes)?.mime === 'image/jpeg' && (imageSize(bytes).orientation ?? upright) > upright

const isRegularFile = (file: string) =>
  fs.stat(file).then(
    (stats) => stats.isFile(),
    () => false,
  )

export async function inspectDocument(file: string): Promise<DocumentInspection> {
  const result = await readDocumentBytes('', file)
  if (Buffer.isBuffer(result)) {
    const isRotated = hasRotation(result)
    return {isRotated, isConvertible: isRotated}
  }
  return {
    problem: result.message,
    isConvertible: (await isRegularFile(file)) && (await isConvertiblePicture(file)),
  }
}

// Converted images of this run, by the file they were made from. They are kept in memory only: a draft names the original
// file, and the conversion is offered again when the draft is resumed.
const imagesByFile = new Map<string, Buffer>()

const getConvertedImage = (file: string): Buffer | undefined => imagesByFile.get(file)

export function storeConvertedImage(file: string, image: Buffer): void {
  imagesByFile.set(file, image)
}
