// What speaks against sending a payment that was not made yet: a clock that names the wrong slot, a possible duplicate, or a new
// payee that has to wait.
import {SvcError} from '../../errors.ts'
import {formatDuration} from '../../values/time.ts'
import type {FindObjection} from './context.ts'
import {type CoolDownRules, findHeldPayees, heldPayee} from '../controls/cool-down.ts'
import {duplicateFound, findDuplicatesNow} from '../controls/duplicates.ts'
import type {ServerClock} from './server-clock.ts'

// A slot that this machine's clock chose is trusted up to this difference from the service's clock.
const clockDifferenceMaxMs = 120_000

// A wrong clock chooses the wrong slot: svc would report another slot as paid, or pay one before its time.
export function findClockObjection({observedAheadMs}: Pick<ServerClock, 'observedAheadMs'>, key: string) {
  const aheadMs = observedAheadMs() ?? 0
  if (Math.abs(aheadMs) < clockDifferenceMaxMs) return undefined
  const difference = `${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'behind' : 'ahead of'}`
  return new SvcError({
    error: 'CLOCK_DIFFERS',
    kind: 'limit',
    message: `Nothing was sent for ${key}: the clock of this machine is ${difference} that of the service, so the slot may be the wrong one`,
    hint: 'Set the clock right, or name the slot with --slot',
  })
}

interface ObjectionSettings {
  // Which payees wait. Absent if nobody does.
  coolDown?: CoolDownRules | undefined
  // Whether the slot of the key was taken from this machine's clock.
  isSlotFromClock: boolean
  // 0 if duplicates are allowed.
  duplicateWindowMs: number
}

export function createObjectionFinder({
  isSlotFromClock,
  duplicateWindowMs,
  coolDown,
}: ObjectionSettings): FindObjection {
  return async (context, intent) => {
    const clockObjection = isSlotFromClock ? findClockObjection(context.clock, intent.key) : undefined
    if (clockObjection) return clockObjection
    const found = await findDuplicatesNow(context, {intent, windowMs: duplicateWindowMs})
    if (found.length > 0) return duplicateFound(intent.key, found)
    const {destinationPaymentAccountId: destination} = intent.content.destination
    const [held] = coolDown ? await findHeldPayees(context, intent.serviceId, [destination], coolDown) : []
    return held && heldPayee(intent.key, held)
  }
}
