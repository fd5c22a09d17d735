// Judges the image of a document: a data URI whose content is what its prefix says, whole, and of the right size.
import {imageSize} from 'image-size'
import {limits} from '../contract/limits.ts'
import type {Problem} from '../contract/problems.ts'

type Mime = 'image/jpeg' | 'image/png' | 'application/pdf'

interface Kind {
  name: string
  // The bytes with which every such file begins.
  begins: Buffer
  isWhole: (bytes: Buffer) => boolean
  hasPixels: boolean
}

const kilobyte = 1024
const megabyte = 1024 * kilobyte

// A PNG is a row of chunks: the length of the content, the kind, the content, a checksum. The last is of the kind IEND.
const pngSignatureBytes = 8
const pngLengthBytes = 4
const pngKindBytes = 4
const pngChecksumBytes = 4

function isWholePng(bytes: Buffer): boolean {
  let at = pngSignatureBytes
  while (at + pngLengthBytes + pngKindBytes + pngChecksumBytes <= bytes.length) {
    const kindAt = at + pngLengthBytes
    const next = kindAt + pngKindBytes + bytes.readUInt32BE(at) + pngChecksumBytes
    if (bytes.toString('latin1', kindAt, kindAt + pngKindBytes) === 'IEND') return next <= bytes.length
    at = next
  }
  return false
}

// A JPEG is a row of segments up to the scan; the mark of the end comes after the scan, and cameras write more behind it.
const jpegScan = 0xda
const jpegFill = 0xff
const jpegMarkBytes = 2
const jpegLengthBytes = 2
const jpegEnd = Buffer.from([0xff, 0xd9])

function isWholeJpeg(bytes: Buffer): boolean {
  let at = jpegMarkBytes
  while (at + jpegMarkBytes + jpegLengthBytes <= bytes.length && bytes[at] === jpegFill) {
    const mark = bytes[at + 1]
    if (mark === jpegScan) return bytes.indexOf(jpegEnd, at) !== -1
    at += mark === jpegFill ? 1 : jpegMarkBytes + bytes.readUInt16BE(at + jpegMarkBytes)
  }
  return false
}

// Readers look for the mark of the end of a PDF in its last kilobyte, and so does this.
const isWholePdf = (bytes: Buffer) => bytes.subarray(-kilobyte).includes('%%EOF')

const kinds: Readonly<Record<Mime, Kind>> = {
  'image/jpeg': {name: 'JPEG', begins: Buffer.from([0xff, 0xd8, 0xff]), isWhole: isWholeJpeg, hasPixels: true},
  'image/png': {
    name: 'PNG',
    begins: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    isWhole: isWholePng,
    hasPixels: true,
  },
  'application/pdf': {name: 'PDF', begins: Buffer.from('%PDF-'), isWhole: isWholePdf, hasPixels: false},
}

const form = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+);base64,/i
const base64 = /^[A-Za-z0-9+/]*={0,2}$/
const base64Group = 4
const bytesPerGroup = 3

const wrong = (message: string) => ({message})

function wrongSize(bytes: number) {
  if (bytes < limits.documentBytesMin) {
    return wrong(`is too small: ${bytes} bytes, and at least ${limits.documentBytesMin / kilobyte} KB are needed`)
  }
  if (bytes > limits.documentBytesMax) {
    return wrong(`is too large: ${bytes} bytes, and at most ${limits.documentBytesMax / megabyte} MB are taken`)
  }
  return undefined
}

function wrongPixels(bytes: Buffer) {
  let size: {width: number; height: number}
  try {
    size = imageSize(bytes)
  } catch {
    return wrong('cannot be read: the image is damaged')
  }
  const {width, height} = size
  const least = limits.documentPixelsMin
  if (width >= least && height >= least) return undefined
  return wrong(`has ${width}x${height} pixels, and at least ${least}x${least} are needed`)
}

function wrongContent(kind: Kind, bytes: Buffer) {
  if (!bytes.subarray(0, kind.begins.length).equals(kind.begins)) {
    const actual = Object.values(kinds).find(({begins}) => bytes.subarray(0, begins.length).equals(begins))
    return wrong(`says that it is ${kind.name}, and its content is ${actual?.name ?? 'something else'}`)
  }
  if (!kind.isWhole(bytes)) return wrong('is cut off: the end of the file is missing')
  return kind.hasPixels ? wrongPixels(bytes) : undefined
}

function wrongIn(uri: string) {
  const [prefix, mime = ''] = form.exec(uri) ?? []
  if (prefix === undefined) return wrong('must be a base64 data URI, data:<mime-type>;base64,…')
  const kind = (kinds as Readonly<Record<string, Kind>>)[mime.toLowerCase()]
  if (!kind) return wrong(`is ${mime}, and must be one of ${Object.keys(kinds).join(', ')}`)
  const encoded = uri.slice(prefix.length)
  if (encoded.length % base64Group !== 0 || !base64.test(encoded)) return wrong('is not well-formed base64')
  const padding = encoded.endsWith('==') ? 2 : encoded.endsWith('=') ? 1 : 0
  // The size is known before anything is decoded, so that what is too large costs nothing more.
  return (
    wrongSize((encoded.length / base64Group) * bytesPerGroup - padding) ??
    wrongContent(kind, Buffer.from(encoded, 'base64'))
  )
}

export function documentImageProblem(path: string, uri: string): Problem | undefined {
  const found = wrongIn(uri)
  return found && {path, ...found}
}
