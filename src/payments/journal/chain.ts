// The hash chain of the journal's history: each entry covers the one before it, so that none can be changed, removed or inserted
// without changing all that follow (docs/audit.md).
import {hash} from 'node:crypto'

// Everything of an entry that the chain covers. `detail` is the exact text that is stored.
export interface ChainEntry {
  chain: number
  // Its place in the chain, from 1.
  number: number
  at: number
  // Both are empty for a decision that is about no payment.
  serviceId: string
  key: string
  what: string
  detail: string | null
  // The digest of the payment as this entry left it, if it was stored so. Entries that do not change it have none, nor have those
  // that were written together with a later change of it.
  payment: string | null
  hash: string
}

export interface ChainHead {
  chain: number
  // How many entries the chain has.
  number: number
  // The hash of the last one.
  hash: string
}

// A file has this chain alone. A database has it for what was copied from a file.
export const fileChain = 0
// Hosts that share a database append to several chains, since those who append to one wait for each other's disk.
export const databaseChains = 64

// What the first entry of a chain follows.
export const chainStart = '0'.repeat(64)

export const digestText = (text: string): string => hash('sha256', text)

// Each text comes with its length, so that no two entries have the same bytes.
const frame = (text: string | null) => (text === null ? '-' : `${Buffer.byteLength(text)}:${text}`)

export type EntryBody = Pick<ChainEntry, 'serviceId' | 'key' | 'what' | 'detail' | 'payment'>

export const digestBody = ({serviceId, key, what, detail, payment}: EntryBody): string =>
  digestText([serviceId, key, what, detail, payment].map(frame).join(''))

// What an entry adds to the one before it: its place, its time and its content.
export const linkEntry = (
  before: string,
  {chain, number, at}: Pick<ChainEntry, 'chain' | 'number' | 'at'>,
  body: string,
): string => digestText(`${before}\n${chain}\n${number}\n${at}\n${body}`)

export const hashEntry = (before: string, entry: Omit<ChainEntry, 'hash'>): string =>
  linkEntry(before, entry, digestBody(entry))

// All entries of a payment are in the same chain.
export const pickDatabaseChain = (serviceId: string, key: string): number =>
  1 + (Number.parseInt(digestText(`${serviceId}\n${key}`).slice(0, 8), 16) % databaseChains)

// The same as SQL of PostgreSQL, for what only the database knows.
const digestSql = (text: string) => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`

const frameSql = (text: string) => `coalesce(octet_length(${text})::text || ':' || ${text}, '-')`

export const bodySql = (fields: Readonly<Record<keyof EntryBody, string>>): string =>
  digestSql(
    (['serviceId', 'key', 'what', 'detail', 'payment'] as const).map((name) => frameSql(fields[name])).join(' || '),
  )

export const linkSql = ({before, chain, number, at, body}: Record<LinkPart, string>): string =>
  digestSql(`concat_ws(E'\\n', ${before}, ${chain}, ${number}, ${at}, ${body})`)

type LinkPart = 'before' | 'chain' | 'number' | 'at' | 'body'

// What reads the chains of a journal and the payments that they cover, as they are stored, at one moment.

// A payment with every column that the chain covers. What belongs to its lease is not among them.
export interface StoredPayment {
  serviceId: string
  key: string
  template: string | null
  slot: string | null
  state: string
  currency: string
  amount: string
  destination: string
  transactionId: string | null
  spentAt: number | null
  createdAt: number
  updatedAt: number
  text: string
}

export type PaymentName = Pick<StoredPayment, 'serviceId' | 'key'>

// As one text, for maps and sets.
export const namePayment = ({serviceId, key}: PaymentName): string => JSON.stringify([serviceId, key])

export type PaymentChange = Pick<ChainEntry, 'serviceId' | 'key' | 'at' | 'what' | 'payment'>

export interface ChainReader {
  // The chains that a journal of this store has.
  chains: readonly number[]
  readHeads(): Promise<ChainHead[]>
  // The entries after this one, in the order of their chains and numbers, as many as fit into a page.
  readEntries(after: Pick<ChainEntry, 'chain' | 'number'>): Promise<ChainEntry[]>
  // What the entries say that changed the payments after the first of these, up to the last one or to the end, in their order.
  readChanges(after: PaymentName, last?: PaymentName): Promise<PaymentChange[]>
  // The decisions of people, about payments or anything else.
  readDecisions(): Promise<ChainEntry[]>
  // The payments after this one, in the order of their services and keys.
  readPayments(after: PaymentName): Promise<StoredPayment[]>
}

export const rowsPerRead = 1_000

const beforeAll = {chain: Number.MIN_SAFE_INTEGER, number: 0}

export async function* walkEntries(reader: Pick<ChainReader, 'readEntries'>): AsyncGenerator<ChainEntry> {
  for (let after: Pick<ChainEntry, 'chain' | 'number'> = beforeAll; ;) {
    const page = await reader.readEntries(after)
    const last = page.at(-1)
    if (!last) return
    yield* page
    after = last
  }
}

// Some payments at a time, and the one that came before them.
export async function* walkStoredPayments(
  reader: ChainReader,
): AsyncGenerator<{payments: StoredPayment[]; after: PaymentName}> {
  for (let after: PaymentName = {serviceId: '', key: ''}; ;) {
    const payments = await reader.readPayments(after)
    yield {payments, after}
    const last = payments.at(-1)
    if (!last) return
    after = last
  }
}
