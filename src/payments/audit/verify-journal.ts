// Walks the chains of a journal from the first entry to the last, and compares every payment with the last entry that changed it.
import {
  type ChainEntry,
  type ChainHead,
  type ChainReader,
  type PaymentChange,
  type StoredPayment,
  chainStart,
  digestText,
  hashEntry,
  namePayment,
  walkEntries,
  walkStoredPayments,
} from '../journal/chain.ts'
import {decided, otherLines, readPaymentText, toColumns} from '../journal/journal.ts'
import type {Payment} from '../protocol/payment.ts'

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
  finding?: Finding | undefined
}

// What the entries of a payment say about its row.
interface PaymentTrace {
  serviceId: string
  key: string
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

interface NamedEntry extends Partial<Pick<ChainEntry, 'key' | 'serviceId'>> {
  chain: number
  number: number
}

export const nameEntry = ({chain, number}: NamedEntry) => (chain === 0 ? `entry ${number}` : `entry ${chain}.${number}`)

export function stopAt(kind: FindingKind, entry: NamedEntry, what: string) {
  const {chain, number, key, serviceId} = entry
  const of = key ? ` of the payment ${key}` : ''
  const message = `${nameEntry(entry)}${of} ${what}`
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
    traces.set(namePayment(entry), {serviceId, key, digest: payment, createdAt: at, updatedAt: at})
    return
  }
  known.digest = payment
  known.updatedAt = Math.max(at, known.updatedAt + 1)
}

// Entries that no head counts were added behind the back of the journal, as were those of a chain that it does not have.
class ChainWalk {
  readonly #given: readonly ChainHead[]
  readonly #heads: ReadonlyMap<number, ChainHead>
  readonly #ends = new Map<number, ChainHead>()

  constructor(heads: readonly ChainHead[], given: readonly ChainHead[]) {
    this.#heads = new Map(heads.map((head) => [head.chain, head]))
    this.#given = given
  }

  #getEnd(chain: number): ChainHead {
    return this.#ends.get(chain) ?? {chain, number: 0, hash: chainStart}
  }

  follow(entry: ChainEntry): void {
    const {chain, number, hash} = entry
    const end = this.#getEnd(chain)
    const expected = end.number + 1
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
      const end = this.#getEnd(head.chain)
      if (end.number < head.number)
        throw stopAt('truncated', {chain: head.chain, number: end.number + 1}, 'was removed')
      if (end.number > head.number)
        throw stopAt('inserted', {chain: head.chain, number: head.number + 1}, 'was inserted')
      if (end.hash !== head.hash) throw stopAt('changed', head, 'is not the one that the journal ends with')
    }
    for (const given of this.#given) {
      const {number} = this.#getEnd(given.chain)
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

// The columns are what the text says, and the text is what the last entry covers.
function comparePayment(row: StoredPayment, found: PaymentTrace): void {
  if (found.digest !== digestText(row.text)) {
    throw stopAtPayment('changed', row, 'was changed: it is not what its last entry left')
  }
  const columns = {...toColumns(readPayment(row)), createdAt: found.createdAt, updatedAt: found.updatedAt}
  const wrong = Object.entries(columns).find(([name, value]) => row[name as keyof StoredPayment] !== value)
  if (wrong) throw stopAtPayment('changed', row, `was changed: its ${wrong[0]} is not what its history says`)
}

// Reads the entries of some payments at a time, so that memory stays the same however many there are. Returns how many there are.
async function comparePayments(reader: ChainReader): Promise<number> {
  let count = 0
  for await (const {payments, after} of walkStoredPayments(reader)) {
    const traces = new Map<string, PaymentTrace>()
    for (const change of await reader.readChanges(after, payments.at(-1))) trace(traces, change)
    for (const row of payments) {
      const found = traces.get(namePayment(row))
      if (!found) throw stopAtPayment('inserted', row, 'was inserted: it has no history')
      comparePayment(row, found)
      traces.delete(namePayment(row))
    }
    const [missing] = traces.values()
    if (missing) throw stopAtPayment('removed', missing, 'was removed: only its history is left')
    count += payments.length
  }
  return count
}

async function walkChains(
  reader: ChainReader,
  given: readonly ChainHead[],
  result: JournalVerification,
): Promise<void> {
  const heads = await reader.readHeads()
  if (heads.map(({chain}) => chain).join() !== reader.chains.join()) {
    throw new Stop({kind: 'changed', message: 'The list of the journal’s chains was changed'})
  }
  const walk = new ChainWalk(heads, given)
  for await (const page of walkEntries(reader)) {
    for (const entry of page) {
      walk.follow(entry)
      result.entries++
      if (entry.what === decided) result.decisions++
      result.lastAt = Math.max(entry.at, result.lastAt ?? entry.at)
    }
  }
  result.heads = walk.finish()
  result.payments = await comparePayments(reader)
}

// Stops at the first finding. `given` are heads of the same journal that were exported before.
export async function verifyJournal(
  reader: ChainReader,
  given: readonly ChainHead[] = [],
): Promise<JournalVerification> {
  const result: JournalVerification = {entries: 0, decisions: 0, payments: 0, heads: []}
  try {
    await walkChains(reader, given, result)
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    result.finding = error.finding
  }
  return result
}
