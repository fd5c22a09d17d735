// Finds payments of the same amount to the same account under another key, which may be the same payment by mistake.
import {SvcError} from '../../errors.ts'
import {normalizeAmount} from '../../values/money.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {fetchOwnTransactions} from '../protocol/find-transaction.ts'
import {formatUtcTime} from '../../values/time.ts'
import type {Intent} from '../journal/journal.ts'
import {noteBadEnding} from '../protocol/note-bad-ending.ts'
import {type Payment, getLastAttempt, spendingStates} from '../protocol/payment.ts'
import type {PaymentContent} from '../protocol/payment-content.ts'
import {isSameTemplate} from '../plan/slots.ts'

// Equal for two payments of the same amount and currency to the same account.
export const toDuplicateKey = ({source, destination}: PaymentContent): string =>
  JSON.stringify([
    destination.destinationPaymentAccountId,
    source.sourceCurrency.toUpperCase(),
    normalizeAmount(source.sourceAmount),
  ])

export interface DuplicateQuery {
  intent: Intent
  // Payments that are older do not count. 0 turns the check off.
  windowMs: number
}

// Returns the payments that were, or may have been, made in the window, oldest first. Those that ended badly do not count, and
// neither do other slots of the same template. If the key itself was, or may have been, paid, there are none: running it again
// shows or settles that payment.
export async function findDuplicates(
  {journal, clock}: Pick<PaymentContext, 'journal' | 'clock'>,
  {intent, windowMs}: DuplicateQuery,
): Promise<Payment[]> {
  if (windowMs === 0) return []
  const {serviceId, key, content} = intent
  const own = await journal.find(serviceId, key)
  if (own && spendingStates.includes(own.state)) return []
  const query = {
    serviceId,
    destination: content.destination.destinationPaymentAccountId,
    currency: content.source.sourceCurrency,
    sinceMs: clock.latest() - windowMs,
  }
  const wanted = toDuplicateKey(content)
  const paid = await journal.listPaidTo(query)
  return paid.filter(
    (payment) =>
      payment.key !== key &&
      payment.ended === undefined &&
      !isSameTemplate(payment.template, intent.template) &&
      toDuplicateKey(payment.content) === wanted,
  )
}

// Learns from the service's list how the payment ended, and the service's time. A list that cannot be read changes nothing.
async function refreshEnding(context: PaymentContext, payment: Payment): Promise<void> {
  try {
    const own = await fetchOwnTransactions(context, payment)
    const transaction = own.find(({transactionId}) => transactionId === payment.transactionId)
    if (transaction) await noteBadEnding(context, payment, transaction)
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
  }
}

const refreshedMax = 5

// Like findDuplicates, without those that the service's list shows to have ended badly by now. Nothing is requested if the
// journal has none.
export async function findDuplicatesNow(context: PaymentContext, query: DuplicateQuery): Promise<Payment[]> {
  const found = await findDuplicates(context, query)
  // If there are more, those that are left are reason enough to ask.
  for (const payment of found.slice(-refreshedMax)) await refreshEnding(context, payment)
  return found.length === 0 ? [] : findDuplicates(context, query)
}

const stateWords: Readonly<Record<string, string>> = {CREATED: 'made', ARMED: 'being sent', UNKNOWN: 'maybe made'}

// Says under which key, when, how much, to where, and what is known of it.
export function describeDuplicate(payment: Payment): string {
  const {key, content, state, madeAt, updatedAt} = payment
  const {source, destination} = content
  const when = formatUtcTime(madeAt ?? getLastAttempt(payment)?.armedAt ?? updatedAt)
  const amount = `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()}`
  const to = destination.destinationPaymentAccountId
  return `${amount} to ${to} under the key ${key}, ${stateWords[state] ?? state} at ${when}`
}

const namedMax = 3

// Names the latest of them.
export function describeDuplicates(duplicates: readonly Payment[]): string {
  const named = duplicates.slice(-namedMax).map(describeDuplicate).join('; and ')
  const rest = duplicates.length - namedMax
  return rest > 0 ? `${named}; and ${rest} more` : named
}

export const duplicateFound = (key: string, duplicates: readonly Payment[]) =>
  new SvcError({
    error: 'POSSIBLE_DUPLICATE',
    kind: 'limit',
    message: `The payment ${key} was not sent, since it may be a duplicate: there is already ${describeDuplicates(duplicates)}`,
    hint: 'If it is meant as another payment, run it again with --allow-duplicates',
  })
