// Reads a file as a document: only regular files, and never more bytes than a document may have.
import fs from 'node:fs/promises'
import path from 'node:path'
import {limits} from '../../contract/vocabulary.ts'
import type {Problem} from '../../contract/problems.ts'
import {getSystemCode} from '../../errors.ts'
import {detectFormat, validateDocumentBytes, validateDocumentSize} from '../../values/documents.ts'
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

// The path relative to the working folder if the file is in it.
function toShownPath(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative
}

async function readValidBytes(field: string, file: string): Promise<Buffer | Problem> {
  const stats = await fs.stat(file)
  if (stats.isDirectory()) return {path: field, message: 'is a folder'}
  if (!stats.isFile()) return {path: field, message: 'is not a regular file'}
  if (stats.size === 0) return {path: field, message: 'is empty'}
  const tooLarge = stats.size > limits.documentBytesMax ? validateDocumentSize(field, stats.size) : undefined
  if (tooLarge) return tooLarge
  const bytes = await fs.readFile(file)
  return validateDocumentBytes(field, bytes) ?? bytes
}

// Returns the content of the file, or the problem with it.
async function readDocumentBytes(field: string, file: string): Promise<Buffer | Problem> {
  try {
    return await readValidBytes(field, file)
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

// Returns what is wrong with a file named as a document, as the end of a sentence that starts with "It".
export async function findDocumentProblem(file: string): Promise<string | undefined> {
  const result = await readDocumentBytes('', file)
  return Buffer.isBuffer(result) ? undefined : result.message
}
