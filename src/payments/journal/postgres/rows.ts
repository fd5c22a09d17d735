// Payments as rows of a PostgreSQL journal. Their times are columns of their own, since the database's clock writes them.
import type {SqlValue} from '../../../storage/postgres/database.ts'
import type {Payment} from '../../payment.ts'
import type {DecisionEntry, Entry, HistoryEntry, Intent} from '../journal.ts'

export type PaymentRow = {
  payment: string
  created_at: number
  updated_at: number
}

export const toPayment = ({payment, created_at: createdAt, updated_at: updatedAt}: PaymentRow): Payment => ({
  ...(JSON.parse(payment) as Omit<Payment, 'createdAt' | 'updatedAt'>),
  createdAt,
  updatedAt,
})

export function toPaymentText(payment: Omit<Payment, 'createdAt' | 'updatedAt'>): string {
  const {createdAt: _created, updatedAt: _updated, ...rest} = payment as Payment
  return JSON.stringify(rest)
}

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

// When the money was, or may have been, spent: when the request was armed or, if it was adopted, when the service created it.
export const getSpentAt = ({attempts, madeAt}: Pick<Payment, 'attempts' | 'madeAt'>) =>
  attempts.at(-1)?.armedAt ?? madeAt ?? null

// The currency, the amount and the destination.
const getContentValues = ({content: {source, destination}}: Pick<Payment, 'content'>): SqlValue[] => [
  source.sourceCurrency.toUpperCase(),
  source.sourceAmount,
  destination.destinationPaymentAccountId,
]

export function getCreatedValues(intent: Intent, writeId: string): SqlValue[] {
  const {serviceId, key, content, template, slot} = intent
  const payment: Omit<Payment, 'createdAt' | 'updatedAt'> = {
    serviceId,
    key,
    ...(template !== undefined && {template}),
    ...(slot !== undefined && {slot}),
    content,
    state: 'INTENDED',
    attempts: [],
  }
  const names = [serviceId, key, template ?? null, slot ?? null]
  return [...names, ...getContentValues(payment), toPaymentText(payment), writeId]
}

// The values of a commit from the state to the write id.
export const getChangedValues = (payment: Payment, writeId: string): SqlValue[] => [
  payment.state,
  toPaymentText(payment),
  ...getContentValues(payment),
  payment.transactionId ?? null,
  getSpentAt(payment),
  writeId,
]
