// Detects the format of a document from its first bytes, and whether the file is complete. File names prove nothing.

type Mime = 'image/jpeg' | 'image/png' | 'application/pdf'

export interface DocumentFormat {
  mime: Mime
  name: string
  // The first bytes of every file in this format.
  signature: Buffer
  isComplete: (bytes: Buffer) => boolean
  hasPixels: boolean
}

const kilobyte = 1024

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

// PDF readers look for the end marker in the last kilobyte.
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
