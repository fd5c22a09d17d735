// Walks the chains of a journal from the first entry to the last, and compares every payment with the last entry that changed it.
import {type Archiving, isBeginning, readArchivings} from '../journal/archivings.ts'
import {
  type ChainEntry,
  type ChainHead,
  type ChainReader,
  type ChainRun,
  type PaymentChange,
  type StoredPayment,
  chainStart,
  digestText,
  hashEntry,
  namePayment,
  walkEntries,
  walkStoredPayments,
} from '../journal/chain.ts'
import {decided, getSpentAt, otherLines, readPaymentText, toColumnValues} from '../journal/journal.ts'
import type {Payment} from '../protocol/payment.ts'
import {ArchiveBroken, digestFile, joinArchives} from './archive-file.ts'

type FindingKind = 'changed' | 'removed' | 'inserted' | 'truncated' | 'rewritten' | 'unsigned'

// The first thing that is wrong. `entry` is absent if it is a payment whose row is wrong.
export interface Finding {
  kind: FindingKind
  message: string
  entry?: {chain: number; number: number} | undefined
  serviceId?: string | undefined
  key?: string | undefined
}

export interface JournalVerification {
  entries: number
  decisions: number
  payments: number
  // When the last entry was written, by the clock of the journal.
  lastAt?: number | undefined
  heads: ChainHead[]
  // What is in archives that were not given, and so was not checked: entries, and payments with all or a part of their history.
  archived: {entries: number; payments: number}
  // How many entries of the given archives the journal has as well.
  sharedEntries: number
  // The given heads that end in such an archive, and what it was.
  uncompared: Array<{head: ChainHead; archive: string}>
  finding?: Finding | undefined
}

// What the entries of a payment say about its row.
interface PaymentTrace {
  serviceId: string
  key: string
  // Whether its first entry was seen, which may be in an archive.
  isWhole: boolean
  digest: string | null
  createdAt: number
  updatedAt: number
}

export class Stop extends Error {
  readonly finding: Finding

  constructor(finding: Finding) {
    super(finding.message)
    this.finding = finding
  }
}

interface NamedEntry extends Partial<Pick<ChainEntry, 'key' | 'serviceId' | 'archive'>> {
  chain: number
  number: number
}

export const nameEntry = ({chain, number}: NamedEntry) => (chain === 0 ? `entry ${number}` : `entry ${chain}.${number}`)

export function stopAt(kind: FindingKind, entry: NamedEntry, what: string) {
  const {chain, number, key, serviceId, archive} = entry
  const of = key ? ` of the payment ${key}` : ''
  const where = archive === undefined ? '' : ` in the archive ${archive}`
  const message = `${nameEntry(entry)}${of}${where} ${what}`
  return new Stop({
    kind,
    message: message[0]?.toUpperCase() + message.slice(1),
    entry: {chain, number},
    ...(key && {serviceId, key}),
  })
}

const stopAtPayment = (kind: FindingKind, {serviceId, key}: {serviceId: string; key: string}, what: string) =>
  new Stop({kind, message: `The payment ${key} ${what}`, serviceId, key})

// Follows what the entries say about each payment.
function trace(traces: Map<string, PaymentTrace>, entry: PaymentChange): void {
  const {serviceId, key, at, what, payment} = entry
  if (otherLines.includes(what)) return
  const known = traces.get(namePayment(entry))
  if (!known) {
    const isWhole = isBeginning(entry)
    traces.set(namePayment(entry), {serviceId, key, isWhole, digest: payment, createdAt: at, updatedAt: at})
    return
  }
  known.digest = payment
  known.updatedAt = Math.max(at, known.updatedAt + 1)
}

const namePlace = (chain: number, number: number) => `${chain} ${number}`

// The parts of the history that were moved to archives, by their first entries.
class ArchivedRuns {
  readonly #runs: ReadonlyMap<string, ChainRun & {archive: string}>

  constructor(archivings: readonly Archiving[]) {
    const all = archivings.flatMap(({file, runs}) => runs.map((run) => ({...run, archive: file})))
    this.#runs = new Map(all.map((run) => [namePlace(run.chain, run.first), run]))
  }

  startingAt(chain: number, number: number) {
    return this.#runs.get(namePlace(chain, number))
  }

