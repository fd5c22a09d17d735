// The documents of a body. A document is given as its content (a data URI) or as the path of a file: only regular files are read, and
// never more bytes than a document may have.
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import {limits, megabyte} from '../contract/vocabulary.ts'
import type {Problem} from '../contract/problems.ts'
import {isPlainObject} from '../contract/shape.ts'
import {getSystemCode} from '../errors.ts'
import {detectFormat, validateDocumentBytes, validateDocumentSize} from '../values/documents.ts'

const documentFields: ReadonlySet<string> = new Set([
  'frontIdImage',
  'backIdImage',
  'proofOfAddressImage',
  'documentImage',
])

type ChangeDocument = (document: unknown, path: string) => unknown

function mapValue(value: unknown, change: ChangeDocument, valuePath: string): unknown {
  if (Array.isArray(value)) return value.map((item, index) => mapValue(item, change, `${valuePath}[${index}]`))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const innerPath = valuePath ? `${valuePath}.${key}` : key
      return [key, documentFields.has(key) ? change(inner, innerPath) : mapValue(inner, change, innerPath)]
    }),
  )
}

// Returns a copy of the value in which every document, at any depth, is replaced by the result of `change`.
export const mapDocuments = <T>(value: T, change: ChangeDocument): T => mapValue(value, change, '') as T

const isDataUri = (text: string) => /^data:/i.test(text)
const isUrl = (text: string) => /^[a-z][a-z\d+.-]+:\/\//i.test(text)

export const isDocumentPath = (value: unknown): value is string => typeof value === 'string' && !isDataUri(value)

// Longer than any real path and shorter than any image, so a longer text is base64 without its prefix.
const pathLengthMax = 1024

// Returns the reason why a text that is not a data URI cannot be a path.
function findPathProblem(text: string): string | undefined {
  if (text.trim() === '') return 'is empty: give the path of a file, or a base64 data URI'
  if (isUrl(text)) return 'is a URL, and svc reads only files: download it, and give its path'
  if (text.length > pathLengthMax || text.includes('\n')) {
    return 'is neither a path nor a data URI: base64 needs data:<mime-type>;base64, in front of it'
  }
  return undefined
}

const homePrefix = /^~(?=$|[/\\])/

// Resolves a path relative to a folder, with ~ as the home folder. Other texts are returned unchanged.
export function resolveDocumentPath(text: string, folder: string): string {
  if (isDataUri(text) || findPathProblem(text)) return text
  return path.resolve(
    folder,
    text.replace(homePrefix, () => os.homedir()),
  )
}

// The content of a file, or what is wrong with it, as the end of a sentence about the file.
async function readValidBytes(file: string): Promise<Buffer | string> {
  try {
    const stats = await fs.stat(file)
    if (stats.isDirectory()) return 'is a folder'
    if (!stats.isFile()) return 'is not a regular file'
    if (stats.size === 0) return 'is empty'
    const tooLarge = stats.size > limits.documentBytesMax ? validateDocumentSize('', stats.size) : undefined
    if (tooLarge) return tooLarge.message
    const bytes = await fs.readFile(file)
    return validateDocumentBytes('', bytes)?.message ?? bytes
  } catch (error) {
    const code = getSystemCode(error)
    if (code === undefined) throw error
    return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
  }
}

// Returns what is wrong with a file named as a document, as the end of a sentence that starts with "It".
export async function findDocumentProblem(file: string): Promise<string | undefined> {
  const read = await readValidBytes(file)
  return typeof read === 'string' ? read : undefined
}

// Returns the content as a data URI, or the problem with the file. The MIME type comes from the bytes, not from the name.
async function readDocument(text: string): Promise<{uri: string} | {message: string}> {
  const problem = findPathProblem(text)
  if (problem) return {message: problem}
  const file = resolveDocumentPath(text, process.cwd())
  const read = await readValidBytes(file)
  if (typeof read === 'string') return {message: `names ${file}, which ${read}`}
  return {uri: `data:${detectFormat(read)?.mime};base64,${read.toString('base64')}`}
}

// Replaces the path of every document in a body by the content of its file. One that cannot be used is left out, and the body must
// not be sent if there are problems.
export async function attachDocuments<T>(given: T): Promise<{body: T; problems: Problem[]}> {
  const pathsByField = new Map<string, string>()
  mapDocuments(given, (value, field) => isDocumentPath(value) && pathsByField.set(field, value))
  const problems: Problem[] = []
  const urisByField = new Map<string, string>()
  let bytes = 0
  // One file at a time: content beyond the limit is validated and dropped, so that memory stays bounded.
  for (const [field, text] of pathsByField) {
    const read = await readDocument(text)
    if ('message' in read) {
      problems.push({path: field, message: read.message})
      continue
    }
    bytes += read.uri.length
    if (bytes <= limits.requestBytesMax) urisByField.set(field, read.uri)
  }
  const body = mapDocuments(given, (value, field) => (pathsByField.has(field) ? urisByField.get(field) : value))
  if (bytes > limits.requestBytesMax || Buffer.byteLength(JSON.stringify(body)) > limits.requestBytesMax) {
    const max = `${limits.requestBytesMax / megabyte} MB`
    const message = `is larger than ${max} once its documents are encoded: send smaller documents, or fewer`
    problems.push({path: '', message})
  }
  return {body, problems}
}
