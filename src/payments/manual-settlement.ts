// What a person decides about a payment that cannot be settled otherwise; recorded with when and why.
import {badUsage} from '../errors.ts'
import {contentOfTransaction, isContentKnown} from './payment-content.ts'
import type {Journal} from './journal/journal.ts'
import {holding, leased} from './pay.ts'
import {type Payment, lastAttempt, unsettledStates} from './payment.ts'
import type {Fields} from './service.ts'
import {type PaymentContext, committed} from './context.ts'

export type Decision = {adopt: Fields} | 'abandon'

const aPerson = 'a person'

// A person who adopted the wrong one may name the right one.
const wasDecided = ({place, key}: Payment, journal: Journal) =>
  journal.history(place, key).at(-1)?.detail?.['by'] === aPerson

export function refuseDecision(payment: Payment, decision: 'adopt' | 'abandon', journal: Journal): void {
  const {key, state, transactionId} = payment
  if (state === 'CREATED' && decision === 'adopt' && wasDecided(payment, journal)) return
  if (state === 'CREATED') {
    throw badUsage(`The payment ${key} is settled: it is the transaction ${transactionId}`, 'Nothing was changed')
  }
  if (decision === 'adopt' || unsettledStates.includes(state)) return
  throw badUsage(
    `The payment ${key} is ${state}, so no transaction of it can be under way`,
    'There is nothing to abandon; nothing was changed',
  )
}

export function refuseOtherCustomer({key, content}: Payment, transaction: Fields): void {
  const {customerId} = transaction
  if (!isContentKnown(content) || String(customerId).toLowerCase() === content.customerId.toLowerCase()) return
  throw badUsage(
    `The transaction ${String(transaction['transactionId'])} does not belong to the customer of the payment ${key}`,
    'Give one of the same customer; nothing was changed',
  )
}

// A transaction is one payment: two keys that share it would hide that one of them was never paid, or paid otherwise.
export function refuseAdopted({place, key}: Payment, transaction: Fields, journal: Journal): void {
  const {transactionId} = transaction
  const other = journal
    .list({place, states: ['CREATED']})
    .find((one) => one.key !== key && one.transactionId === transactionId)
  if (!other) return
  throw badUsage(
    `The transaction ${String(transactionId)} is the payment ${other.key} already`,
    `See \`svc journal show ${other.key}\`; nothing was changed`,
  )
}

export const questionOf = ({key}: Payment, decision: Decision) =>
  decision === 'abandon'
    ? `Record that the payment ${key} was never made, so that its key may be paid again?`
    : `Record that the payment ${key} is the transaction ${String(decision.adopt['transactionId'])}?`

function changeOf({content}: Payment, decision: Decision): Partial<Payment> {
  if (decision === 'abandon') return {state: 'ABANDONED'}
  const {adopt} = decision
  const madeAt = Date.parse(String(adopt['createdAt']))
  return {
    state: 'CREATED',
    transactionId: String(adopt['transactionId']),
    ...(!isContentKnown(content) && {content: contentOfTransaction(adopt)}),
    ...(!Number.isNaN(madeAt) && {madeAt}),
  }
}

// While the quote lives, bytes that are still on their way may be executed.
export function quoteStillLives(payment: Payment, nowMs: number): string | undefined {
  const {quoteExpiresAt = 0, bytes} = lastAttempt(payment) ?? {}
  if (bytes === undefined || quoteExpiresAt <= nowMs) return undefined
  return `its quote lives until ${new Date(quoteExpiresAt).toISOString()}, and what was sent may be made until then`
}

// Whoever works on the payment is waited for, and what it came to may leave nothing to decide.
export async function decide(
  world: PaymentContext,
  payment: Payment,
  decision: Decision,
  why: string,
): Promise<Payment> {
  const {lease, payment: current} = await leased(world, payment)
  return holding(world, lease, async () => {
    refuseDecision(current, decision === 'abandon' ? 'abandon' : 'adopt', world.journal)
    const hand = {world, lease, limits: {}, isGuaranteed: false, payment: current}
    const change = changeOf(current, decision)
    const {state = current.state, transactionId} = change
    const what = state === 'CREATED' ? 'ADOPTED' : 'ABANDONED'
    const detail = {by: aPerson, why, ...(transactionId !== undefined && {transactionId})}
    return committed(hand, change, {what, detail}).payment
  })
}
