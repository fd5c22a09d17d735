// What is looked at before anything is sent: the service's list, and whether the content of the key may change.
import {describeOperator} from '../../values/operator.ts'
import type {LeasedPayment, PaymentContext} from './context.ts'
import {searchBeforeSend} from './find-transaction.ts'
import {listContentChanges} from './compare.ts'
import {adopt, canChangeContent, createKeyUsedError} from './key-use.ts'
import type {PaymentContent} from './payment.ts'
import {commitChange} from './record.ts'

// Searches the service's list before anything is sent: another host may have paid, or this journal may be new.
export async function searchService(context: PaymentContext, leased: LeasedPayment): Promise<LeasedPayment> {
  const {match, search} = await searchBeforeSend(context, leased.payment, context.findListed)
  context.checkpoint('searched')
  return match ? adopt(context, leased, match) : {...leased, searchedTicks: search.seenUntilTicks}
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
  const {match} = await searchBeforeSend(context, payment, context.lookAgain)
  context.checkpoint('searched')
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
