// What a person decides about a payment that cannot be settled otherwise; recorded with when and why.
import {badUsage} from '../errors.ts'
import {contentOfTransaction, isContentKnown} from './content.ts'
import {holding, leased} from './pay.ts'
import {type Payment, unsettledStates} from './payment.ts'
import type {Fields} from './service.ts'
import {type World, committed} from './world.ts'

export type Decision = {adopt: Fields} | 'abandon'

export function refuseDecision({key, state, transactionId}: Payment, decision: 'adopt' | 'abandon'): void {
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

// Whoever works on the payment is waited for, and what it came to may leave nothing to decide.
export async function decide(world: World, payment: Payment, decision: Decision, why: string): Promise<Payment> {
  const {lease, payment: current} = await leased(world, payment)
  return holding(world, lease, async () => {
    refuseDecision(current, decision === 'abandon' ? 'abandon' : 'adopt')
    const hand = {world, lease, limits: {}, isGuaranteed: false, payment: current}
    const change = changeOf(current, decision)
    const {state = current.state, transactionId} = change
    const what = state === 'CREATED' ? 'ADOPTED' : 'ABANDONED'
    const detail = {by: 'a person', why, ...(transactionId !== undefined && {transactionId})}
    return committed(hand, change, {what, detail}).payment
  })
}
