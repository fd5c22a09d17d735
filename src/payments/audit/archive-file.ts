// Archives of the history: files of JSON lines that have entries of the journal with everything that the chain covers.
import {createHash} from 'node:crypto'
import {z} from 'zod'
import {badUsage, getSystemCode} from '../../errors.ts'
import {readInParts} from '../../storage/read-regular-file.ts'
import {type ChainEntry, type ChainReader, rowsPerRead} from '../journal/chain.ts'

export const archiveFormat = 'svc journal archive 1'

type Position = Pick<ChainEntry, 'chain' | 'number'>

const comparePositions = (one: Position, other: Position) => one.chain - other.chain || one.number - other.number

// The first line says which part of the history it is, and the last one how many entries came before it.
export interface ArchiveHeader {
  format: typeof archiveFormat
  written: {at: string; by: {user: string; host: string}; svc: string}
  // Entries from then on. Absent if it is from the beginning.
  since?: string | undefined
  before: string
}

const headerSchema = z.object({format: z.literal(archiveFormat)})
const endSchema = z.object({end: z.literal(true), entries: z.int()})
const entrySchema = z.strictObject({
  chain: z.int(),
  number: z.int(),
  at: z.int(),
  serviceId: z.string(),
  key: z.string(),
  what: z.string(),
  detail: z.nullable(z.string()),
  evidence: z.nullable(z.string()),
  payment: z.nullable(z.string()),
  hash: z.string(),
})

// In one order, whatever the store is.
const toLine = ({chain, number, at, serviceId, key, what, detail, evidence, payment, hash}: ChainEntry) =>
  `${JSON.stringify({chain, number, at, serviceId, key, what, detail, evidence, payment, hash})}\n`

