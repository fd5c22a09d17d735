// Records what a person decided about a payment that cannot be settled otherwise, with the time and
// the reason.
import {type LooseTransaction, readBadEnding} from '../contract/loose.ts'
import {badUsage} from '../errors.ts'
import {describeOperator} from '../controls/operator.ts'
import {readText} from '../values/records.ts'
import {svc} from '../values/text.ts'
import type {Journal} from './journal/journal.ts'
import {describeDifferences, describeMade, isOtherPayment, joinDifferences} from './protocol/compare.ts'
import type {PaymentContext} from './protocol/context.ts'
import {createOwnerCheck} from './protocol/create.ts'
import {retryIfLeaseLost, withLease} from './protocol/lease.ts'
import {
  type MadePayment,
  type Payment,
  changeState,
  getLastAttempt,
  getMadeMs,
  isContentKnown,
  isNotMade,
  readContent,
  toCreated,
  unsettledStates,
} from './protocol/payment.ts'
import {belongsToPayment, getPaymentIds} from './protocol/reply.ts'

// The value of `by` in the detail of the entry.
const aPerson = 'a person'

export type Decision = {adopt: LooseTransaction} | 'abandon'

// A person who adopted the wrong transaction may adopt the right one instead, and a person says
// which of several transactions of one key is right.
const canAdoptInstead = (payment: MadePayment, transaction: LooseTransaction) =>
  belongsToPayment(transaction, getPaymentIds(payment)) || payment.settledBy === 'person'

// Throws if the payment needs no decision, or cannot have this transaction. Two keys with the same
// transaction would hide that one of them was not paid, or was paid by another transaction.
export async function requireDecidable(payment: Payment, decision: Decision, journal: Journal): Promise<void> {
  const {serviceId, key, state, content} = payment
  const transaction = decision === 'abandon' ? undefined : decision.adopt

  if (payment.state === 'CREATED' && !(transaction && canAdoptInstead(payment, transaction))) {
    throw badUsage(
      `The payment ${key} is settled: it is the transaction ${payment.transactionId}`,
      'Nothing was changed',
    )
  }

  if (!transaction) {
    if (unsettledStates.includes(state)) return
    throw badUsage(
      `The payment ${key} is ${state}, so it has no transaction that could be pending`,
      'There is nothing to abandon; nothing was changed',
    )
  }
  const id = readText(transaction.transactionId)
  if (isContentKnown(content) && readText(transaction.customerId).toLowerCase() !== content.customerId.toLowerCase()) {
    throw badUsage(
      `The transaction ${id} does not belong to the customer of the payment ${key}`,
      'Give one of the same customer; nothing was changed',
    )
  }

  const owners = await journal.list({serviceId, states: ['CREATED'], transactionIds: [id]})
  const other = owners.find((owner) => owner.key !== key)
  if (!other) return
  throw badUsage(
    `The transaction ${id} already belongs to the payment ${other.key}`,
    `See ${svc`journal show ${other.key}`}; nothing was changed`,
  )
}

export const buildQuestion = ({key}: Payment, decision: Decision) =>
  decision === 'abandon'
    ? `Record that the payment ${key} was never made, so that its key can be paid again?`
    : `Record that the payment ${key} is the transaction ${readText(decision.adopt.transactionId)}?`

// Returns the payment with a transaction, without what an earlier decision said of another one. If
// the transaction is not of this payment, and paid somebody else, another amount or another
// currency, the journal records what it paid, and the key is used.
export function adoptTransaction(payment: Payment, transaction: LooseTransaction) {
  const asked: Payment = {...payment, content: payment.meant ?? payment.content}
  const {content, limits} = asked
  const isOther = !belongsToPayment(transaction, getPaymentIds(asked)) && isOtherPayment(content, transaction)
  const made = describeMade(isOther ? readContent(transaction) : content, transaction)
  const settled = {...made, ...(isOther && {meant: content}), ...(limits && {limits}), settledBy: 'person' as const}
  return {
    adopted: toCreated(payment, settled),
    differences: describeDifferences(asked, transaction),
    isOther,
  }
}

