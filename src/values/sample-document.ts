// A sample document for the sandbox: a picture of an invented passport, marked as a specimen, that verification accepts.
import {crc32, deflateSync} from 'node:zlib'

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
