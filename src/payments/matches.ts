// Looks for a payment among the customer's transactions.
import {plainAmount} from '../checks/money.ts'
import {isOurs} from './answers.ts'
import {correlationIdOf} from './content.ts'
import type {Payment} from './payment.ts'
import type {Fields} from './service.ts'
import type {World} from './world.ts'

const transactionIdOf = ({transactionId}: Fields) => (typeof transactionId === 'string' ? transactionId : '')

export const oursOf = ({place, key, attempts}: Payment) => ({
  quoteIds: attempts.map(({quoteId}) => quoteId),
  correlationId: correlationIdOf(place, key),
})

// Every transaction of the customer that is this payment, once each: a page may show again what moved down from the last.
export async function matchesOf({service}: World, payment: Payment): Promise<Fields[]> {
  const ours = oursOf(payment)
  const found = new Map<string, Fields>()
  for await (const page of service.transactions(payment.content.customerId)) {
    for (const one of page) if (isOurs(one, ours)) found.set(transactionIdOf(one), one)
  }
  found.delete('')
  return [...found.values()]
}

// A difference is worth telling; it is never a reason to pay again.
export function differencesIn({content}: Payment, transaction: Fields): string[] {
  const source = (transaction['source'] ?? {}) as Fields
  const amount = source['sourceAmount']
  const meant = content.source.sourceAmount
  if (typeof amount !== 'string' || plainAmount(amount) === plainAmount(meant)) return []
  return [`the service has ${amount} ${content.source.sourceCurrency}, and ${meant} was meant`]
}

// The transaction with this id, read again; a list may lag behind.
export async function transactionOf({service}: World, {content, transactionId}: Payment): Promise<Fields | undefined> {
  for await (const page of service.transactions(content.customerId)) {
    const found = page.find((one) => one['transactionId'] === transactionId)
    if (found) return found
  }
  return undefined
}
