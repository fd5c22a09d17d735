// Checks the template of a key against the slots of its schedule: two slots with one key would be one payment.
import {findKeyFault, resolveKey} from '../../payments/plan/slots.ts'
import {listNextFirings} from '../../values/schedule.ts'
import {formatSlot} from './slot-keys.ts'

// A third of a year of days: two slots that share a day or a month come soon after each other.
const slotsChecked = 120

const advice = 'leave it out for one that is made of the name and the slot'

export function findKeyTemplateProblem(
  {cron, zone, key}: {cron: string; zone: string; key: string},
  nowMs: number,
): string | undefined {
  const fault = findKeyFault(key, {atMs: nowMs, zone})
  if (fault) return fault.what
  if (resolveKey(key, {atMs: nowMs, zone}).template === undefined) {
    return `has no placeholder, so all slots would be one payment; write one such as ${key}-{date}, or ${advice}`
  }
  const slotsByKey = new Map<string, Date>()
  for (const slot of listNextFirings(cron, nowMs, slotsChecked, zone)) {
    const slotKey = resolveKey(key, {atMs: slot.getTime(), zone}).key
    const other = slotsByKey.get(slotKey)
    if (other) return `is the same for the slots ${formatSlot(other)} and ${formatSlot(slot)}; ${advice}`
    slotsByKey.set(slotKey, slot)
  }
  return undefined
}
