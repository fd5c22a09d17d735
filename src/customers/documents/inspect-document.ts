// Inspects a file named as a document: whether it is valid, and whether a conversion would make it valid.
import fs from 'node:fs/promises'
import {imageSize} from 'image-size'
import {limits} from '../../contract/limits.ts'
import {detectForeignFormat, formatBytesMax, detectFormat} from '../../values/documents.ts'
import {readDocumentBytes} from './document-file.ts'

export interface DocumentInspection {
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
