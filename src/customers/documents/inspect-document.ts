// Judges a file that a person names as a document: whether it is taken, and whether converting it would cure it.
import fs from 'node:fs/promises'
import {imageSize} from 'image-size'
import {detectForeignFormat, formatBytesMax, detectFormat} from '../../validation/document-format.ts'
import {limits} from '../../contract/limits.ts'
import {readDocumentBytes} from './document-file.ts'

export interface DocumentInspection {
  // What is wrong with it, as the end of a sentence that begins with "It".
  problem?: string
  // Taken as it is, but it lies on its side or head: the camera only noted how to turn it.
  isTurned?: boolean
  // A picture that a conversion may cure.
  isConvertible: boolean
}

// The formats of pictures among those that are known and not taken.
const pictures: ReadonlySet<string> = new Set(['HEIC', 'AVIF', 'WEBP', 'GIF', 'TIFF', 'BMP', 'JPEG XL', 'JPEG 2000'])

async function isConvertiblePicture(file: string): Promise<boolean> {
  const handle = await fs.open(file)
  try {
    const {buffer, bytesRead} = await handle.read(Buffer.alloc(formatBytesMax), 0, formatBytesMax, 0)
    const head = buffer.subarray(0, bytesRead)
    const {size} = await handle.stat()
    const isTooLarge = detectFormat(head)?.hasPixels === true && size > limits.documentBytesMax
    return isTooLarge || pictures.has(detectForeignFormat(head) ?? '')
  } finally {
    await handle.close()
  }
}

// EXIF counts the ways to turn a picture from 1, which is none.
const upright = 1

const isTurned = (bytes: Buffer) =>
  detectFormat(bytes)?.mime === 'image/jpeg' && (imageSize(bytes).orientation ?? upright) > upright

export async function inspectDocument(file: string): Promise<DocumentInspection> {
  const found = await readDocumentBytes('', file)
  if (Buffer.isBuffer(found)) {
    const turned = isTurned(found)
    return {isTurned: turned, isConvertible: turned}
  }
  const isFile = await fs.stat(file).then(
    (facts) => facts.isFile(),
    () => false,
  )
  return {problem: found.message, isConvertible: isFile && (await isConvertiblePicture(file))}
}
