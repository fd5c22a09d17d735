// Images of documents: their format, detected from the first bytes since file names prove nothing, whether they are complete and
// large enough, and a sample for the sandbox.
import {crc32, deflateSync} from 'node:zlib'
import {imageSize} from 'image-size'
import {limits} from '../contract/vocabulary.ts'
import type {Problem} from '../contract/problems.ts'

type Mime = 'image/jpeg' | 'image/png' | 'application/pdf'

interface DocumentFormat {
  mime: Mime
  name: string
  // The first bytes of every file in this format.
  signature: Buffer
  isComplete: (bytes: Buffer) => boolean
  hasPixels: boolean
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
  {
    mime: 'image/jpeg',
    name: 'JPEG',
    signature: Buffer.from([0xff, 0xd8, 0xff]),
    isComplete: isCompleteJpeg,
    hasPixels: true,
  },
  {
    mime: 'image/png',
    name: 'PNG',
    signature: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    isComplete: isCompletePng,
    hasPixels: true,
  },
  {mime: 'application/pdf', name: 'PDF', signature: Buffer.from('%PDF-'), isComplete: isCompletePdf, hasPixels: false},
]

const beginsWith = (bytes: Buffer, signature: Buffer) => bytes.subarray(0, signature.length).equals(signature)

export const detectFormat = (bytes: Buffer): DocumentFormat | undefined =>
  documentFormats.find(({signature: begins}) => beginsWith(bytes, begins))

// What phones write that the service does not take.
const isHeic = (bytes: Buffer) => /^.{4}ftyp(?:hei|hev|mif|msf)/s.test(bytes.toString('latin1', 0, 12))

// As in the limits of the contract.
const kilobyte = 1000
const megabyte = 1024 * 1024

const dataUriPrefix = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+);base64,/i
const base64 = /^[A-Za-z0-9+/]*={0,2}$/
const base64Group = 4
const bytesPerGroup = 3

// What is said of a file that is not accepted.
const documentMessages = {
  tooSmall: `at least ${limits.documentBytesMin / kilobyte} KB are needed: scan or photograph it again with more detail`,
  tooLarge: `at most ${limits.documentBytesMax / megabyte} MB are allowed: save it again at a lower resolution`,
  heic: 'is HEIC, and must be JPG, PNG or PDF: save or export it as JPG, not as a screenshot',
  otherFormat: 'is not a JPG, PNG or PDF file, whatever its name says: save or export it as one of them',
  damaged: 'cannot be read because the image is damaged: copy or photograph it again',
  tooFewPixels: `at least ${limits.documentPixelsMin}x${limits.documentPixelsMin} are needed: scan or photograph it again from closer`,
}

export function validateDocumentSize(path: string, bytes: number): Problem | undefined {
  if (bytes < limits.documentBytesMin) {
    return {path, message: `is too small: ${bytes} bytes, and ${documentMessages.tooSmall}`}
  }
  if (bytes > limits.documentBytesMax) {
    return {path, message: `is too large: ${bytes} bytes, and ${documentMessages.tooLarge}`}
  }
  return undefined
}

function validatePixels(path: string, bytes: Buffer): Problem | undefined {
  let size: {width: number; height: number}
  try {
    size = imageSize(bytes)
  } catch {
    return {path, message: documentMessages.damaged}
  }
  const {width, height} = size
  const least = limits.documentPixelsMin
  if (width >= least && height >= least) return undefined
  return {
    path,
    message: `has ${width}x${height} pixels, and ${documentMessages.tooFewPixels}`,
  }
}

function validateContent(path: string, format: DocumentFormat, bytes: Buffer): Problem | undefined {
  if (!format.isComplete(bytes))
    return {path, message: 'is incomplete: the end of the file is missing, so copy it again'}
  return format.hasPixels ? validatePixels(path, bytes) : undefined
}

export function validateDocumentBytes(path: string, bytes: Buffer): Problem | undefined {
  const format = detectFormat(bytes)
  // Verification rejects screenshots, so the message advises against them.
  if (!format) return {path, message: isHeic(bytes) ? documentMessages.heic : documentMessages.otherFormat}
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

// The sample: grey stripes, in a format and a size that verification accepts.
const [width, height, stripeHeight] = [640, 420, 30]

function createChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

// A PNG whose pixels are not compressed: the service accepts no document of less than 100 KB.
export function createSampleDocument(): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const rows = Array.from({length: height}, (_, y) =>
    Buffer.concat([Buffer.from([0]), Buffer.alloc(width, y % (2 * stripeHeight) < stripeHeight ? 228 : 150)]),
  )
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    createChunk('IHDR', header),
    createChunk('IDAT', deflateSync(Buffer.concat(rows), {level: 0})),
    createChunk('IEND', Buffer.alloc(0)),
  ])
}
