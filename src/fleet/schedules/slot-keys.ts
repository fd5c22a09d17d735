// The names of a slot: the key of each of its payments, the same whoever pays it and whenever, and the batch that it becomes.
import {createHash} from 'node:crypto'
import {type ResolvedKey, resolveKey} from '../../payments/plan/slots.ts'
import type {PayoutRow} from '../../payouts/file/rows.ts'
import {toBatchId} from '../batches/batch.ts'
import type {Schedule, ScheduleTerms} from './schedule.ts'

// To the minute, since cron knows no finer time: 2026-11-16T08:00Z
export const formatSlot = (slot: Date): string => slot.toISOString().replace(/:\d\d\.\d{3}Z$/, 'Z')

type NamedTerms = Pick<ScheduleTerms, 'name' | 'kind' | 'zone' | 'key'>

// A payment has the key of its plan, filled in for the slot, or one made of the name and the slot. The rows of a file have keys of
// their own, which are made into those of the slot.
export function deriveKey({name, kind, zone, key}: NamedTerms, row: Pick<PayoutRow, 'key'>, slot: Date): ResolvedKey {
  if (key !== undefined) return resolveKey(key, {atMs: slot.getTime(), zone})
  const suffix = kind === 'pay' ? '' : `-${row.key}`
  return {
    key: `${name}-${formatSlot(slot)}${suffix}`,
    template: `${name}-{slot}${suffix}`,
    slot: slot.toISOString(),
  }
}

export const nameBatch = ({name}: NamedTerms, slot: Date) => `${name}-${formatSlot(slot)}`

const hash = (text: string) => createHash('sha256').update(text).digest()

// The same for everyone who decides about the slot, so that a slot that was begun by a process which then ended is not begun anew.
export const deriveBatchId = ({id}: Pick<Schedule, 'id'>, slot: Date) => toBatchId(hash(`${id} ${slot.toISOString()}`))

// Of what the slot pays.
export const digestSlot = ({digest}: Pick<Schedule, 'digest'>, slot: Date) =>
  hash(`${digest} ${slot.toISOString()}`).toString('hex')
