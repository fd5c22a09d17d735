// Writes tar and ar archives whose bytes depend on nothing but the files: sorted, owned by root, with one date.
import {gzipSync} from 'node:zlib'

export interface ArchiveFile {
  // With slashes, without one at the start.
  name: string
  // Missing for a folder.
  content?: Buffer | undefined
  mode: number
}

const blockBytes = 512
const nameBytesMax = 100
// Level 9 takes twice as long as 6 and saves less than a hundredth.
const gzipLevel = 6

const toOctal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`

// A longer name is divided at a slash: the ustar format has a field for what comes before it.
function divideName(name: string): {prefix: string; rest: string} {
  if (Buffer.byteLength(name) <= nameBytesMax) return {prefix: '', rest: name}
  const at = name.indexOf('/', name.length - nameBytesMax - 1)
  return {prefix: name.slice(0, at), rest: name.slice(at + 1)}
}

function renderHeader({name, content, mode}: ArchiveFile, epochSeconds: number): Buffer {
  const {prefix, rest} = divideName(content === undefined ? `${name}/` : name)
  const header = Buffer.alloc(blockBytes)
  header.write(rest, 0)
  header.write(toOctal(mode, 8), 100)
  header.write(toOctal(0, 8), 108)
  header.write(toOctal(0, 8), 116)
  header.write(toOctal(content?.length ?? 0, 12), 124)
  header.write(toOctal(epochSeconds, 12), 136)
  header.write(' '.repeat(8), 148)
  header.write(content === undefined ? '5' : '0', 156)
  header.write('ustar\x0000', 257)
  header.write('root', 265)
  header.write('root', 297)
  header.write(prefix, 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${toOctal(sum, 7)} `, 148)
  return header
}

const pad = (bytes: number, block: number) => Buffer.alloc((block - (bytes % block)) % block)

// The folders that the names need are added.
function addFolders(files: readonly ArchiveFile[]): ArchiveFile[] {
  const folders = new Set(
    files.flatMap(({name}) => {
      const parts = name.split('/').slice(0, -1)
      return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
    }),
  )
  const all = [...files, ...[...folders].map((name) => ({name, mode: 0o755}))]
  return all.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

export function writeTarGz(files: readonly ArchiveFile[], epochSeconds: number): Buffer {
  const blocks = addFolders(files).flatMap((file) => {
    const {content = Buffer.alloc(0)} = file
    return [renderHeader(file, epochSeconds), content, pad(content.length, blockBytes)]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]), {level: gzipLevel})
}

export function writeAr(members: readonly {name: string; content: Buffer}[], epochSeconds: number): Buffer {
  const parts = members.flatMap(({name, content}) => [
    Buffer.from(
      `${name.padEnd(16)}${String(epochSeconds).padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(content.length).padEnd(10)}\`\n`,
    ),
    content,
    Buffer.alloc(content.length % 2, '\n'),
  ])
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts])
}
