// Records what a person decided about a payment that cannot be settled otherwise, with the time and the reason.
import type {LooseTransaction} from '../../contract/loose.ts'
import {badUsage} from '../../errors.ts'
import type {PaymentContext} from './context.ts'
import {hasOtherDestination, isOtherPayment, readMadeContent} from './compare.ts'
import {describeDifferences, joinDifferences} from './differences.ts'
import {getPaymentIds} from './find-transaction.ts'
import {type Journal, LeaseLost, aPerson, decided} from '../journal/journal.ts'
import {acquireLease, withLease} from './lease.ts'
import {
  type Payment,
  type PaymentContent,
  getLastAttempt,
  isContentKnown,
  readBadEnding,
  readContent,
  unsettledStates,
} from './payment.ts'
import {commitChange, createOwnerCheck} from './record.ts'
import {belongsToPayment} from './send-outcome.ts'
import {readText} from '../../values/records.ts'
import {describeOperator} from '../../values/operator.ts'
import {quoteForShell} from '../../values/text.ts'
import {toInstantMs} from '../../values/time.ts'

export type Decision = {adopt: LooseTransaction} | 'abandon'

// Lines that say nothing about which transaction the payment is.
const otherLines: ReadonlySet<string> = new Set(['ENDED', decided])

// Whether a person decided about the payment, and nothing but its ending was recorded since.
export async function wasSettledManually({serviceId, key}: Payment, journal: Journal): Promise<boolean> {
  const history = await journal.history(serviceId, key)
  return history.findLast(({what}) => !otherLines.has(what))?.detail?.['by'] === aPerson
}

// Somebody who adopted the wrong transaction may adopt the right one, and of several transactions of one key a person says
// which one it is.
async function canAdoptInstead(payment: Payment, transaction: LooseTransaction, journal: Journal): Promise<boolean> {
  return belongsToPayment(transaction, getPaymentIds(payment)) || wasSettledManually(payment, journal)
}

export async function rejectDecision(payment: Payment, decision: Decision, journal: Journal): Promise<void> {
  const {key, state, transactionId} = payment
  if (state === 'CREATED' && decision !== 'abandon' && (await canAdoptInstead(payment, decision.adopt, journal))) return
  if (state === 'CREATED') {
    throw badUsage(`The payment ${key} is settled: it is the transaction ${transactionId}`, 'Nothing was changed')
  }
  if (decision !== 'abandon' || unsettledStates.includes(state)) return
  throw badUsage(
    `The payment ${key} is ${state}, so it has no transaction that could be pending`,
    'There is nothing to abandon; nothing was changed',
  )
}

export function rejectOtherCustomer({key, content}: Payment, transaction: LooseTransaction): void {
  const customerId = String(transaction.customerId)
  if (!isContentKnown(content) || customerId.toLowerCase() === content.customerId.toLowerCase()) return
  throw badUsage(
    `The transaction ${String(transaction.transactionId)} does not belong to the customer of the payment ${key}`,
    'Give one of the same customer; nothing was changed',
  )
}

// Two keys with the same transaction would hide that one of them was not paid, or was paid by another transaction.
export async function rejectAdopted(
  {serviceId, key}: Payment,
  {transactionId}: LooseTransaction,
  journal: Journal,
): Promise<void> {
  const owners = await journal.list({serviceId, states: ['CREATED'], transactionIds: [String(transactionId)]})
  const other = owners.find((payment) => payment.key !== key)
  if (!other) return
  throw badUsage(
    `The transaction ${String(transactionId)} already belongs to the payment ${other.key}`,
    `See \`svc journal show ${quoteForShell(other.key)}\`; nothing was changed`,
  )
}

export const buildQuestion = ({key}: Payment, decision: Decision) =>
  decision === 'abandon'
    ? `Record that the payment ${key} was never made, so that its key can be paid again?`
    : `Record that the payment ${key} is the transaction ${String(decision.adopt.transactionId)}?`

// The payment as it was asked for, also if another transaction was adopted for it before.
const restoreMeant = ({meant, ...payment}: Payment): Payment => (meant ? {...payment, content: meant} : payment)

// Whether the transaction is not of this payment, and paid somebody else, another amount or another currency.
const paidSomethingElse = (payment: Payment, transaction: LooseTransaction) =>
  !belongsToPayment(transaction, getPaymentIds(payment)) && isOtherPayment(payment.content, transaction)

// One line for each difference between what the payment asked for and the transaction, and what the journal makes of them.
export function describeAdoption(payment: Payment, transaction: LooseTransaction): string[] {
  const asked = restoreMeant(payment)
  const differences = describeDifferences(asked, transaction)
  if (!paidSomethingElse(asked, transaction)) return differences
  return [
    ...differences,
    `the payment ${payment.key} asked for something else, so the journal records what the transaction paid, and the key is used`,
  ]
}

