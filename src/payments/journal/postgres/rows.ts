// Payments as rows of a PostgreSQL journal. Their times are columns of their own, since the database's clock writes them.
import type {SqlValue} from '../../../storage/postgres/database.ts'
import type {Payment} from '../../protocol/payment.ts'
import {digestBody, digestSubject, digestText, pickDatabaseChain} from '../chain.ts'
import type {DecisionEntry, Entry, HistoryEntry, Intent} from '../journal.ts'
import {getSpentAt, readPaymentText, toColumnValues, toNewPayment, toPaymentText} from '../payment-text.ts'

export type PaymentRow = {
  payment: string
  created_at: number
  updated_at: number
}

export const toPayment = ({payment, created_at: createdAt, updated_at: updatedAt}: PaymentRow): Payment =>
  readPaymentText(payment, createdAt, updatedAt)

export type HistoryRow = {
  service_id: string
  key: string
  at: number
  what: string
  detail: string | null
}

export const toHistoryEntry = ({at, what, detail}: HistoryRow): HistoryEntry => ({
  at,
  what,
  ...(detail !== null && {detail: JSON.parse(detail) as NonNullable<Entry['detail']>}),
})

export const toDecisionEntry = (row: HistoryRow): DecisionEntry => ({
  ...toHistoryEntry(row),
  ...(row.key !== '' && {serviceId: row.service_id, key: row.key}),
})

// The currency, the amount and the destination.
const getContentValues = (payment: Pick<Payment, 'content'>): SqlValue[] => {
  const {currency, amount, destination} = toColumnValues(payment)
  return [currency, amount, destination]
}

// What a line is about, and the chain that it belongs to.
export const getChainValues = (serviceId: string, key: string): SqlValue[] => [
  digestSubject(serviceId, key),
  pickDatabaseChain(serviceId, key),
]

// The last values of a statement that adds a line to the history: what, detail, evidence, the digest of the payment, the digest
// of all of these, what it is about, and the chain.
export function getEntryValues(serviceId: string, key: string, entry: Entry, paymentText?: string): SqlValue[] {
  const {what} = entry
  const detail = entry.detail ? JSON.stringify(entry.detail) : null
  const evidence = entry.evidence ? JSON.stringify(entry.evidence) : null
  const payment = paymentText === undefined ? null : digestText(paymentText)
  const body = digestBody({serviceId, key, what, detail, evidence, payment})
  return [what, detail, evidence, payment, body, ...getChainValues(serviceId, key)]
}

export function getCreatedValues(intent: Intent, writeId: string): SqlValue[] {
  const {serviceId, key, template, slot} = intent
  const payment = toNewPayment(intent)
  const names = [serviceId, key, template ?? null, slot ?? null]
  const text = toPaymentText(payment)
  const line = getEntryValues(serviceId, key, {what: 'INTENDED'}, text)
  return [...names, ...getContentValues(payment), text, writeId, ...line]
}

// The values of a commit from the state to the write id.
export const getChangedValues = (payment: Payment, paymentText: string, writeId: string): SqlValue[] => [
  payment.state,
  paymentText,
  ...getContentValues(payment),
  payment.transactionId ?? null,
  getSpentAt(payment),
  writeId,
]
