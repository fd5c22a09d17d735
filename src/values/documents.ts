// Images of documents: their format, detected from the first bytes since file names prove nothing, whether they are complete and
// large enough, and a sample for the sandbox.
import {imageSize} from 'image-size'
import {kilobyte, limits, megabyte} from '../contract/vocabulary.ts'
import type {Problem} from '../contract/problems.ts'

interface DocumentFormat {
  mime: string
  name: string
  // The first bytes of every file in this format.
  signature: Buffer
  isComplete: (bytes: Buffer) => boolean
}

// The last chunk of a PNG is its type and a checksum of four bytes. What cameras append follows it.
function isCompletePng(bytes: Buffer): boolean {
  const at = bytes.lastIndexOf('IEND')
  return at !== -1 && at + 8 <= bytes.length
}

// The thumbnail of a JPEG has an end marker of its own, and stands before the image.
const isCompleteJpeg = (bytes: Buffer) => bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > bytes.length / 2

// PDF readers look for the end marker here.
const pdfEndBytes = 1024
const isCompletePdf = (bytes: Buffer) => bytes.subarray(-pdfEndBytes).includes('%%EOF')

export const documentFormats: readonly DocumentFormat[] = [
  {mime: 'image/jpeg', name: 'JPEG', signature: Buffer.from('ffd8ff', 'hex'), isComplete: isCompleteJpeg},
  {mime: 'image/png', name: 'PNG', signature: Buffer.from('89504e470d0a1a0a', 'hex'), isComplete: isCompletePng},
  {mime: 'application/pdf', name: 'PDF', signature: Buffer.from('%PDF-'), isComplete: isCompletePdf},
]

export const detectFormat = (bytes: Buffer): DocumentFormat | undefined =>
  documentFormats.find(({signature}) => bytes.subarray(0, signature.length).equals(signature))

// What phones write that the service does not take.
const isHeic = (bytes: Buffer) => /^.{4}ftyp(?:hei|hev|mif|msf)/s.test(bytes.toString('latin1', 0, 12))

const dataUriPrefix = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+);base64,/i
const base64 = /^[A-Za-z0-9+/]*={0,2}$/
const base64Group = 4
const bytesPerGroup = 3

export function validateDocumentSize(path: string, bytes: number): Problem | undefined {
  if (bytes < limits.documentBytesMin) {
    const least = `at least ${limits.documentBytesMin / kilobyte} KB are needed`
    return {path, message: `is too small: ${bytes} bytes, and ${least}: scan or photograph it again with more detail`}
  }
  if (bytes > limits.documentBytesMax) {
    const most = `at most ${limits.documentBytesMax / megabyte} MB are allowed`
    return {path, message: `is too large: ${bytes} bytes, and ${most}: save it again at a lower resolution`}
  }
  return undefined
}

function validatePixels(path: string, bytes: Buffer): Problem | undefined {
  const least = limits.documentPixelsMin
  try {
    const {width, height} = imageSize(bytes)
    if (width >= least && height >= least) return undefined
    const needed = `at least ${least}x${least} are needed: scan or photograph it again from closer`
    return {path, message: `has ${width}x${height} pixels, and ${needed}`}
  } catch {
    return {path, message: 'cannot be read because the image is damaged: copy or photograph it again'}
  }
}

function validateContent(path: string, format: DocumentFormat, bytes: Buffer): Problem | undefined {
  if (!format.isComplete(bytes))
    return {path, message: 'is incomplete: the end of the file is missing, so copy it again'}
  return format.name === 'PDF' ? undefined : validatePixels(path, bytes)
}

export function validateDocumentBytes(path: string, bytes: Buffer): Problem | undefined {
  const format = detectFormat(bytes)
  // Verification rejects screenshots, so the message advises against them.
  const heic = 'is HEIC, and must be JPG, PNG or PDF: save or export it as JPG, not as a screenshot'
  const other = 'is not a JPG, PNG or PDF file, whatever its name says: save or export it as one of them'
  if (!format) return {path, message: isHeic(bytes) ? heic : other}
  return validateDocumentSize(path, bytes.length) ?? validateContent(path, format, bytes)
}

export function validateDocumentImage(path: string, uri: string): Problem | undefined {
  const [prefix, mime = ''] = dataUriPrefix.exec(uri) ?? []
  if (prefix === undefined) return {path, message: 'must be a base64 data URI, data:<mime-type>;base64,…'}
  const stated = documentFormats.find((format) => format.mime === mime.toLowerCase())
  if (!stated) {
    return {path, message: `is ${mime}, and must be one of ${documentFormats.map((format) => format.mime).join(', ')}`}
  }
  const encoded = uri.slice(prefix.length)
  if (encoded.length % base64Group !== 0 || !base64.test(encoded)) return {path, message: 'is not well-formed base64'}
  const padding = encoded.endsWith('==') ? 2 : encoded.endsWith('=') ? 1 : 0
  // Checks the size before decoding, so that a file that is too large costs no memory.
  const wrongSize = validateDocumentSize(path, (encoded.length / base64Group) * bytesPerGroup - padding)
  if (wrongSize) return wrongSize
  const bytes = Buffer.from(encoded, 'base64')
  const actual = detectFormat(bytes)
  if (actual === stated) return validateContent(path, stated, bytes)
  const content = actual?.name ?? 'something else'
  return {path, message: `is declared as ${stated.name}, but its content is ${content}`}
}

// Stripes of 640 by 420 pixels.
const stripes =
  'iVBORw0KGgoAAAANSUhEUgAAAoAAAAGkAQAAAACJY6kzAAAAg0lEQVR42u3YMQ0AAAgDwfo3DQkCmAjTnYCfm6aORVBQUFBQUFBQcAkCAPDJghUUFBQUFBQU9H0BAPi+LFhBQUFBQUFBQd8XAIDvS1BQUFBQUFBQ0PcFAOD7EhQUFBQUFBT0fQEA4PsSFBQUFBQUFPR9AQDg+xIUFBQUFBQU9H0BADAa8oRiMMCozGAAAAAASUVORK5CYII='

// The service accepts no document of less than 100 KB, and programs ignore what follows the end of a PNG.
export const createSampleDocument = (): Buffer =>
  Buffer.concat([Buffer.from(stripes, 'base64'), Buffer.alloc(limits.documentBytesMin)])