// What the transaction paid, as the content of the payment.
function toAdoptedContent(
  asked: Payment,
  transaction: LooseTransaction,
): {content: PaymentContent; meant?: PaymentContent} {
  const {content} = asked
  if (!isContentKnown(content)) return {content: readContent(transaction)}
  if (!paidSomethingElse(asked, transaction)) return {content}
  return {content: readMadeContent(content, transaction), meant: content}
}

// The payment without what an earlier decision said of its transaction.
function adoptTransaction(payment: Payment, transaction: LooseTransaction): Payment {
  const {ended: _ended, wentElsewhere: _wentElsewhere, ...asked} = restoreMeant(payment)
  const adopted = toAdoptedContent(asked, transaction)
  const madeAt = toInstantMs(transaction.createdAt)
  const ended = readBadEnding(transaction)
  return {
    ...asked,
    ...adopted,
    state: 'CREATED',
    transactionId: String(transaction.transactionId),
    ...(madeAt !== undefined && {madeAt}),
    ...(ended && {ended}),
    ...(hasOtherDestination(adopted.content, readContent(transaction)) && {wentElsewhere: true}),
  }
}

// While the quote is valid, a request that is still on its way can create the transaction.
export function describeLiveQuote(payment: Payment, nowMs: number): string | undefined {
  const {quoteExpiresAt = 0, bytes} = getLastAttempt(payment) ?? {}
  if (bytes === undefined || quoteExpiresAt <= nowMs) return undefined
  const until = new Date(quoteExpiresAt).toISOString()
  return `its quote is valid until ${until}, and the request that was sent can still create a transaction until then`
}

// Waits for a process that works on the payment, also for one that takes it over meanwhile. If that process settles it, the decision
// is rejected.
export async function settleManually(
  context: PaymentContext,
  known: Payment,
  decision: Decision,
  why: string,
): Promise<Payment> {
  for (;;) {
    try {
      return await recordDecision(context, known, decision, why)
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
    }
  }
}

async function recordDecision(
  context: PaymentContext,
  known: Payment,
  decision: Decision,
  why: string,
): Promise<Payment> {
  const {lease, payment} = await acquireLease(context, known)
  return withLease(context, lease, async () => {
    await rejectDecision(payment, decision, context.journal)
    const {user, host} = describeOperator()
    const decider = {by: aPerson, user, host, why}
    const leased = {lease, limits: {}, isGuaranteed: false, payment}
    if (decision === 'abandon') {
      const entry = {what: 'ABANDONED', detail: decider}
      return (await commitChange(context, leased, {state: 'ABANDONED'}, entry)).payment
    }
    const {adopt} = decision
    const transactionId = String(adopt.transactionId)
    const difference = joinDifferences(describeDifferences(restoreMeant(payment), adopt))
    const detail = {...decider, transactionId, ...(difference && {difference})}
    const adopted = {...leased, payment: adoptTransaction(payment, adopt)}
    const check = createOwnerCheck(payment, transactionId)
    return (await commitChange(context, adopted, {}, {what: 'ADOPTED', detail}, check)).payment
  })
}

// A payment whose transaction ended badly keeps its key, so a person says that it is dealt with, for example paid under another key.
const endingDealtWith = 'ENDING_DEALT_WITH'

export function rejectGoodEnding({key, state}: Payment, transaction: LooseTransaction | undefined): void {
  if (transaction && readBadEnding(transaction)) return
  const now = transaction ? readText(transaction.transactionStatus) : state
  throw badUsage(
    `The transaction of the payment ${key} has not ended badly: it is ${now}`,
    '--why alone says that a bad end is dealt with; nothing was changed',
  )
}

export const dealWithEnding = ({journal}: PaymentContext, {serviceId, key, transactionId = ''}: Payment, why: string) =>
  journal.recordDecision({
    kind: endingDealtWith,
    about: {serviceId, key, transactionId},
    who: describeOperator(),
    why,
  })

// The transactions that ended badly and of which somebody said that it is dealt with, with the reason that was given last.
export async function readDealtWith(journal: Pick<Journal, 'listDecisions'>): Promise<ReadonlyMap<string, string>> {
  const decisions = await journal.listDecisions()
  const dealtWith = decisions.filter(({detail}) => detail?.['kind'] === endingDealtWith)
  return new Map(dealtWith.map(({detail}) => [readText(detail?.['transactionId']), readText(detail?.['why'])]))
}