// The text of an archive, in parts.
export async function* renderArchive(
  header: ArchiveHeader,
  pages: AsyncIterable<readonly ChainEntry[]>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(header)}\n`
  let entries = 0
  for await (const page of pages) {
    entries += page.length
    yield page.map(toLine).join('')
  }
  yield `${JSON.stringify({end: true, entries})}\n`
}

// An archive that is not as svc wrote it.
export class ArchiveBroken extends Error {
  override name = 'ArchiveBroken'
}

const partBytes = 1024 * 1024
const lineEnd = 10

function* readParts(file: string): Generator<Buffer> {
  try {
    yield* readInParts(file, partBytes)
  } catch (cause) {
    if (getSystemCode(cause) === undefined) throw cause
    throw badUsage(`The archive ${file} cannot be read (${getSystemCode(cause)})`, 'Name another file', cause)
  }
}

function* readLines(file: string): Generator<string> {
  let rest = Buffer.alloc(0)
  for (const part of readParts(file)) {
    const bytes = Buffer.concat([rest, part])
    let start = 0
    for (let end = bytes.indexOf(lineEnd); end !== -1; end = bytes.indexOf(lineEnd, start)) {
      yield bytes.toString('utf8', start, end)
      start = end + 1
    }
    rest = bytes.subarray(start)
  }
  if (rest.length > 0) throw new ArchiveBroken(`The archive ${file} was changed: its last line has no end`)
}

function parseLine<T>(schema: z.ZodType<T>, line: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

export function digestFile(file: string): string {
  const hash = createHash('sha256')
  for (const part of readParts(file)) hash.update(part)
  return hash.digest('hex')
}

// Throws ArchiveBroken at the first line that is not what it should be.
function* readArchive(file: string): Generator<ChainEntry> {
  const reject = (why: string) => new ArchiveBroken(`The archive ${file} was changed: ${why}`)
  let lines = 0
  let last: ChainEntry | undefined
  let isComplete = false
  for (const line of readLines(file)) {
    lines++
    if (lines === 1) {
      if (parseLine(headerSchema, line)) continue
      throw badUsage(`${file} is no archive of a journal`, 'Name a file that `svc journal archive` has written')
    }
    if (isComplete) throw reject(`line ${lines} comes after its end`)
    const entry = parseLine(entrySchema, line)
    if (entry) {
      if (last && comparePositions(entry, last) <= 0) throw reject(`line ${lines} is not in order`)
      yield (last = {...entry, archive: file})
      continue
    }
    isComplete = parseLine(endSchema, line)?.entries === lines - 2
    if (!isComplete) throw reject(`line ${lines} is not one that svc writes`)
  }
  if (!isComplete) throw reject('its end is missing')
}

// Reads the file forward. Whoever asks for an entry before the last one makes it read from the beginning.
class ArchiveCursor {
  readonly file: string
  #lines: Generator<ChainEntry> | undefined
  #last: Position | undefined
  #next: ChainEntry | undefined

  constructor(file: string) {
    this.file = file
  }

  seek(after: Position): void {
    if (!this.#lines || (this.#last && comparePositions(this.#last, after) > 0)) {
      this.close()
      this.#lines = readArchive(this.file)
      this.#next = this.#lines.next().value
    }
    while (this.#next && comparePositions(this.#next, after) <= 0) this.take()
  }

  // The entry that comes next.
  get next(): ChainEntry | undefined {
    return this.#next
  }

  take(): void {
    this.#last = this.#next
    this.#next = this.#lines?.next().value
  }

  close(): void {
    this.#lines?.return(undefined)
    this.#last = undefined
  }
}

export interface JoinedReader extends ChainReader {
  // How many entries of the archives the journal has as well, just the same.
  readonly sharedEntries: number
}

const fields = entrySchema.keyof().options

const isSameEntry = (one: ChainEntry, other: ChainEntry) => fields.every((field) => one[field] === other[field])

// Of the entries in one place, the first one, if all are the same. Otherwise all of them, with those of archives first, so that whoever
// follows the chain finds the wrong one.
function mergePlace(entries: readonly ChainEntry[]): readonly ChainEntry[] {
  const [stored] = entries
  if (!stored || entries.every((entry) => isSameEntry(entry, stored))) return entries.slice(0, 1)
  return entries.toSorted((one, other) => Number(other.archive !== undefined) - Number(one.archive !== undefined))
}

// Reads a journal as if the entries of these archives were still in it.
export function joinArchives(reader: ChainReader, files: readonly string[]): JoinedReader {
  if (files.length === 0) return {...reader, sharedEntries: 0}
  const cursors = files.map((file) => new ArchiveCursor(file))
  let sharedEntries = 0

  // The archived entries up to this one, at most a page.
  const takeArchived = (last: Position | undefined): ChainEntry[] => {
    const taken: ChainEntry[] = []
    for (;;) {
      const end = taken.length < rowsPerRead ? last : taken.at(-1)
      let first: ArchiveCursor | undefined
      for (const cursor of cursors) {
        const isFirst = cursor.next && (!first?.next || comparePositions(cursor.next, first.next) < 0)
        if (isFirst) first = cursor
      }
      if (!first?.next || (end && comparePositions(first.next, end) > 0)) return taken
      taken.push(first.next)
      first.take()
    }
  }

  return {
    ...reader,
    get sharedEntries() {
      return sharedEntries
    },
    async readEntries(after) {
      const stored = await reader.readEntries(after)
      for (const cursor of cursors) cursor.seek(after)
      const archived = takeArchived(stored.at(-1))
      const last = archived.length < rowsPerRead ? undefined : archived.at(-1)
      const read = last ? stored.filter((entry) => comparePositions(entry, last) <= 0) : stored
      const places = Map.groupBy([...read, ...archived], ({chain, number}) => `${chain} ${number}`)
      const page = [...places.values()].flatMap((entries) => {
        const merged = mergePlace(entries)
        if (merged.length === 1 && merged[0]?.archive === undefined) sharedEntries += entries.length - 1
        return merged
      })
      return page.toSorted(comparePositions)
    },
    // Only payments are archived.
    async findEntries(payment) {
      const stored = await reader.findEntries(payment)
      if (payment.serviceId === '') return stored
      const isOwn = ({serviceId, key}: ChainEntry) => serviceId === payment.serviceId && key === payment.key
      const archived = files.flatMap((file) => readArchive(file).filter(isOwn).toArray())
      const places = Map.groupBy([...stored, ...archived], ({chain, number}) => `${chain} ${number}`)
      return [...places.values()].flatMap(mergePlace).toSorted(comparePositions)
    },
  }
}
