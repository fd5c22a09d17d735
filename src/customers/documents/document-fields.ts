// Where documents stand in a body, and what stands there: the content itself, or the path of a file that holds it.
import os from 'node:os'
import path from 'node:path'

const documentFields: ReadonlySet<string> = new Set([
  'frontIdImage',
  'backIdImage',
  'proofOfAddressImage',
  'documentImage',
])

// Values that only stand for others, such as numbers that keep their digits, are no objects to look into.
const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

// The same value with every document in it, at any depth, replaced by what `change` makes of it.
export function mapDocuments(value: unknown, change: (document: unknown, at: string) => unknown, at = ''): unknown {
  if (Array.isArray(value)) return value.map((item, index) => mapDocuments(item, change, `${at}[${index}]`))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const here = at ? `${at}.${key}` : key
      return [key, documentFields.has(key) ? change(inner, here) : mapDocuments(inner, change, here)]
    }),
  )
}

const isContent = (text: string) => /^data:/i.test(text)
const isAddress = (text: string) => /^[a-z][a-z\d+.-]+:\/\//i.test(text)

// Longer than any path that a person writes, and shorter than any image: it is the content without its prefix.
const pathLengthMax = 1024

// Why a text that is no data URI is no path either.
export function findPathProblem(text: string): string | undefined {
  if (text.trim() === '') return 'is empty: give the path of a file, or a base64 data URI'
  if (isAddress(text)) return 'is an address, and svc reads only files: download it, and give its path'
  if (text.length > pathLengthMax || text.includes('\n')) {
    return 'is neither a path nor a data URI: base64 needs data:<mime-type>;base64, in front of it'
  }
  return undefined
}

export const isDocumentPath = (value: unknown): value is string => typeof value === 'string' && !isContent(value)

const homeMark = /^~(?=$|[/\\])/

// A path is relative to the folder of the file that held it; ~ is the home folder. What is no path stays as it is.
export const resolveDocumentPath = (text: string, folder: string): string =>
  isContent(text) || findPathProblem(text)
    ? text
    : path.resolve(
        folder,
        text.replace(homeMark, () => os.homedir()),
      )
