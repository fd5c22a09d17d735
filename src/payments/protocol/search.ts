// Looks for the transactions of a payment in the lists of its customers.
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {readText} from '../../values/records.ts'
import type {PaymentContext} from './context.ts'
import {SearchFailed, outcomeUnknown, paymentError, severalTransactions} from './errors.ts'
import type {Search} from './next.ts'
import type {FoundInLists} from './lists.ts'
import {type MadePayment, type Payment, getSends} from './payment.ts'

// Another host made it if its quote is none of this journal's, or if this journal sent nothing.
export function wasMadeElsewhere(attempts: Payment['attempts'], {quoteId}: LooseTransaction): boolean {
  const id = readText(quoteId)
  return id === '' ? attempts.every((own) => getSends(own) === 0) : attempts.every(({quote}) => quote.id !== id)
}

// Looks for the payment in the lists of its customers: as they are now, or as this run has read
// them. A single read is enough before the first request of a payment where keys are known to be
// honoured: that request makes nothing twice, whatever the read has missed.
export async function findMatches(
  {lists, areKeysHonoured}: Pick<PaymentContext, 'lists' | 'areKeysHonoured'>,
  payment: Payment,
  isFresh: boolean,
): Promise<Search> {
  const isSafe = areKeysHonoured && payment.attempts.every(({armed}) => !armed)
  const {cutBy, ...found} = await lists.find(payment, {isFresh, isOneReadEnough: () => isSafe})
  // A transaction without an id exists, but cannot be recorded.
  const isNamed = found.matches.every(({transactionId}) => readText(transactionId) !== '')
  if (!isNamed) throw outcomeUnknown(payment, 'the service lists it without an id')
  // A match counts even if the list could not be read to its end. One of another key proves nothing
  // about this payment.
  if (cutBy && found.matches.length === 0) throw cutBy
  return found
}

// Searches before anything is sent.
export async function searchListed(context: PaymentContext, payment: Payment, isFresh: boolean): Promise<Search> {
  try {
    return await findMatches(context, payment, isFresh)
  } catch (error) {
    throw error instanceof SvcError && error.kind !== 'unknownOutcome' ? new SearchFailed(error) : error
  }
}

// A person has to decide between several matches.
function pickSingleMatch(payment: Payment, matches: readonly LooseTransaction[]): LooseTransaction | undefined {
  if (matches.length > 1) throw severalTransactions(payment, matches)
  return matches[0]
}

// The transaction of a payment that was made, as the service has it now. The list may not show it
// yet. Several that belong to the payment stop the run, unless a person has decided which one it
// is. So does one that is missing.
export async function readTransaction(
  context: PaymentContext,
  payment: MadePayment,
  isOneFoundEnough = false,
): Promise<{transaction?: LooseTransaction; readError?: SvcError}> {
  const {key, transactionId, settledBy} = payment
  const isListed = (matches: readonly LooseTransaction[]) =>
    matches.some((each) => readText(each.transactionId) === transactionId)
  const isOverdueBy = (ms: number) => isOverdue(context, payment, ms)
  const find = (isFresh: boolean) =>
    context.lists.find(payment, {
      isFresh,
      isOneFoundEnough,
      isOneReadEnough: (matches) => isListed(matches) || !isOverdueBy(context.clock.earliest()),
    })

  let found: FoundInLists
  try {
    found = await find(false)
    const isTooOld = !isListed(found.matches) && !isOverdueBy(found.startedMs)
    if (isTooOld && isOverdueBy(context.clock.earliest())) found = await find(true)
    if (found.cutBy) throw found.cutBy
  } catch (error) {
    if (error instanceof SvcError) return {readError: error}
    throw error
  }

  const own = new Map(found.matches.map((each) => [readText(each.transactionId), each]))
  own.delete('')
  if (own.size > 1 && settledBy !== 'person') pickSingleMatch(payment, [...own.values()])
  const transaction = own.get(transactionId)
  if (transaction) return {transaction}
  if (isOverdueBy(found.startedMs)) throw paymentError('TRANSACTION_MISSING', {key, id: transactionId})
  return {}
}

// Whether the list should show the transaction of a payment by now: it was made longer ago than the
// list may lag, by the service's clock and by that of this machine.
const isOverdue = (
  {clock, listLagMaxMs}: Pick<PaymentContext, 'clock' | 'listLagMaxMs'>,
  {madeAt, attempts, updatedAt}: MadePayment,
  readStartedMs: number,
): boolean =>
  readStartedMs - (madeAt ?? attempts.at(-1)?.armed?.at ?? Number.POSITIVE_INFINITY) > listLagMaxMs &&
  clock.wall() - updatedAt > listLagMaxMs
