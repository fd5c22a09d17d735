// The document fields of a body. A document is given as its content (a data URI) or as the path of a file.
import os from 'node:os'
import path from 'node:path'
import {isPlainObject} from '../../contract/shape.ts'

const documentFields: ReadonlySet<string> = new Set([
  'frontIdImage',
  'backIdImage',
  'proofOfAddressImage',
  'documentImage',
])

// Returns a copy of the value in which every document, at any depth, is replaced by the result of `change`.
export const mapDocuments = <T>(value: T, change: ChangeDocument): T => mapValue(value, change, '') as T

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

const isDataUri = (text: string) => /^data:/i.test(text)
const isUrl = (text: string) => /^[a-z][a-z\d+.-]+:\/\//i.test(text)

// Longer than any real path and shorter than any image, so a longer text is base64 without its prefix.
const pathLengthMax = 1024

// Returns the reason why a text that is not a data URI cannot be a path.
export function findPathProblem(text: string): string | undefined {
  if (text.trim() === '') return 'is empty: give the path of a file, or a base64 data URI'
  if (isUrl(text)) return 'is a URL, and svc reads only files: download it, and give its path'
  if (text.length > pathLengthMax || text.includes('\n')) {
    return 'is neither a path nor a data URI: base64 needs data:<mime-type>;base64, in front of it'
  }
  return undefined
}

export const isDocumentPath = (value: unknown): value is string => typeof value === 'string' && !isDataUri(value)

const homePrefix = /^~(?=$|[/\\])/

// Resolves a path relative to a folder, with ~ as the home folder. Other texts are returned unchanged.
export function resolveDocumentPath(text: string, folder: string): string {
  if (isDataUri(text) || findPathProblem(text)) return text
  return path.resolve(
    folder,
    text.replace(homePrefix, () => os.homedir()),
  )
}
