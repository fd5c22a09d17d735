// A payment as the text that the journal stores, without its times, which are columns: the clock of the store writes them.
import {type Payment, type PaymentState, notMadeStates, unsettledStates} from '../protocol/payment.ts'
import type {Intent} from './journal.ts'

type TimelessPayment = Omit<Payment, 'createdAt' | 'updatedAt'>

// A payment of which nothing but the intent is known.
export const toNewPayment = ({serviceId, key, content, template, slot}: Intent): TimelessPayment => ({
  serviceId,
  key,
  ...(template !== undefined && {template}),
  ...(slot !== undefined && {slot}),
  content,
  state: 'INTENDED',
  attempts: [],
})

export function toPaymentText(payment: TimelessPayment): string {
  const {createdAt: _created, updatedAt: _updated, ...rest} = payment as Payment
  return JSON.stringify(rest)
}

export const readPaymentText = (text: string, createdAt: number, updatedAt: number): Payment => ({
  ...(JSON.parse(text) as TimelessPayment),
  createdAt,
  updatedAt,
})

// When the money was, or may have been, spent: when the request was armed or, if it was adopted, when the service created it.
export const getSpentAt = ({attempts, madeAt}: Pick<Payment, 'attempts' | 'madeAt'>): number | null =>
  attempts.at(-1)?.armedAt ?? madeAt ?? null

// What is searched for, as columns of its own.
export function toColumnValues({content: {source, destination}}: Pick<Payment, 'content'>) {
  return {
    currency: source.sourceCurrency.toUpperCase(),
    amount: source.sourceAmount,
    destination: destination.destinationPaymentAccountId,
  }
}

// SQL conditions on the state of payments. They are written out, since an index covers some states alone and is used only if its own
// condition is part of the query.
const toCondition = (states: readonly PaymentState[]) => `state in (${states.map((state) => `'${state}'`).join(', ')})`

const coveredStates = [unsettledStates, notMadeStates]

export function buildStateConditions(states: readonly PaymentState[] | undefined): string[] {
  if (states === undefined) return []
  const covered = coveredStates.find((each) => states.every((state) => each.includes(state)))
  return [toCondition(states), ...(covered && covered.length !== states.length ? [toCondition(covered)] : [])]
}
