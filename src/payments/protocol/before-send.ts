// What is looked at before anything is sent: the service's list, and what it says about a request that was refused. A refusal may
// come although the transaction was made, and the list may show it only later. So where keys are not known to be honoured, nothing
// more is sent under the key before the list was read late enough to show it.
import {describeOperator} from '../../profiles/operator.ts'
import type {LeasedPayment, PaymentContext} from './context.ts'
import {type Search, clockToleranceMs, searchBeforeSend} from './find-transaction.ts'
import {listContentChanges} from './compare.ts'
import {adopt, canChangeContent, createKeyUsedError} from './key-use.ts'
import {RefusedRecently, SearchFailed} from './payment-errors.ts'
import {type Attempt, type Payment, type PaymentContent, getLastAttempt} from './payment.ts'
import {commitChange} from './record.ts'

type ClockContext = Pick<PaymentContext, 'areKeysHonoured' | 'clock' | 'listLagMaxMs'>

// The last attempt that the service refused, if it matters whether it made something all the same.
const findRefusal = ({areKeysHonoured}: ClockContext, {attempts}: Payment): Attempt | undefined =>
  areKeysHonoured ? undefined : attempts.findLast(({refusedAt}) => refusedAt !== undefined)

// From when on the list shows what the service made, by the service's clock. Undefined if that does not matter.
export function getClearTime(context: ClockContext, payment: Payment): number | undefined {
  const {refusedAt} = findRefusal(context, payment) ?? {}
  return refusedAt === undefined ? undefined : refusedAt + context.listLagMaxMs + clockToleranceMs
}

// How long until a list can confirm the refusal: by the service's clock, and by that of this machine.
function getWaitMs(context: ClockContext, payment: Payment, {startedMs}: Search, startedLocallyMs: number): number {
  const {listLagMaxMs} = context
  const {refusedAt, refusedLocallyAt = 0} = findRefusal(context, payment) ?? {}
  if (refusedAt === undefined) return 0
  return Math.max(
    refusedAt + listLagMaxMs + clockToleranceMs - startedMs,
    refusedLocallyAt + listLagMaxMs - startedLocallyMs,
    0,
  )
}

// Somebody takes the risk to pay twice. The journal keeps who it was.
function recordRetry(context: PaymentContext, leased: LeasedPayment): Promise<LeasedPayment> {
  const {user, host} = describeOperator()
  return commitChange(context, leased, {}, {what: 'RETRIED_NOW', detail: {user, host}})
}

// Where the list cannot be read, it is not said that nothing was made by the attempt that was refused last.
async function searchRefused(context: PaymentContext, payment: Payment) {
  try {
    return await searchBeforeSend(context, payment, undefined)
  } catch (error) {
    const isLast = getLastAttempt(payment)?.refusedAt !== undefined
    if (!isLast || !(error instanceof SearchFailed) || error.kind === 'unauthenticated') throw error
    throw new RefusedRecently(payment, getClearTime(context, payment), error)
  }
}

// What the list has of the payment, once it can be relied upon: a refusal that may still be contradicted is waited for, or ends the
// run, unless somebody said to send it now.
async function searchUntilSure(context: PaymentContext, {payment}: LeasedPayment) {
  for (;;) {
    const isRefused = findRefusal(context, payment) !== undefined
    const startedLocallyMs = context.clock.wall()
    const {match, search} = isRefused
      ? await searchRefused(context, payment)
      : await searchBeforeSend(context, payment, context.findListed)
    context.checkpoint('searched')
    const waitMs = match ? 0 : getWaitMs(context, payment, search, startedLocallyMs)
    if (waitMs === 0 || context.afterRefusal === 'retry') return {match, search, isSure: waitMs === 0}
    if (context.afterRefusal !== 'wait' || context.remainingMs() < waitMs) {
      throw new RefusedRecently(payment, getClearTime(context, payment))
    }
    await context.pause(waitMs)
  }
}

// Searches the service's list before anything is sent: another host may have paid, this journal may be new, or a request that was
// refused may have been carried out.
export async function searchService(context: PaymentContext, leased: LeasedPayment): Promise<LeasedPayment> {
  const {match, search, isSure} = await searchUntilSure(context, leased)
  if (match) return adopt(context, leased, match)
  const searched = {...leased, searchedTicks: search.seenUntilTicks}
  return isSure ? searched : recordRetry(context, searched)
}

// Changes the content of a key, which is possible as long as nothing can have been made under it. The service's list is searched
// first: another host may have paid the old content, and then it is permanent.
export async function changeContent(
  context: PaymentContext,
  leased: LeasedPayment,
  content: PaymentContent,
): Promise<LeasedPayment> {
  const {payment} = leased
  if (!canChangeContent(payment)) throw createKeyUsedError(payment, content)
  const {match} = await searchUntilSure({...context, findListed: context.lookAgain}, leased)
  if (match) {
    const {payment: adopted} = await adopt(context, leased, match)
    throw createKeyUsedError(adopted, content)
  }
  const changes = listContentChanges(payment.content, content)
  const {user, host} = describeOperator()
  const entry = {what: 'CONTENT_CHANGED', detail: {changes: changes.join('; '), user, host}}
  const {customerId} = payment.content
  const isOtherCustomer = content.customerId.toLowerCase() !== customerId.toLowerCase()
  const attempts = payment.attempts.map((attempt) => ({
    ...(isOtherCustomer && {customerId}),
    ...attempt,
    hadOtherContent: true as const,
  }))
  const changed = await commitChange(context, leased, {content, state: 'INTENDED', attempts}, entry)
  context.checkpoint('changed')
  context.onContentChanged?.(changed.payment, changes)
  return changed
}
