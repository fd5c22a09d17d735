// Checks the slot of a payout file before its rows are paid or stored.
import {findClockObjection, learnTime, rejectSlotAhead} from '../../payments/pay/objections.ts'
import {findEarlierSlots, settleEarlierSlots} from '../../payments/pay/slots.ts'
import type {Caller} from '../../profiles/caller.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {isOpen} from '../run/journal-state.ts'
import type {OpenBatch} from '../run/run.ts'
import type {FileSlot} from './file-slot.ts'

interface SlotCheck {
  caller: Caller
  isDryRun: boolean
  // How long earlier slots may take to be settled.
  timeoutMs: number | undefined
  notice: (text: string) => void
}

// As with `svc pay`: the slot has come, the clock that chose it is right, and no earlier slot of a row
// is unsettled.
export async function checkFileSlot(
  {context: ownContext, serviceId, rows, journalState}: OpenBatch,
  slot: FileSlot | undefined,
  {caller, isDryRun, timeoutMs, notice}: SlotCheck,
): Promise<void> {
  const left = rows.filter((row) => isOpen(row, journalState))
  const customerId = left[0]?.content.customerId
  if (!slot || customerId === undefined) return
  const endsAt = performance.now() + (timeoutMs ?? ownContext.remainingMs())
  const context = {...ownContext, remainingMs: () => Math.max(0, endsAt - performance.now())}
  await rejectSlotAhead(context, customerId, slot)
  // The clock of the embedded sandbox may be moved, and is no reason to doubt that of this machine.
  if (!slot.time.named && caller.baseUrl !== sandboxAddress) {
    await learnTime(context, customerId)
    const objection = findClockObjection(context.clock, `the slot ${slot.name}`)
    if (objection) throw objection
  }
  if (isDryRun) {
    for (const {earlier} of await findEarlierSlots(context, serviceId, left)) {
      notice(`The earlier slot ${earlier.key} is not settled: a run would settle it first.`)
    }
    return
  }
  await settleEarlierSlots(context, serviceId, left, notice)
}