// While the quote is valid, a request that is still on its way can create the transaction.
export function describeLiveQuote(payment: Payment, nowMs: number): string | undefined {
  const {quote, armed} = getLastAttempt(payment) ?? {}
  if (!quote || !armed || quote.expiresAt <= nowMs) return undefined
  const until = new Date(quote.expiresAt).toISOString()
  return `its quote is valid until ${until}, and the request that was sent can still create a transaction until then`
}

// Settles a payment as a person decided, after waiting for a process that works on it. If that
// process settles the payment, the decision is rejected.
export const settleManually = (
  context: PaymentContext,
  known: Payment,
  decision: Decision,
  why: string,
): Promise<Payment> =>
  retryIfLeaseLost(context, () =>
    withLease(context, known, async ({lease, payment}) => {
      const {journal} = context
      await requireDecidable(payment, decision, journal)

      const {user, host} = describeOperator()
      const decider = {by: aPerson, user, host, why}
      if (decision === 'abandon') {
        return journal.commit(lease, changeState(payment, 'ABANDONED'), {what: 'ABANDONED', detail: decider})
      }

      const {adopted, differences} = adoptTransaction(payment, decision.adopt)
      const {transactionId} = adopted
      const difference = joinDifferences(differences)
      const entry = {what: 'ADOPTED', detail: {...decider, transactionId, ...(difference && {difference})}}
      return journal.commit(lease, adopted, entry, createOwnerCheck(payment, transactionId))
    }),
  )

// Takes a payment that was not made off the list of what is owed. Its key stays as free as it was.
export const dismissPayment = (context: PaymentContext, known: Payment, why: string): Promise<Payment> =>
  retryIfLeaseLost(context, () =>
    withLease(context, known, async ({lease, payment}) => {
      const {key, state} = payment
      if (!isNotMade(payment)) throw badUsage(`The payment ${key} is ${state} by now`, 'Nothing was changed')
      const entry = {what: 'DISMISSED', detail: {...describeOperator(), why}}
      return context.journal.commit(lease, {...payment, dismissed: true}, entry)
    }),
  )

// The decision that a bad ending is dealt with, for example by paying under another key.
const endingDealtWith = 'ENDING_DEALT_WITH'

// Throws unless the payment ended badly, or was made and is no longer listed by the service.
export function requireBadEnding(
  payment: Payment,
  transaction: LooseTransaction | undefined,
  {clock, listLagMaxMs}: Pick<PaymentContext, 'clock' | 'listLagMaxMs'>,
): asserts payment is MadePayment {
  const {key, state} = payment
  const isOld = clock.earliest() - getMadeMs(payment) >= listLagMaxMs
  if (state === 'CREATED' && (transaction ? readBadEnding(transaction) : isOld)) return
  const now = transaction ? readText(transaction.transactionStatus) : state
  throw badUsage(
    transaction || state === 'CREATED'
      ? `The transaction of the payment ${key} has not ended badly: it is ${now}`
      : `The payment ${key} may have been made: it is ${now}`,
    '--why alone dismisses a payment that was not made, or says that a bad end is dealt with; nothing was changed',
  )
}

export const dealWithEnding = ({journal}: PaymentContext, {serviceId, key, transactionId}: MadePayment, why: string) =>
  journal.recordDecision({
    kind: endingDealtWith,
    about: {serviceId, key, transactionId},
    who: describeOperator(),
    why,
  })

// Returns the ids of transactions whose bad ending is dealt with, each with the reason given last.
export async function readDealtWith(journal: Pick<Journal, 'listDecisions'>): Promise<ReadonlyMap<string, string>> {
  const decisions = await journal.listDecisions()
  const dealtWith = decisions.filter(({detail}) => detail?.['kind'] === endingDealtWith)
  return new Map(dealtWith.map(({detail}) => [readText(detail?.['transactionId']), readText(detail?.['why'])]))
}
