// What speaks against sending a payment that was not made yet: a clock that names the wrong slot, a slot that has not come, or a
// possible duplicate.
import {createRefusal} from '../../controls/limits.ts'
import {SvcError} from '../../errors.ts'
import {normalizeAmount} from '../../values/money.ts'
import {countNoun} from '../../values/text.ts'
import {formatDuration, formatUtcTime} from '../../values/time.ts'
import type {Intent} from '../journal/journal.ts'
import {type SlotTime, isSlotAhead} from './slots.ts'
import type {ServerClock} from '../protocol/clock.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {reportMade} from '../protocol/drive.ts'
import {type Payment, type PaymentContent, getMadeMs, spendingStates} from '../protocol/payment.ts'
import {readHead} from '../protocol/search.ts'

// A slot that a clock chose is trusted up to this difference from another clock.
const clockDifferenceMaxMs = 120_000

// A wrong clock chooses the wrong slot: svc would report another slot as paid, or pay one before its time.
export function findClockObjection({observedAheadMs}: Pick<ServerClock, 'observedAheadMs'>, key: string) {
  const behindMs = observedAheadMs() ?? 0
  const differenceMs = Math.abs(behindMs)
  if (differenceMs < clockDifferenceMaxMs) return undefined
  const difference = `${formatDuration(differenceMs)} ${behindMs > 0 ? 'behind' : 'ahead of'}`
  return createRefusal(
    'CLOCK_DIFFERS',
    `Nothing was sent for ${key}: the clock of this machine is ${difference} that of the service, so the slot may be the wrong one`,
    'Set the clock right, or name the slot with --slot',
  )
}

// Any reply tells the service's time. Nothing is concluded from one that does not come.
export const learnTime = (context: Pick<PaymentContext, 'service'>, customerId: string): Promise<void> =>
  ignoreFailure(readHead(context, customerId))

// For what helps where it succeeds, and changes nothing where it does not.
export async function ignoreFailure(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof SvcError)) throw error
  })
}

// Throws if the slot has not begun by this machine's clock, nor by the service's, which is asked: that of a sandbox may be moved. Paid
// before its time, a slot would not be paid when it comes.
export async function rejectSlotAhead(
  context: Pick<PaymentContext, 'service' | 'clock'>,
  customerId: string,
  {template, time}: {template: string; time: SlotTime},
): Promise<void> {
  if (!isSlotAhead(template, time, Date.now())) return
  await learnTime(context, customerId)
  if (!isSlotAhead(template, time, Math.max(Date.now(), context.clock.latest()))) return
  throw createRefusal(
    'SLOT_AHEAD',
    `Nothing was sent: the slot ${time.named?.text ?? ''} has not come yet`,
    'Run it then',
  )
}

const describeSum = ({destination}: PaymentContent, currency: string, amount: string) =>
  JSON.stringify([destination.destinationPaymentAccountId, currency.toUpperCase(), normalizeAmount(amount)])

// Equal for two payments of the same amount and currency to the same account.
export const toDuplicateKey = (content: PaymentContent): string =>
  describeSum(content, content.source.sourceCurrency, content.source.sourceAmount)

// Whether they send the same to the same account, or let the same arrive there.
const isAlike = (one: PaymentContent, other: PaymentContent): boolean =>
  toDuplicateKey(one) === toDuplicateKey(other) ||
  (one.receive !== undefined &&
    other.receive !== undefined &&
    describeSum(one, one.destination.destinationCurrency, one.receive) ===
      describeSum(other, other.destination.destinationCurrency, other.receive))

// Returns the payments that were, or may have been, made in the window, oldest first. Those that ended badly do not count, and
// neither do other slots of the same template. If the key itself was, or may have been, paid, there are none: running it again
// shows or settles that payment.
async function findDuplicates(
  {journal, clock}: Pick<PaymentContext, 'journal' | 'clock'>,
  {serviceId, key, content, template}: Intent,
  windowMs: number,
): Promise<Payment[]> {
  const own = await journal.find(serviceId, key)
  if (own && spendingStates.includes(own.state)) return []
  const query = {
    serviceId,
    destination: content.destination.destinationPaymentAccountId,
    currency: content.source.sourceCurrency,
    sinceMs: clock.latest() - windowMs,
  }
  return (await journal.listPaidTo(query)).filter(
    (payment) =>
      payment.key !== key &&
      payment.ended === undefined &&
      (template === undefined || payment.template !== template) &&
      isAlike(payment.content, content),
  )
}

const stateWords: Readonly<Record<string, string>> = {CREATED: 'made', ARMED: 'being sent', UNKNOWN: 'maybe made'}

// Says under which key, when, how much, to where, and what is known of it.
export function describeDuplicate(payment: Payment): string {
  const {key, content, state} = payment
  const {source, destination} = content
  const when = formatUtcTime(getMadeMs(payment))
  const amount = `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()}`
  return `${amount} to ${destination.destinationPaymentAccountId} under the key ${key}, ${stateWords[state] ?? state} at ${when}`
}

export const duplicateCode = 'POSSIBLE_DUPLICATE'
const refreshedMax = 5

// The error of a payment that may be a duplicate, without those that the service's list shows to have ended badly by now. Nothing is
// requested if the journal has none, and a list that cannot be read changes nothing. A window of 0 turns the check off.
export async function findDuplicateError(context: PaymentContext, intent: Intent, windowMs: number) {
  const found = windowMs === 0 ? [] : await findDuplicates(context, intent, windowMs)
  // If there are more, those that are left are reason enough to ask.
  for (const payment of found.slice(-refreshedMax)) await ignoreFailure(reportMade(context, payment))
  const duplicates = found.length === 0 ? [] : await findDuplicates(context, intent, windowMs)
  const latest = duplicates.at(-1)
  if (!latest) return undefined
  const more = duplicates.length > 1 ? `, and ${countNoun(duplicates.length - 1, 'other')}` : ''
  return createRefusal(
    duplicateCode,
    `The payment ${intent.key} was not sent, since it may be a duplicate: there is already ${describeDuplicate(latest)}${more}`,
    'If it is meant as another payment, run it again with --allow-duplicates',
  )
}
