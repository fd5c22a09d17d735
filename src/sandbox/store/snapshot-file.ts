// Sandboxes that are carried elsewhere: snapshots as files, which are one line that says what follows and then the database, and
// a whole sandbox as bytes.
import {createHash, hash} from 'node:crypto'
import {once} from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {createPrivateFile} from '../../storage/private-file.ts'
import {ControlError} from '../operations/control-error.ts'
import type {Result} from '../../sandbox-results.ts'
import type {Database} from './database.ts'
import {sandboxFormat} from './schema.ts'
import {
  type SaveOptions,
  checkSchema,
  describeSnapshot,
  findSnapshotFile,
  getNewSnapshotFile,
  makeSnapshotFolder,
  restoreRows,
  saveRows,
} from './snapshots.ts'

const format = 'svc-sandbox-snapshot'
const formatVersion = 1
const headerBytesMax = 4_096
const lineEnd = 0x0a

interface Header {
  format: string
  version: number
  // The schema of the database.
  schema: number
  name: string
  savedAt: string
  bytes: number
  sha256: string
}

export interface ImportOptions extends SaveOptions {
  // The name that it had, unless given.
  name?: string | undefined
}

async function computeDigest(file: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of fs.createReadStream(file) as AsyncIterable<Buffer>) digest.update(chunk)
  return digest.digest('hex')
}

// The bytes of the file, piece by piece. Throws before the first one if there is no such snapshot.
export async function* exportSnapshot(database: Database, name: string): AsyncGenerator<Uint8Array, void, void> {
  const file = findSnapshotFile(database, name)
  const {savedAt, bytes} = describeSnapshot(file)
  const sha256 = await computeDigest(file)
  const header: Header = {
    format,
    version: formatVersion,
    schema: sandboxFormat.schemaVersion,
    name,
    savedAt,
    bytes,
    sha256,
  }
  yield Buffer.from(`${JSON.stringify(header)}\n`)
  yield* fs.createReadStream(file) as AsyncIterable<Buffer>
}

const createForeignError = () => new ControlError('This is not a snapshot of a sandbox that svc exported')
const createDamagedError = () => new ControlError('The snapshot is damaged: export it again')

function isHeader(value: unknown): value is Header {
  const {format: own, version, schema, name, bytes, sha256} = (value ?? {}) as Partial<Header>
  const areNumbers = [version, schema, bytes].every(Number.isSafeInteger)
  return own === format && areNumbers && typeof name === 'string' && typeof sha256 === 'string'
}

function parseHeader(line: string): Header {
  let header: unknown
  try {
    header = JSON.parse(line)
  } catch {
    throw createForeignError()
  }
  if (!isHeader(header)) throw createForeignError()
  const {version, schema} = header
  if (version === formatVersion && schema === sandboxFormat.schemaVersion) return header
  const [theirs, ours] = [`${version}, schema ${schema}`, `${formatVersion}, schema ${sandboxFormat.schemaVersion}`]
  throw new ControlError(`The snapshot is from another version of svc (format ${theirs}; this svc has format ${ours})`)
}

// The header, and the rest of the bytes, of which some may have arrived with it.
async function readHeader(source: AsyncIterator<Uint8Array>): Promise<{header: Header; rest: Uint8Array}> {
  let read = Buffer.alloc(0)
  while (!read.includes(lineEnd)) {
    if (read.length > headerBytesMax) throw createForeignError()
    const {done, value} = await source.next()
    if (done) throw createForeignError()
    read = Buffer.concat([read, value])
  }
  const end = read.indexOf(lineEnd)
  return {header: parseHeader(read.subarray(0, end).toString()), rest: read.subarray(end + 1)}
}

async function writeContent(
  source: AsyncIterator<Uint8Array>,
  first: Uint8Array,
  {bytes, sha256}: Header,
  file: string,
) {
  const digest = createHash('sha256')
  const output = fs.createWriteStream(file, {flags: 'r+'})
  let written = 0
  try {
    for (let piece: Uint8Array | undefined = first; piece; piece = await readNext(source)) {
      written += piece.byteLength
      if (written > bytes) throw createDamagedError()
      digest.update(piece)
      if (!output.write(piece)) await once(output, 'drain')
    }
    output.end()
    await once(output, 'finish')
  } finally {
    output.destroy()
  }
  if (written !== bytes || digest.digest('hex') !== sha256) throw createDamagedError()
}

async function readNext(source: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  const {done, value} = await source.next()
  return done ? undefined : value
}

const selectSchema = "select name, sql from sqlite_schema where name not like 'sqlite_%' order by name"

// A file that was made by hand could have a view or a trigger where a table is expected.
function checkTables(database: Database, file: string): void {
  let tables: unknown[]
  try {
    const copy = new DatabaseSync(file, {readOnly: true})
    try {
      tables = copy.prepare(selectSchema).all()
    } finally {
      copy.close()
    }
  } catch {
    throw createDamagedError()
  }
  if (JSON.stringify(tables) !== JSON.stringify(database.all(selectSchema))) throw createForeignError()
}

const beginning = Buffer.from(`{"format":"${format}"`)

// The database in the bytes of a file that was exported. Other bytes are returned as they are.
function extractDatabase(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!file.subarray(0, beginning.length).equals(beginning)) return bytes
  const end = file.indexOf(lineEnd)
  const {sha256} = parseHeader(file.subarray(0, end).toString())
  const content = file.subarray(end + 1)
  if (hash('sha256', content) !== sha256) throw createDamagedError()
  return content
}

// Adds the snapshot to those of this sandbox. Nothing is left of one that cannot be used.
export async function importSnapshot(
  database: Database,
  source: AsyncIterable<Uint8Array>,
  {name: givenName, replaces}: ImportOptions = {},
): Promise<Result<'Snapshot'>> {
  const pieces = source[Symbol.asyncIterator]()
  const {header, rest} = await readHeader(pieces)
  const file = getNewSnapshotFile(database, givenName ?? header.name, {replaces})
  makeSnapshotFolder(database)
  const unfinished = path.join(path.dirname(file), `${path.basename(file)}.${process.pid}.unfinished`)
  try {
    fs.rmSync(unfinished, {force: true})
    createPrivateFile(unfinished)
    await writeContent(pieces, rest, header, unfinished)
    checkTables(database, unfinished)
    fs.renameSync(unfinished, file)
  } finally {
    fs.rmSync(unfinished, {force: true})
    await pieces.return?.()
  }
  return describeSnapshot(file)
}

// SQLite copies from file to file, so the bytes pass through one that only its owner can read.
function withFile<T>(work: (file: string) => T): T {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-sandbox-'))
  try {
    return work(path.join(folder, 'image.sqlite'))
  } finally {
    fs.rmSync(folder, {recursive: true, force: true})
  }
}

export function readImage(database: Database): Uint8Array {
  return withFile((file) => {
    saveRows(database, file)
    return fs.readFileSync(file)
  })
}

const signature = 'SQLite format 3\0'

// Replaces everything, also with what is in a file that was exported. A running clock continues from the time at which the image was read.
export function loadImage(database: Database, bytes: Uint8Array): void {
  const image = extractDatabase(bytes)
  if (Buffer.from(image.subarray(0, signature.length)).toString('latin1') !== signature) {
    throw new ControlError('These bytes are not a sandbox that was saved')
  }
  withFile((file) => {
    fs.writeFileSync(file, image)
    checkSchema(file, 'The saved sandbox')
    restoreRows(database, file)
  })
}
