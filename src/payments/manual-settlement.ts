// What a person decides about a payment that cannot be settled otherwise; recorded with when and why.
import {badUsage} from '../errors.ts'
import {readContent, isContentKnown} from './payment-content.ts'
import type {Journal} from './journal/journal.ts'
import {withLease, acquireLease} from './pay.ts'
import {type Payment, getLastAttempt, unsettledStates} from './payment.ts'
import type {Fields} from './service.ts'
import {type PaymentContext, commitChange} from './context.ts'

export type Decision = {adopt: Fields} | 'abandon'

const manually = 'a person'

// A person who adopted the wrong one may name the right one.
const wasSettledManually = ({serviceId, key}: Payment, journal: Journal) =>
  journal.history(serviceId, key).at(-1)?.detail?.['by'] === manually

export function rejectDecision(payment: Payment, decision: 'adopt' | 'abandon', journal: Journal): void {
  const {key, state, transactionId} = payment
  if (state === 'CREATED' && decision === 'adopt' && wasSettledManually(payment, journal)) return
  if (state === 'CREATED') {
    throw badUsage(`The payment ${key} is settled: it is the transaction ${transactionId}`, 'Nothing was changed')
  }
  if (decision === 'adopt' || unsettledStates.includes(state)) return
  throw badUsage(
    `The payment ${key} is ${state}, so no transaction of it can be under way`,
    'There is nothing to abandon; nothing was changed',
  )
}

export function rejectOtherCustomer({key, content}: Payment, transaction: Fields): void {
  const {customerId} = transaction
  if (!isContentKnown(content) || String(customerId).toLowerCase() === content.customerId.toLowerCase()) return
  throw badUsage(
    `The transaction ${String(transaction['transactionId'])} does not belong to the customer of the payment ${key}`,
    'Give one of the same customer; nothing was changed',
  )
}

// A transaction is one payment: two keys that share it would hide that one of them was never paid, or paid otherwise.
export function rejectAdopted({serviceId, key}: Payment, transaction: Fields, journal: Journal): void {
  const {transactionId} = transaction
  const other = journal
    .list({serviceId, states: ['CREATED']})
    .find((one) => one.key !== key && one.transactionId === transactionId)
  if (!other) return
  throw badUsage(
    `The transaction ${String(transactionId)} is the payment ${other.key} already`,
    `See \`svc journal show ${other.key}\`; nothing was changed`,
  )
}

export const buildQuestion = ({key}: Payment, decision: Decision) =>
  decision === 'abandon'
    ? `Record that the payment ${key} was never made, so that its key may be paid again?`
    : `Record that the payment ${key} is the transaction ${String(decision.adopt['transactionId'])}?`

function toChange({content}: Payment, decision: Decision): Partial<Payment> {
  if (decision === 'abandon') return {state: 'ABANDONED'}
  const {adopt} = decision
  const madeAt = Date.parse(String(adopt['createdAt']))
  return {
    state: 'CREATED',
    transactionId: String(adopt['transactionId']),
    ...(!isContentKnown(content) && {content: readContent(adopt)}),
    ...(!Number.isNaN(madeAt) && {madeAt}),
  }
}

// While the quote lives, bytes that are still on their way may be executed.
export function describeLiveQuote(payment: Payment, nowMs: number): string | undefined {
  const {quoteExpiresAt = 0, bytes} = getLastAttempt(payment) ?? {}
  if (bytes === undefined || quoteExpiresAt <= nowMs) return undefined
  return `its quote lives until ${new Date(quoteExpiresAt).toISOString()}, and what was sent may be made until then`
}

// Whoever works on the payment is waited for, and what it came to may leave nothing to decide.
export async function settleManually(
  context: PaymentContext,
  payment: Payment,
  decision: Decision,
  why: string,
): Promise<Payment> {
  const {lease, payment: current} = await acquireLease(context, payment)
  return withLease(context, lease, async () => {
    rejectDecision(current, decision === 'abandon' ? 'abandon' : 'adopt', context.journal)
    const leased = {context, lease, limits: {}, isGuaranteed: false, payment: current}
    const change = toChange(current, decision)
    const {state = current.state, transactionId} = change
    const what = state === 'CREATED' ? 'ADOPTED' : 'ABANDONED'
    const detail = {by: manually, why, ...(transactionId !== undefined && {transactionId})}
    return commitChange(leased, change, {what, detail}).payment
  })
}
