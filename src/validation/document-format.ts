// Tells the format of a document by its first bytes, and whether it is there to its last; a name proves nothing.

type Mime = 'image/jpeg' | 'image/png' | 'application/pdf'

export interface DocumentFormat {
  mime: Mime
  name: string
  // The bytes with which every such file begins.
  signature: Buffer
  isComplete: (bytes: Buffer) => boolean
  hasPixels: boolean
}

const kilobyte = 1024

// A PNG is a row of chunks: the length of the content, the kind, the content, a checksum. The last is of the kind IEND.
const pngSignatureBytes = 8
const pngLengthBytes = 4
const pngKindBytes = 4
const pngChecksumBytes = 4

function isCompletePng(bytes: Buffer): boolean {
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

function isCompleteJpeg(bytes: Buffer): boolean {
  let at = jpegMarkBytes
  while (at + jpegMarkBytes + jpegLengthBytes <= bytes.length && bytes[at] === jpegFill) {
    const mark = bytes[at + 1]
    if (mark === jpegScan) return bytes.indexOf(jpegEnd, at) !== -1
    at += mark === jpegFill ? 1 : jpegMarkBytes + bytes.readUInt16BE(at + jpegMarkBytes)
  }
  return false
}

// Readers look for the mark of the end of a PDF in its last kilobyte, and so does this.
const isCompletePdf = (bytes: Buffer) => bytes.subarray(-kilobyte).includes('%%EOF')

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

type Mark = readonly [at: number, letters: string]

// What phones, scanners and office programs write instead, by the letters that stand in certain places of the file.
const foreignFormats: ReadonlyArray<readonly [name: string, ...marks: Mark[]]> = [
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

// As much of a file as its format shows in.
export const formatBytesMax = 64

// The name of a format that is well known and not taken.
export function detectForeignFormat(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, formatBytesMax)
  return foreignFormats.find(([, ...marks]) => marks.every(([at, letters]) => head.startsWith(letters, at)))?.[0]
}