  covering({chain, number}: ChainHead) {
    return this.#runs.values().find((run) => run.chain === chain && run.first <= number && number <= run.last)
  }
}

// Entries that no head counts were added behind the back of the journal, as were those of a chain that it does not have.
class ChainWalk {
  readonly #given: readonly ChainHead[]
  readonly #heads: ReadonlyMap<number, ChainHead>
  readonly #ends = new Map<number, ChainHead>()
  readonly #archived: ArchivedRuns
  archivedEntries = 0

  // The walk begins after `starts`.
  constructor(
    heads: readonly ChainHead[],
    given: readonly ChainHead[],
    archived: ArchivedRuns,
    starts: readonly ChainHead[] = [],
  ) {
    this.#heads = new Map(heads.map((head) => [head.chain, head]))
    this.#given = given
    this.#archived = archived
    for (const start of starts) this.#ends.set(start.chain, start)
  }

  // Where the chain ended before this number. The hash of an archived part stands for its entries.
  #passArchived(chain: number, before: number): ChainHead {
    let end = this.#ends.get(chain) ?? {chain, number: 0, hash: chainStart}
    for (;;) {
      const run = this.#archived.startingAt(chain, end.number + 1)
      if (!run || run.last >= before) return end
      this.archivedEntries += run.last - run.first + 1
      end = {chain, number: run.last, hash: run.hash}
      this.#ends.set(chain, end)
      this.#compareWithGiven(end)
    }
  }

  follow(entry: ChainEntry): void {
    const {chain, number, hash} = entry
    const end = this.#passArchived(chain, number)
    const expected = end.number + 1
    if (entry.archive === undefined && this.#archived.startingAt(chain, number)) {
      throw stopAt('inserted', entry, 'is in the journal, which says that it was moved to an archive')
    }
    if (number < expected || !this.#heads.has(chain)) throw stopAt('inserted', entry, 'was inserted')
    if (number > expected) {
      const gap = number - expected
      const others = gap === 1 ? '' : ` and the ${gap - 1} after it`
      throw stopAt('removed', {chain, number: expected}, `${others === '' ? 'was' : `${others.trim()} were`} removed`)
    }
    if (hashEntry(end.hash, entry) !== hash) {
      const before = number === 1 ? '' : `, or the one before it was changed, removed or inserted with its hash`
      throw stopAt('changed', entry, `was changed${before}`)
    }
    this.#ends.set(chain, {chain, number, hash})
    this.#compareWithGiven(entry)
  }

  // What a head that was exported before says about this entry.
  #compareWithGiven(entry: ChainHead): void {
    const isSame = ({chain, number}: ChainHead) => chain === entry.chain && number === entry.number
    if (this.#given.some((given) => isSame(given) && given.hash !== entry.hash)) {
      throw stopAt('rewritten', entry, 'is not the one that the given head has: the journal was rewritten up to there')
    }
  }

  finish(): ChainHead[] {
    for (const head of this.#heads.values()) {
      const end = this.#passArchived(head.chain, head.number + 1)
      if (end.number < head.number)
        throw stopAt('truncated', {chain: head.chain, number: end.number + 1}, 'was removed')
      if (end.number > head.number)
        throw stopAt('inserted', {chain: head.chain, number: head.number + 1}, 'was inserted')
      if (end.hash !== head.hash) throw stopAt('changed', head, 'is not the one that the journal ends with')
    }
    for (const given of this.#given) {
      const {number = 0} = this.#ends.get(given.chain) ?? {}
      if (number >= given.number) continue
      throw stopAt('truncated', {chain: given.chain, number: number + 1}, 'was removed: the given head has it')
    }
    return [...this.#heads.values()]
  }
}

function readPayment(row: StoredPayment): Payment {
  try {
    return readPaymentText(row.text, row.createdAt, row.updatedAt)
  } catch {
    throw stopAtPayment('changed', row, 'was changed: it cannot be read')
  }
}

// What only the whole history of a payment tells.
const timesOfHistory: ReadonlySet<string> = new Set(['createdAt', 'updatedAt'])

const lacksHistory = (row: StoredPayment) => stopAtPayment('inserted', row, 'was inserted: it has no history')

