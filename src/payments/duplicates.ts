// Finds payments of the same amount to the same account under another key, which may be the same payment by mistake.
import {SvcError} from '../errors.ts'
import {normalizeAmount} from '../validation/money.ts'
import type {PaymentContext} from './context.ts'
import {formatTime} from './format-time.ts'
import type {Intent} from './journal/journal.ts'
import {type Payment, getLastAttempt, spendingStates} from './payment.ts'
import type {PaymentContent} from './payment-content.ts'
import {isSameTemplate} from './slots.ts'

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
// neither do other slots of the same template. A payment that was, or may have been, made under its own key has none: running it
// again shows or settles it.
export function findDuplicates(
  {journal, clock}: Pick<PaymentContext, 'journal' | 'clock'>,
  {intent, windowMs}: DuplicateQuery,
): Payment[] {
  if (windowMs === 0) return []
  const {serviceId, key, content} = intent
  const own = journal.find(serviceId, key)
  if (own && spendingStates.includes(own.state)) return []
  const query = {
    serviceId,
    destination: content.destination.destinationPaymentAccountId,
    currency: content.source.sourceCurrency,
    sinceMs: clock.latest() - windowMs,
  }
  const wanted = toDuplicateKey(content)
  return journal
    .listPaidTo(query)
    .filter(
      (payment) =>
        payment.key !== key &&
        payment.ended === undefined &&
        !isSameTemplate(payment.template, intent.template) &&
        toDuplicateKey(payment.content) === wanted,
    )
}

// The same, by the time that the service tells now. Nothing is requested if there can be none.
export async function findDuplicatesNow(context: PaymentContext, query: DuplicateQuery): Promise<Payment[]> {
  if (findDuplicates(context, query).length === 0) return []
  const pages = context.service.transactions(query.intent.content.customerId, {isFirstPageEnough: true})
  await pages[Symbol.asyncIterator]().next()
  return findDuplicates(context, query)
}

const stateWords: Readonly<Record<string, string>> = {CREATED: 'made', ARMED: 'being sent', UNKNOWN: 'maybe made'}

// Says under which key, when, how much, to where, and what is known of it.
export function describeDuplicate(payment: Payment): string {
  const {key, content, state, madeAt, updatedAt} = payment
  const {source, destination} = content
  const when = formatTime(madeAt ?? getLastAttempt(payment)?.armedAt ?? updatedAt)
  const amount = `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()}`
  const to = destination.destinationPaymentAccountId
  return `${amount} to ${to} under the key ${key}, ${stateWords[state] ?? state} at ${when}`
}

export const duplicateFound = (key: string, duplicates: readonly Payment[]) =>
  new SvcError({
    error: 'POSSIBLE_DUPLICATE',
    kind: 'limit',
    message: `The payment ${key} was not sent, since it may be a duplicate: there is already ${duplicates.map(describeDuplicate).join('; and ')}`,
    hint: 'If it is meant as another payment, run it again with --allow-duplicates',
  })
