// The slot of a payout file: with --slot '{month}' the same file pays its rows once in each month, since every key carries the slot.
import * as Flags from '@oclif/core/flags'
import {badUsage} from '../../errors.ts'
import {slotZoneFlag} from '../../payments/pay/flags.ts'
import {findClockObjection, learnTime, rejectSlotAhead} from '../../payments/pay/objections.ts'
import {
  type SlotTime,
  findEarlierSlots,
  findSlotKind,
  formatSlot,
  parseSlot,
  placeholderList,
  settleEarlierSlots,
  zoneDefault,
} from '../../payments/pay/slots.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {isOpen} from '../run/journal-state.ts'
import type {OpenRun} from '../run/run.ts'
import type {FileRules} from './check-file.ts'

export interface FileSlot {
  // Such as {month}.
  template: string
  // Such as 2026-11.
  name: string
  // When it begins, so that it is the same in every run.
  time: SlotTime
}

export const fileSlotFlags = {
  slot: Flags.string({
    summary: `Pay the file once in each ${placeholderList}, or pay a missed slot, such as 2026-10`,
    helpValue: 'SLOT',
  }),
  'slot-zone': slotZoneFlag,
}

interface FileSlotFlags {
  slot?: string | undefined
  'slot-zone'?: string | undefined
}

export function readFileSlot({slot: text, 'slot-zone': zone = zoneDefault}: FileSlotFlags): FileSlot | undefined {
  if (text === undefined) return undefined
  if (!/^\{.*\}$/.test(text)) {
    const time = parseSlot(text, zone)
    return {template: `{${time.named?.kind}}`, name: text, time}
  }
  const kind = findSlotKind(text)
  if (!kind || text !== `{${kind}}`) {
    throw badUsage(`--slot "${text}" is not a placeholder`, `Use ${placeholderList}; nothing was sent`)
  }
  const name = formatSlot(kind, {atMs: Date.now(), zone})
  return {template: text, name, time: {atMs: parseSlot(name, zone).atMs, zone}}
}

// As with `svc pay`: the slot has come, the clock that chose it is right, and no earlier slot of a row is unsettled.
export async function checkFileSlot(
  {context: ownContext, serviceId, rows, journalState}: OpenRun,
  slot: FileSlot | undefined,
  {caller, isDryRun, timeoutMs, notice}: Pick<FileRules, 'caller' | 'isDryRun' | 'timeoutMs' | 'notice'>,
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
  if (!isDryRun) return settleEarlierSlots(context, serviceId, left, notice)
  for (const {earlier} of await findEarlierSlots(context, serviceId, left)) {
    notice(`The earlier slot ${earlier.key} is not settled: a run would settle it first.`)
  }
}
