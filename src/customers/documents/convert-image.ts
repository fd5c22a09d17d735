// Converts a picture to a JPEG that the service accepts: upright, and within the size limits. The image library for this is
// optional; svc works without it.
import {SvcError} from '../../errors.ts'
import {readRegularFile} from '../../storage/read-regular-file.ts'
import {validateDocumentBytes} from '../../values/documents.ts'

// The part of the library `sharp` that is used here.
interface SharpImage {
  rotate(): SharpImage
  resize(size: {width: number; height: number; fit: 'inside'; withoutEnlargement: boolean}): SharpImage
  flatten(options: {background: string}): SharpImage
  jpeg(options: {quality: number; chromaSubsampling?: string}): SharpImage
  toBuffer(): Promise<Buffer>
}

export type ImageLibrary = (input: Buffer, options?: {failOn?: string}) => SharpImage

// A variable, so that neither the compiler nor the bundler tries to resolve the module.
const libraryName = 'sharp'

export async function loadImageLibrary(): Promise<ImageLibrary | undefined> {
  try {
    const {default: library} = (await import(libraryName)) as {default: ImageLibrary}
    return library
  } catch {
    // Not installed, or not built for this platform. The caller says that pictures cannot be converted.
    return undefined
  }
}

interface JpegSettings {
  pixelsMax: number
  quality: number
  chromaSubsampling?: string
}

// The first settings whose result is small enough are used.
const settingsBestFirst: readonly JpegSettings[] = [
  {pixelsMax: 6000, quality: 90},
  {pixelsMax: 4000, quality: 85},
  {pixelsMax: 3000, quality: 80},
  {pixelsMax: 2000, quality: 75},
]

// For a picture whose file would be too small: as much detail as JPEG can hold.
const finestSettings: JpegSettings = {pixelsMax: 6000, quality: 100, chromaSubsampling: '4:4:4'}

async function encodeJpeg(
  library: ImageLibrary,
  input: Buffer,
  {pixelsMax, ...options}: JpegSettings,
): Promise<Buffer> {
  return library(input, {failOn: 'error'})
    .rotate()
    .resize({width: pixelsMax, height: pixelsMax, fit: 'inside', withoutEnlargement: true})
    .flatten({background: '#ffffff'})
    .jpeg(options)
    .toBuffer()
}

// What both readings of KB and MB accept (docs/assumptions.md, C17).
const imageBytesMin = 100 * 1024
const imageBytesMax = 10 * 1000 * 1000

async function encodeWithinLimits(library: ImageLibrary, input: Buffer): Promise<Buffer> {
  let image: Buffer = Buffer.alloc(0)
  for (const settings of settingsBestFirst) {
    image = await encodeJpeg(library, input, settings)
    if (image.length <= imageBytesMax) break
  }
  return image.length < imageBytesMin ? encodeJpeg(library, input, finestSettings) : image
}

export type Conversion = {image: Buffer} | {problem: string}

const unreadableImage =
  'cannot be read by the image library either: open it and export it as JPG (on an iPhone: Settings, Camera, Formats, Most Compatible; on a Mac: sips -s format jpeg FILE --out NEW.jpg)'

const unusableFile = 'is too large to convert, or is no longer a regular file: save it again in a lower resolution'

// Returns a valid JPEG, or the problem as the end of a sentence that starts with "It". The file is not changed.
export async function convertImage(library: ImageLibrary, file: string): Promise<Conversion> {
  try {
    const input = readRegularFile(file)
    const image = await encodeWithinLimits(library, input)
    const problem = validateDocumentBytes('', image)
    return problem ? {problem: `was converted, but it ${problem.message}`} : {image}
  } catch (error) {
    // Too large, or replaced by something else than a file since it was named.
    if (error instanceof SvcError) return {problem: unusableFile}
    // The library's message is about codecs, which does not help the user.
    return {problem: unreadableImage}
  }
}
