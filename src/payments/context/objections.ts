// What speaks against sending a payment that was not made yet: a clock that names the wrong slot, a slot that has not come, or a
// possible duplicate.
import {createRefusal} from '../../controls/limits.ts'
import {ignoreFailure} from '../../errors.ts'
import {formatDuration} from '../../values/time.ts'
import type {Intent} from '../journal/journal.ts'
import {type SlotTime, isSlotAhead} from '../pay/slots.ts'
import type {ServerClock} from '../protocol/clock.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {reportMade} from '../protocol/made.ts'
import {buildDuplicateQuery, createDuplicateError, pickDuplicates} from '../protocol/duplicates.ts'
import {type Payment, spendingStates} from '../protocol/payment.ts'
import {readHead} from '../protocol/lists.ts'

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

// Returns the payments that were, or may have been, made in the window, oldest first. If the key
// itself was, or may have been, paid, there are none: running it again shows or settles that
// payment.
async function findDuplicates(
  {journal, clock}: Pick<PaymentContext, 'journal' | 'clock'>,
  intent: Intent,
  windowMs: number,
): Promise<Payment[]> {
  const own = await journal.find(intent.serviceId, intent.key)
  if (own && spendingStates.includes(own.state)) return []
  return pickDuplicates(intent, await journal.listPaidTo(buildDuplicateQuery(intent, clock.earliest() - windowMs)))
}

const refreshedMax = 5

// The error of a payment that may be a duplicate, without those that the service's list shows to have ended badly by now. Nothing is
// requested if the journal has none, and a list that cannot be read changes nothing. A window of 0 turns the check off.
export async function findDuplicateError(context: PaymentContext, intent: Intent, windowMs: number) {
  const found = windowMs === 0 ? [] : await findDuplicates(context, intent, windowMs)
  // If there are more, those that are left are reason enough to ask.
  for (const payment of found.slice(-refreshedMax)) await ignoreFailure(reportMade(context, payment))
  return createDuplicateError(intent, found.length === 0 ? [] : await findDuplicates(context, intent, windowMs))
}
