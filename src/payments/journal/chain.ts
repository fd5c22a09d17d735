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

// What an entry adds to the one before it: its place, its time and its content.
export function hashEntry(before: string, entry: Omit<ChainEntry, 'hash'>): string {
  const {chain, number, at, serviceId, key, what, detail, payment} = entry
  const body = digestText([serviceId, key, what, detail, payment].map(frame).join(''))
  return digestText(`${before}\n${chain}\n${number}\n${at}\n${body}`)
}

// All entries of a payment are in the same chain.
export const pickDatabaseChain = (serviceId: string, key: string): number =>
  1 + (Number.parseInt(digestText(`${serviceId}\n${key}`).slice(0, 8), 16) % databaseChains)

// A line that is appended to the history: the entry without its place in the chain.
export type NewChainEntry = Omit<ChainEntry, 'chain' | 'number' | 'hash'>

// Appends to the chain with this head, which it moves on.
export function linkEntry(head: ChainHead, line: NewChainEntry): ChainEntry {
  const entry = {...line, chain: head.chain, number: head.number + 1}
  head.hash = hashEntry(head.hash, entry)
  head.number = entry.number
  return {...entry, hash: head.hash}
}

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

// In pages.
export async function* walkEntries(reader: Pick<ChainReader, 'readEntries'>): AsyncGenerator<ChainEntry[]> {
  for (let after: Pick<ChainEntry, 'chain' | 'number'> = {chain: Number.MIN_SAFE_INTEGER, number: 0}; ;) {
    const page = await reader.readEntries(after)
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last
  }
}

// In pages, the last of which is empty, with the payment that came before each.
export async function* walkStoredPayments(
  reader: Pick<ChainReader, 'readPayments'>,
): AsyncGenerator<{payments: StoredPayment[]; after: PaymentName}> {
  for (let after: PaymentName | undefined = {serviceId: '', key: ''}; after;) {
    const payments: StoredPayment[] = await reader.readPayments(after)
    yield {payments, after}
    after = payments.at(-1)
  }
}
