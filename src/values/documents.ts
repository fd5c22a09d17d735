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

// A PNG is a sequence of chunks: content length, type, content, checksum. The last chunk has the type IEND.
const pngSignatureBytes = 8
const pngLengthBytes = 4
const pngTypeBytes = 4
const pngChecksumBytes = 4

function isCompletePng(bytes: Buffer): boolean {
  let at = pngSignatureBytes
  while (at + pngLengthBytes + pngTypeBytes + pngChecksumBytes <= bytes.length) {
    const typeAt = at + pngLengthBytes
    const next = typeAt + pngTypeBytes + bytes.readUInt32BE(at) + pngChecksumBytes
    if (bytes.toString('latin1', typeAt, typeAt + pngTypeBytes) === 'IEND') return next <= bytes.length
    at = next
  }
  return false
}

// A JPEG is a sequence of segments up to the scan. The end marker follows the scan, and cameras may append more data.
const jpegScan = 0xda
const jpegFill = 0xff
const jpegMarkerBytes = 2
const jpegLengthBytes = 2
const jpegEnd = Buffer.from([0xff, 0xd9])

function isCompleteJpeg(bytes: Buffer): boolean {
  let at = jpegMarkerBytes
  while (at + jpegMarkerBytes + jpegLengthBytes <= bytes.length && bytes[at] === jpegFill) {
    const marker = bytes[at + 1]
    if (marker === jpegScan) return bytes.indexOf(jpegEnd, at) !== -1
    at += marker === jpegFill ? 1 : jpegMarkerBytes + bytes.readUInt16BE(at + jpegMarkerBytes)
  }
  return false
}

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

type Marker = readonly [offset: number, characters: string]

// Formats that phones, scanners and office programs write, recognized by characters at fixed offsets.
const foreignFormats: ReadonlyArray<readonly [name: string, ...markers: Marker[]]> = [
  ...['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'].map(
    (brand) => ['HEIC', [4, `ftyp${brand}`]] as const,
  ),
  ['AVIF', [4, 'ftypavif']],
  ['WEBP', [0, 'RIFF'], [8, 'WEBP']],
  ['GIF', [0, 'GIF87a']],
  ['GIF', [0, 'GIF89a']],
  ['TIFF', [0, 'II*\0']],
  ['TIFF', [0, 'MM\0*']],
  ['BMP', [0, 'BM'], [6, '\0\0\0\0']],
  ['JPEG XL', [0, '\u00ff\n']],
  ['JPEG XL', [0, '\0\0\0\fJXL ']],
  ['JPEG 2000', [0, '\0\0\0\fjP  ']],
  ['a video', [4, 'ftyp']],
  ['an archive or an office document', [0, 'PK\u0003\u0004']],
  ['a web page', [0, '<!DOCTYPE']],
  ['a web page', [0, '<!doctype']],
  ['a web page', [0, '<html']],
  ['an SVG drawing', [0, '<svg']],
]

// Enough of a file to detect its format.
export const formatBytesMax = 64

// The name of a well-known format that the service does not accept.
export function detectForeignFormat(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, formatBytesMax)
  return foreignFormats.find(([, ...markers]) =>
    markers.every(([offset, characters]) => head.startsWith(characters, offset)),
  )?.[0]
}

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

// The message advises against screenshots, because verification rejects them.
export function validateDocumentFormat(path: string, head: Buffer): Problem | undefined {
  if (detectFormat(head)) return undefined
  const name = detectForeignFormat(head)
  const message = name
    ? `is ${name}, and must be JPG, PNG or PDF: save or export it as JPG, not as a screenshot`
    : documentMessages.otherFormat
  return {path, message}
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
  if (!format) return validateDocumentFormat(path, bytes)
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
  const content = actual?.name ?? detectForeignFormat(bytes) ?? 'something else'
  return {path, message: `is declared as ${stated.name}, but its content is ${content}`}
}

// The sample: a picture of an invented passport, marked as a specimen, that verification accepts.
const width = 640
const height = 420

const shades = {paper: 228, frame: 96, ink: 48, portrait: 150, line: 190}

// Seven rows of five pixels for each letter.
const letters: Readonly<Record<string, readonly string[]>> = {
  C: ['.###.', '#...#', '#....', '#....', '#....', '#...#', '.###.'],
  E: ['#####', '#....', '#....', '####.', '#....', '#....', '#####'],
  I: ['#####', '..#..', '..#..', '..#..', '..#..', '..#..', '#####'],
  M: ['#...#', '##.##', '#.#.#', '#...#', '#...#', '#...#', '#...#'],
  N: ['#...#', '##..#', '#.#.#', '#..##', '#...#', '#...#', '#...#'],
  P: ['####.', '#...#', '#...#', '####.', '#....', '#....', '#....'],
  S: ['.####', '#....', '#....', '.###.', '....#', '....#', '####.'],
}
const word = 'SPECIMEN'
const letterPixels = 9
const letterWidth = 6

type Canvas = Uint8Array

function fill(canvas: Canvas, [left, top, right, bottom]: readonly [number, number, number, number], shade: number) {
  for (let y = top; y < bottom; y++) canvas.fill(shade, y * width + left, y * width + right)
}

function drawWord(canvas: Canvas, left: number, top: number): void {
  for (const [index, letter] of Array.from(word).entries()) {
    for (const [row, pixels] of (letters[letter] ?? []).entries()) {
      for (const [column, pixel] of Array.from(pixels).entries()) {
        const x = left + (index * letterWidth + column) * letterPixels
        const y = top + row * letterPixels
        if (pixel === '#') fill(canvas, [x, y, x + letterPixels, y + letterPixels], shades.ink)
      }
    }
  }
}

// A head and shoulders, and lines where a passport has its text.
function drawPage(): Canvas {
  const canvas = new Uint8Array(width * height).fill(shades.paper)
  for (const edge of [0, width - 6]) fill(canvas, [edge, 0, edge + 6, height], shades.frame)
  for (const edge of [0, height - 6]) fill(canvas, [0, edge, width, edge + 6], shades.frame)
  for (let y = 150; y < 340; y++) {
    for (let x = 50; x < 220; x++) {
      const isHead = (x - 135) ** 2 + (y - 205) ** 2 < 45 ** 2
      const isShoulder = ((x - 135) / 75) ** 2 + ((y - 340) / 75) ** 2 < 1
      if (isHead || isShoulder) canvas[y * width + x] = shades.portrait
    }
  }
  for (let line = 0; line < 5; line++)
    fill(canvas, [260, 165 + line * 36, 580 - line * 40, 177 + line * 36], shades.line)
  for (const y of [362, 384]) fill(canvas, [40, y, 600, y + 10], shades.frame)
  drawWord(canvas, 104, 50)
  return canvas
}

function createChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

// A PNG whose pixels are not compressed: the service accepts no document of less than 100 KB.
export function createSampleDocument(): Buffer {
  const canvas = drawPage()
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const rows = Array.from({length: height}, (_, y) => [
    Buffer.from([0]),
    Buffer.from(canvas.subarray(y * width, (y + 1) * width)),
  ])
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    createChunk('IHDR', header),
    createChunk('IDAT', deflateSync(Buffer.concat(rows.flat()), {level: 0})),
    createChunk('IEND', Buffer.alloc(0)),
  ])
}
