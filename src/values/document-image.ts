// Validates document images, as bytes or data URIs: format, completeness, file size and dimensions.
import {imageSize} from 'image-size'
import {limits} from '../contract/limits.ts'
import type {Problem} from '../contract/problems.ts'
import {type DocumentFormat, documentFormats, detectForeignFormat, detectFormat} from './document-format.ts'

// As in the limits of the contract.
const kilobyte = 1000
const megabyte = 1024 * 1024

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

// The message advises against screenshots, because verification rejects them.
export function validateDocumentFormat(path: string, head: Buffer): Problem | undefined {
  if (detectFormat(head)) return undefined
  const name = detectForeignFormat(head)
  const message = name
    ? `is ${name}, and must be JPG, PNG or PDF: save or export it as JPG, not as a screenshot`
    : 'is not a JPG, PNG or PDF file, whatever its name says: save or export it as one of them'
  return {path, message}
}

function validatePixels(path: string, bytes: Buffer): Problem | undefined {
  let size: {width: number; height: number}
  try {
    size = imageSize(bytes)
  } catch {
    return {path, message: 'cannot be read because the image is damaged: copy or photograph it again'}
  }
  const {width, height} = size
  const least = limits.documentPixelsMin
  if (width >= least && height >= least) return undefined
  return {
    path,
    message: `has ${width}x${height} pixels, and at least ${least}x${least} are needed: scan or photograph it again from closer`,
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