// The columns are what the text says, and the text is what the last entry covers.
function comparePayment(row: StoredPayment, found: PaymentTrace): void {
  if (found.digest !== digestText(row.text)) {
    throw stopAtPayment('changed', row, 'was changed: it is not what its last entry left')
  }
  const payment = readPayment(row)
  const {serviceId, key, template = null, slot = null, state, transactionId = null} = payment
  const columns = {
    serviceId,
    key,
    template,
    slot,
    state,
    ...toColumnValues(payment),
    transactionId,
    spentAt: getSpentAt(payment),
    createdAt: found.createdAt,
    updatedAt: found.updatedAt,
  }
  const isKnown = (name: string) => found.isWhole || !timesOfHistory.has(name)
  const wrong = Object.entries(columns).find(
    ([name, value]) => isKnown(name) && row[name as keyof StoredPayment] !== value,
  )
  if (wrong) throw stopAtPayment('changed', row, `was changed: its ${wrong[0]} is not what its history says`)
}

// Reads the entries of some payments at a time, so that memory stays the same however many there are. `traces` has what archives say,
// which comes before what the journal says. `archived` is how many payments begin in archives that are not given: as many have no
// beginning here.
async function comparePayments(
  reader: ChainReader,
  traces: Map<string, PaymentTrace>,
  archived: number,
): Promise<{payments: number; unchecked: number}> {
  let count = 0
  let unchecked = 0
  for await (const {payments, after} of walkStoredPayments(reader)) {
    const own = new Map(payments.flatMap((row) => takeTrace(traces, namePayment(row))))
    for (const change of await reader.readChanges(after, payments.at(-1))) trace(own, change)
    for (const row of payments) {
      const [[, found] = []] = takeTrace(own, namePayment(row))
      if (found) comparePayment(row, found)
      if (!found?.isWhole && ++unchecked > archived) throw lacksHistory(row)
    }
    rejectLeft(own)
    count += payments.length
  }
  rejectLeft(traces)
  if (unchecked < archived) {
    const message = `${archived - unchecked} of the ${archived} payments whose history is in archives were removed`
    throw new Stop({kind: 'removed', message})
  }
  return {payments: count, unchecked}
}

function takeTrace(traces: Map<string, PaymentTrace>, name: string): Array<[string, PaymentTrace]> {
  const found = traces.get(name)
  traces.delete(name)
  return found ? [[name, found]] : []
}

function rejectLeft(traces: ReadonlyMap<string, PaymentTrace>): void {
  const [missing] = traces.values()
  if (missing) throw stopAtPayment('removed', missing, 'was removed: only its history is left')
}

// The entries after those with which a head ends, which has to be a head of this journal.
async function* walkAfter(
  reader: ChainReader,
  starts: readonly ChainHead[],
  archived: ArchivedRuns,
): AsyncGenerator<ChainEntry> {
  for (const chain of reader.chains) {
    const {number: last, hash} = starts.find((start) => start.chain === chain) ?? {number: 0, hash: chainStart}
    if (last > 0) {
      const [entry] = await reader.readEntries({chain, number: last - 1})
      const place = {chain, number: last}
      const isThere = entry?.chain === chain && entry.number === last
      const run = isThere ? undefined : archived.covering({...place, hash})
      const found = isThere ? entry : run
      if (!found) throw stopAt('truncated', place, 'was removed: the given head has it')
      if (found === run && run.last !== last) throw new HeadInArchive({head: {...place, hash}, archive: run.archive})
      if (found.hash !== hash) throw stopAt('rewritten', place, 'is not the one that the given head has')
    }
    for (let number = last; ;) {
      const entries = (await reader.readEntries({chain, number})).filter((entry) => entry.chain === chain)
      yield* entries
      const end = entries.at(-1)
      if (!end) break
      number = end.number
    }
  }
}

// Compares the payments of these traces alone, with all of their entries.
async function compareChangedPayments(
  reader: ChainReader,
  touched: ReadonlyMap<string, PaymentTrace>,
  archived: number,
) {
  let unchecked = 0
  for (const {serviceId, key} of touched.values()) {
    const own = new Map<string, PaymentTrace>()
    for (const entry of await reader.findEntries({serviceId, key})) trace(own, entry)
    const row = await reader.findPayment({serviceId, key})
    if (!row) throw stopAtPayment('removed', {serviceId, key}, 'was removed: only its history is left')
    const found = own.get(namePayment({serviceId, key}))
    if (found) comparePayment(row, found)
    if (!found?.isWhole && ++unchecked > archived) throw lacksHistory(row)
  }
  return {payments: touched.size, unchecked}
}

