// The hash chain of the journal's history: each entry covers the one before it, so that none can be
// changed, removed or inserted without changing all that follow (docs/audit.md).
import {hash} from 'node:crypto'
import type {Read, Reads} from './reads.ts'
import type {LeasedRow, PaymentName, PickChain, RowOf} from './tables.ts'

// Everything of an entry that the chain covers.
export type ChainEntry = RowOf<'history'>

// The hash of the last one, and how many entries the chain has.
export type ChainHead = RowOf<'chains'>

// A file has this chain alone. A database has it for what was copied from a file.
export const fileChain = 0
// Hosts that share a database append to several chains, since those who append to one wait for each
// other's disk.
export const databaseChains = 64

export const digestText = (text: string): string => hash('sha256', text)

// The form of the digest of a payment's text, which no digest of another form is compared with.
const paymentForm = 1

// The digest by which a line of the history covers the payment that it left.
export const digestPayment = (text: string): string => `${paymentForm}:${digestText(text)}`

// Each text comes with its length, so that no two entries have the same bytes.
const frame = (text: string | null) => (text === null ? '-' : `${Buffer.byteLength(text)}:${text}`)

// The hash of an entry covers the one before it, and its own place, time and content.
export function hashEntry(before: string, entry: Omit<ChainEntry, 'hash'>): string {
  const {chain, number, at, serviceId, key, what, detail, payment} = entry
  const body = digestText([serviceId, key, what, detail, payment].map(frame).join(''))
  return digestText(`${before}\n${chain}\n${number}\n${at}\n${body}`)
}

// All entries of a payment are in the same chain.
export const pickFileChain: PickChain = () => fileChain

export const pickDatabaseChain: PickChain = ({serviceId, key}) =>
  1 + (Number.parseInt(digestText(`${serviceId}\n${key}`).slice(0, 8), 16) % databaseChains)

export type NewChainEntry = Omit<ChainEntry, 'chain' | 'number' | 'hash'>

// Appends to the chain with this head, which it moves on.
export function linkEntry(head: ChainHead, line: NewChainEntry): ChainEntry {
  const entry = {...line, chain: head.chain, number: head.number + 1}
  head.hash = hashEntry(head.hash, entry)
  head.number = entry.number
  return {...entry, hash: head.hash}
}

// Reads the chains of a journal and the payments that they cover, as they are stored, at one
// moment.
export interface ChainReader {
  chains: readonly number[]
  pickChain: PickChain
  reads: Reads
  read: <Row extends object>(read: Read) => Promise<Row[]>
}

export async function* walkEntries({reads, read}: ChainReader): AsyncGenerator<ChainEntry[]> {
  for (let after = {chain: Number.MIN_SAFE_INTEGER, number: Number.MIN_SAFE_INTEGER}; ;) {
    const page = await read<ChainEntry>(reads.lines(after))
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last
  }
}

// In pages in the order of their keys and services, the last of which is empty, with the payment
// that came before each.
export async function* walkStoredPayments({
  reads,
  read,
}: ChainReader): AsyncGenerator<{payments: LeasedRow[]; after: PaymentName}> {
  for (let after: PaymentName | undefined = {serviceId: '', key: ''}; after;) {
    const payments: LeasedRow[] = await read<LeasedRow>(reads.paymentPage(after))
    yield {payments, after}
    after = payments.at(-1)
  }
}
