// What reads the chains of a journal and the payments that they cover, as they are stored, at one moment.
import type {ChainEntry, ChainHead} from './chain.ts'

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

type PaymentName = Pick<StoredPayment, 'serviceId' | 'key'>

export interface ChainReader {
  // The chains that a journal of this store has.
  chains: readonly number[]
  readHeads(): Promise<ChainHead[]>
  // The entries after this one, in the order of their chains and numbers, as many as fit into a page.
  readEntries(after: Pick<ChainEntry, 'chain' | 'number'>): Promise<ChainEntry[]>
  // The entries of a payment, in their order.
  findEntries(payment: PaymentName): Promise<ChainEntry[]>
  // The decisions of people, about payments or anything else.
  readDecisions(): Promise<ChainEntry[]>
  findPayment(payment: PaymentName): Promise<StoredPayment | undefined>
  // The payments after this one, in the order of their services and keys.
  readPayments(after: PaymentName): Promise<StoredPayment[]>
}

export const rowsPerRead = 1_000

export async function* walkEntries(
  reader: ChainReader,
  start: Pick<ChainEntry, 'chain' | 'number'> = {chain: Number.MIN_SAFE_INTEGER, number: 0},
): AsyncGenerator<ChainEntry> {
  for (let after = start; ;) {
    const entries = await reader.readEntries(after)
    yield* entries
    const last = entries.at(-1)
    if (!last) return
    after = last
  }
}

export async function* walkPayments(reader: ChainReader): AsyncGenerator<StoredPayment> {
  for (let after = {serviceId: '', key: ''}; ;) {
    const payments = await reader.readPayments(after)
    yield* payments
    const last = payments.at(-1)
    if (!last) return
    after = last
  }
}
