// Objections to sending a payment that was not made yet: a clock that names the wrong slot, or a
// slot that has not come.
import {createRefusal} from '../../controls/limits.ts'
import {formatDuration} from '../../values/time.ts'
import {type SlotTime, isSlotAhead} from '../pay/slots.ts'
import type {ServerClock} from '../protocol/clock.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {learnTime} from '../protocol/lists/walk-list.ts'

// A slot that a clock chose is trusted up to this difference from another clock.
const clockDifferenceMaxMs = 120_000

// A wrong clock chooses the wrong slot: svc would report another slot as paid, or pay one before
// its time.
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

// Throws if the slot has not begun by this machine's clock, nor by the service's, since the clock
// of a sandbox may be moved. A slot that is paid before its time would not be paid when it comes.
export async function requireSlotNotAhead(
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