// A head that ends in a part of the history that is in an archive cannot be compared without it.
class HeadInArchive extends Error {
  readonly found: JournalVerification['uncompared'][number]

  constructor(found: JournalVerification['uncompared'][number]) {
    super(`the head ends in the archive ${found.archive}`)
    this.found = found
  }
}

interface VerifyOptions {
  // Heads of the same journal that were exported before.
  given?: readonly ChainHead[] | undefined
  // Only what came after them is read, and the payments that it changed.
  starts?: readonly ChainHead[] | undefined
  // The files of archives that are read as a part of the journal.
  archives?: readonly string[] | undefined
}

// Archives that the journal does not name may only have what is in the journal as well.
function rejectUnnamed(entry: ChainEntry, named: ReadonlySet<string>): void {
  if (entry.archive === undefined || named.has(entry.archive)) return
  const message = `The archive ${entry.archive} was changed, or is of another journal: this one names no archive with its digest`
  throw new Stop({kind: 'changed', message})
}

async function walkChains(
  stored: ChainReader,
  {given = [], starts, archives = []}: VerifyOptions,
  result: JournalVerification,
): Promise<void> {
  const heads = await stored.readHeads()
  if (heads.map(({chain}) => chain).join() !== stored.chains.join()) {
    throw new Stop({kind: 'changed', message: 'The list of the journal’s chains was changed'})
  }
  const archivings = await readArchivings(stored)
  const digests = new Map(archives.map((file) => [digestFile(file), file]))
  const named = new Set(archivings.flatMap(({digest}) => digests.get(digest) ?? []))
  const archived = new ArchivedRuns(archivings)
  const reader = joinArchives(stored, archives)
  const walk = new ChainWalk(heads, given, archived, starts)
  const traces = new Map<string, PaymentTrace>()
  for await (const entry of starts ? walkAfter(reader, starts, archived) : walkEntries(reader)) {
    rejectUnnamed(entry, named)
    walk.follow(entry)
    if (starts || entry.archive !== undefined) trace(traces, entry)
    result.entries++
    if (entry.what === decided) result.decisions++
    result.lastAt = Math.max(entry.at, result.lastAt ?? entry.at)
  }
  result.heads = walk.finish()
  const absent = archivings.filter(({digest}) => !digests.has(digest))
  const beginnings = absent.reduce((sum, {payments}) => sum + payments, 0)
  if (!starts && absent.reduce((sum, {entries}) => sum + entries, 0) !== walk.archivedEntries) {
    throw new Stop({kind: 'inserted', message: 'The journal names an archive of entries that it never had'})
  }
  const compare = starts ? compareChangedPayments : comparePayments
  const {payments, unchecked} = await compare(reader, traces, beginnings)
  result.payments = payments
  result.archived = {entries: walk.archivedEntries, payments: unchecked}
  result.sharedEntries = reader.sharedEntries
  result.uncompared = listHeadsInArchives(given, new ArchivedRuns(absent))
}

const listHeadsInArchives = (given: readonly ChainHead[], absent: ArchivedRuns) =>
  given.flatMap((head) => {
    const run = absent.covering(head)
    return run && run.last !== head.number ? [{head, archive: run.archive}] : []
  })

// Stops at the first finding.
export async function verifyJournal(reader: ChainReader, options: VerifyOptions = {}): Promise<JournalVerification> {
  const result: JournalVerification = {
    entries: 0,
    decisions: 0,
    payments: 0,
    heads: [],
    archived: {entries: 0, payments: 0},
    sharedEntries: 0,
    uncompared: [],
  }
  try {
    await walkChains(reader, options, result)
  } catch (error) {
    if (error instanceof Stop) result.finding = error.finding
    else if (error instanceof ArchiveBroken) result.finding = {kind: 'changed', message: error.message}
    else if (error instanceof HeadInArchive) result.uncompared.push(error.found)
    else throw error
  }
  return result
}
