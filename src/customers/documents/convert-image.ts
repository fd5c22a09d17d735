// Makes a picture fit to be a document: turned the right way up, as JPEG, and of a size that is taken. The image library
// that does it is optional, and svc is whole without it.
import fs from 'node:fs/promises'
import {validateDocumentBytes} from '../../validation/document-image.ts'
import {limits} from '../../contract/limits.ts'

// As much of the library `sharp` as is used here.
interface Picture {
  rotate(): Picture
  resize(size: {width: number; height: number; fit: 'inside'; withoutEnlargement: boolean}): Picture
  flatten(ground: {background: string}): Picture
  jpeg(how: {quality: number; chromaSubsampling?: string}): Picture
  toBuffer(): Promise<Buffer>
}

export type ImageLibrary = (input: Buffer, how?: {failOn?: string}) => Picture

// By its name in a variable, so that neither the compiler nor the bundler needs it to be there.
const libraryName = 'sharp'

export async function loadImageLibrary(): Promise<ImageLibrary | undefined> {
  try {
    const {default: library} = (await import(libraryName)) as {default: ImageLibrary}
    return library
  } catch {
    // Not installed, or not made for this machine: then pictures are not converted, and the caller says so.
    return undefined
  }
}

const megabyte = 1024 * 1024

// More than any phone or scanner writes, and little enough to be held in memory.
const inputBytesMax = 200 * megabyte

interface JpegSettings {
  pixelsMax: number
  quality: number
  chromaSubsampling?: string
}

// From the best to the smallest. The first that is small enough is taken.
const settingsBestFirst: readonly JpegSettings[] = [
  {pixelsMax: 6000, quality: 90},
  {pixelsMax: 4000, quality: 85},
  {pixelsMax: 3000, quality: 80},
  {pixelsMax: 2000, quality: 75},
]

// For a picture that would become too small a file: as much detail as the format can hold.
const finestSettings: JpegSettings = {pixelsMax: 6000, quality: 100, chromaSubsampling: '4:4:4'}

async function encodeJpeg(library: ImageLibrary, input: Buffer, {pixelsMax, ...how}: JpegSettings): Promise<Buffer> {
  return library(input, {failOn: 'error'})
    .rotate()
    .resize({width: pixelsMax, height: pixelsMax, fit: 'inside', withoutEnlargement: true})
    .flatten({background: '#ffffff'})
    .jpeg(how)
    .toBuffer()
}

async function encodeWithinLimits(library: ImageLibrary, input: Buffer): Promise<Buffer> {
  let image: Buffer = Buffer.alloc(0)
  for (const attempt of settingsBestFirst) {
    image = await encodeJpeg(library, input, attempt)
    if (image.length <= limits.documentBytesMax) break
  }
  return image.length < limits.documentBytesMin ? encodeJpeg(library, input, finestSettings) : image
}

export type Conversion = {image: Buffer} | {problem: string}

const unreadableImage =
  'cannot be read by the image library either: open it and export it as JPG (on an iPhone: Settings, Camera, Formats, Most Compatible; on a Mac: sips -s format jpeg FILE --out NEW.jpg)'

// The picture as a JPEG that keeps to every rule, or why there is none. The file itself stays as it is.
export async function convertImage(library: ImageLibrary, file: string): Promise<Conversion> {
  const {size} = await fs.stat(file)
  if (size > inputBytesMax) return {problem: 'is too large to be converted: save it again in a lower resolution'}
  const input = await fs.readFile(file)
  try {
    const image = await encodeWithinLimits(library, input)
    const problem = validateDocumentBytes('', image)
    return problem ? {problem: `was converted, and still it ${problem.message}`} : {image}
  } catch {
    // The library names formats and codecs, which helps nobody who only wants to send a picture.
    return {problem: unreadableImage}
  }
}
