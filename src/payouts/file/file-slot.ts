// The slot of a payout file: with --slot '{month}' the same file pays its rows once in each month, since every key carries the slot.
import * as Flags from '@oclif/core/flags'
import {badUsage} from '../../errors.ts'
import {type SlotFlags, slotZoneFlag} from '../../payments/pay/flags.ts'
import {
  type SlotTime,
  findSlotKind,
  formatSlot,
  parseSlot,
  placeholderList,
  readZoneTime,
  zoneDefault,
} from '../../payments/pay/slots.ts'

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
    summary: `Slot in which the file is paid once: ${placeholderList}, or a missed one, such as 2026-10`,
    helpValue: 'SLOT',
  }),
  'slot-zone': slotZoneFlag,
}

export function readFileSlot({slot: text, 'slot-zone': zone = zoneDefault}: SlotFlags): FileSlot | undefined {
  if (text === undefined) return undefined
  if (!/^\{.*\}$/.test(text)) {
    const time = parseSlot(text, zone)
    return {template: `{${time.named?.kind}}`, name: text, time}
  }
  const kind = findSlotKind(text)
  if (!kind || text !== `{${kind}}`) {
    throw badUsage(`--slot "${text}" is not a placeholder`, `Use ${placeholderList}; nothing was sent`)
  }
  const name = formatSlot(kind, readZoneTime(zone))
  return {template: text, name, time: {atMs: parseSlot(name, zone).atMs, zone}}
}
