// Records the transaction of a payment, whether a send of this run has returned it or it was found.
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {type CommitCheck, JournalUnusable} from '../journal/journal.ts'
import {describeDifferences, describeMade, isOtherPayment, joinDifferences} from './compare.ts'
import {UnrecordedPayment, outcomeUnknown} from './errors.ts'
import {createKeyUsedError, hasOtherContent} from './key-use.ts'
import type {Event} from './next.ts'
import {type Payment, type PaymentContent, readContent, toCreated} from './payment.ts'
import {type Run, commit, getLimits} from './run.ts'
import {wasMadeElsewhere} from './search.ts'

// A transaction belongs to one key, whoever says so: a service that gives a quote twice may answer
// with the transaction of its first use, under the correlationId of whoever asks.
export const createOwnerCheck = (payment: Payment, transactionId: string): CommitCheck => ({
  transactionId,
  judge({owners: [owner]}) {
    const taken = `the service returned the transaction ${transactionId}, which is that of the payment ${owner?.key}`
    if (owner) throw outcomeUnknown(payment, taken)
  },
})

// Records the transaction of the payment. ADOPTED means that it was found at the service, not
// returned by a send of this run.
export async function recordCreated(
  run: Run,
  transaction: LooseTransaction,
  what: 'CREATED' | 'ADOPTED',
): Promise<Event> {
  const {payment} = run
  const limits = getLimits(run.order, payment)
  const made = describeMade(payment.content, transaction)
  const {transactionId, ended} = made
  const difference = joinDifferences(describeDifferences({...payment, limits}, transaction))
  const entry = {what, detail: {transactionId, ...(difference && {difference}), ...(ended && {ended})}}
  const check = createOwnerCheck(payment, transactionId)
  const created = toCreated(payment, {...made, ...(what === 'ADOPTED' && {limits})})
  await commit(run, created, entry, check).catch((error: unknown) => {
    const failure = error instanceof SvcError && error.cause instanceof JournalUnusable ? error.cause : error
    throw failure instanceof JournalUnusable ? new UnrecordedPayment(payment, transactionId, failure) : error
  })
  run.transaction = transaction
  run.wasAdopted = what === 'ADOPTED'
  return {what: 'created'}
}

// Records that the service has the transaction of this payment. Another journal, or an attempt with
// other content, may have paid somebody else with it, or another amount: then the key belongs to
// that payment.
export async function adopt(run: Run, transaction: LooseTransaction): Promise<Event> {
  const {order, payment} = run
  const isChanged = hasOtherContent(payment, order.intent)
  const ownAttempts = payment.attempts.filter(({hadOtherContent}) => !hadOtherContent)
  const isOther = wasMadeElsewhere(ownAttempts, transaction) && isOtherPayment(payment.content, transaction)
  const content = isOther ? readContent(transaction) : takeSentAmount(payment, transaction)
  run.payment = {...payment, content}
  const event = await recordCreated(run, transaction, 'ADOPTED')
  const wasSent = isOther && payment.state === 'UNKNOWN'
  if (isOther || isChanged) throw createKeyUsedError(run.payment, order.intent.content, wasSent)
  return event
}

// Takes over the amount that was sent. For a sum that is to arrive, another journal, or an attempt
// before this one, may have sent another amount.
function takeSentAmount({content}: Payment, transaction: LooseTransaction): PaymentContent {
  const {sourceAmount} = readContent(transaction).source
  if (content.receive === undefined || sourceAmount === '') return content
  return {...content, source: {...content.source, sourceAmount}}
}
