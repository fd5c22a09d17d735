// Creates document images for the tests: real PNG, JPEG and PDF files of a given size, identical on every machine.
import {createHash} from 'node:crypto'
import {crc32, deflateSync} from 'node:zlib'

const kilobyte = 1024

// Deterministic bytes that do not compress.
function noise(count: number): Buffer {
  const blocks: Buffer[] = []
  for (let block = 0; block * 64 < count; block++) {
    blocks.push(createHash('sha512').update(`noise ${block}`).digest())
  }
  return Buffer.concat(blocks).subarray(0, count)
}

interface Size {
  width?: number
  height?: number
  // The minimum size of the file. A comment fills what the pixels do not.
  bytes?: number
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const whole = Buffer.alloc(4 + body.length + 4)
  whole.writeUInt32BE(content.length, 0)
  body.copy(whole, 4)
  whole.writeUInt32BE(crc32(body), 4 + body.length)
  return whole
}

// Grey noise, so that the pixels do not compress to almost nothing.
export function png({width = 200, height = 200, bytes = 0}: Size = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const pixels = noise(width * height)
  const rows = Array.from({length: height}, (_, y) =>
    Buffer.concat([Buffer.from([0]), pixels.subarray(y * width, (y + 1) * width)]),
  )
  const parts = [
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows), {level: 1})),
  ]
  const end = chunk('IEND', Buffer.alloc(0))
  const missing = bytes - Buffer.concat([...parts, end]).length
  const chunkOverhead = 12
  if (missing > 0) parts.push(chunk('tEXt', noise(Math.max(0, missing - chunkOverhead))))
  return Buffer.concat([...parts, end])
}

const segment = (marker: number, content: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

// The structure of a baseline JPEG of one component, whose scan cannot contain a marker.
export function jpeg({width = 200, height = 200, bytes = 0}: Size = {}): Buffer {
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 1)
  frame.writeUInt16BE(width, 3)
  const head = Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    segment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 1)])),
    segment(0xc0, frame),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
  ])
  const end = Buffer.from([0xff, 0xd9])
  const scan = noise(Math.max(kilobyte, bytes - head.length - end.length)).map((byte) => byte & 0x7f)
  return Buffer.concat([head, scan, end])
}

export function pdf({bytes = 0}: {bytes?: number} = {}): Buffer {
  const head = Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%', 'latin1')
  const end = Buffer.from('\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n', 'latin1')
  const filling = Buffer.alloc(Math.max(0, bytes - head.length - end.length), 'svc ')
  return Buffer.concat([head, filling, end])
}

const mimes = {png: 'image/png', jpeg: 'image/jpeg', pdf: 'application/pdf'}

export const dataUri = (content: Buffer, mime: string) => `data:${mime};base64,${content.toString('base64')}`

const makers = {png, jpeg, pdf}

// A valid document image, unless `size` makes it invalid.
export const documentImage = (kind: keyof typeof makers = 'png', size: Size = {}) =>
  dataUri(makers[kind]({bytes: 101 * kilobyte, ...size}), mimes[kind])
