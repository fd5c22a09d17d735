// Keys with the slot of a schedule, such as rent-{date}: one payment per slot, and an earlier slot is settled first.
import {SvcError, badUsage} from '../../errors.ts'
import {dayMs, hourMs, minuteMs, secondMs} from '../../values/time.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {settlePayment} from '../protocol/pay.ts'
import {blockedByEarlierSlot, outcomeUnknown} from '../protocol/payment-errors.ts'
import {type Payment, unsettledStates} from '../protocol/payment.ts'

const keyPattern = /^[\x21-\x7e]{1,200}$/
export const isValidKey = (key: string) => keyPattern.test(key)
export const validKeyRule = 'must be 1 to 200 printable ASCII characters without blanks'

const placeholderPattern = /\{([^{}]*)\}/g

export interface ResolvedKey {
  key: string
  // Present if the key was made from a template. A zone other than UTC is part of it: `rent-{date} in Europe/Berlin`.
  template?: string
  // The instant in UTC.
  slot?: string
}

// Whether two keys are slots of one schedule, in any zone.
export const isSameTemplate = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one.split(' ', 1)[0] === other.split(' ', 1)[0]

const fillPlaceholders = (template: string, slot: SlotTime) =>
  template.replaceAll(placeholderPattern, (whole, name: string) =>
    Object.hasOwn(placeholders, name) ? (placeholders[name]?.format(slot) ?? whole) : whole,
  )

interface KeyFault {
  // Completes a sentence whose subject is the key.
  what: string
  hint: string
}

// Returns what is wrong with a key or a template of keys.
export function findKeyFault(template: string, slot: SlotTime): KeyFault | undefined {
  const unknown = [...template.matchAll(placeholderPattern)].find(([, name = '']) => !Object.hasOwn(placeholders, name))
  if (unknown) {
    const known = Object.keys(placeholders).map((name) => `{${name}}`)
    return {what: `contains ${unknown[0]}, which is not a placeholder`, hint: `Use ${known.join(', ')}`}
  }
  const key = fillPlaceholders(template, slot)
  if (/[{}]/.test(key)) {
    return {what: 'contains an unmatched brace', hint: 'Write a placeholder as {date}; nothing was sent'}
  }
  if (isValidKey(key)) return undefined
  return {what: validKeyRule, hint: 'Write one such as rent-2026-11; nothing was sent'}
}

export function resolveKey(template: string, slot: SlotTime): ResolvedKey {
  const fault = findKeyFault(template, slot)
  if (fault) throw badUsage(`--key ${fault.what}`, fault.hint)
  const key = fillPlaceholders(template, slot)
  if (key === template) return {key}
  const {zone, atMs} = slot
  return {
    key,
    template: zone === zoneDefault ? template : `${template} in ${zone}`,
    slot: new Date(atMs).toISOString(),
  }
}

// Returns the earlier slots of the same template whose outcome is unknown, in any zone.
export async function findEarlierSlots(
  {journal}: PaymentContext,
  serviceId: string,
  {key, template, slot}: ResolvedKey,
): Promise<Payment[]> {
  if (template === undefined || slot === undefined) return []
  const unsettled = await journal.list({serviceId, states: unsettledStates})
  return unsettled.filter(
    (one) => isSameTemplate(one.template, template) && one.key !== key && (one.slot ?? '') <= slot,
  )
}

const describeSettledSlot = ({key, state, transactionId}: Payment) =>
  state === 'CREATED'
    ? `The earlier slot ${key} was made: it is the transaction ${transactionId}.`
    : `The earlier slot ${key} was never made.`

// The next slot has another key. So if an earlier one stays unknown, the next must not be paid.
export async function settleEarlierSlots(
  context: PaymentContext,
  serviceId: string,
  slot: ResolvedKey,
  notify: (text: string) => void,
): Promise<void> {
  for (const earlier of await findEarlierSlots(context, serviceId, slot)) {
    const payment = await settlePayment(context, earlier).catch((error: unknown) => {
      throw error instanceof SvcError ? blockedByEarlierSlot(slot.key, earlier, error) : error
    })
    if (unsettledStates.includes(payment.state)) {
      throw blockedByEarlierSlot(slot.key, earlier, outcomeUnknown(earlier, 'nothing was found out'))
    }
    notify(describeSettledSlot(payment))
  }
}

// The time of a slot as keys write it: the minute, the day, the quarter … of an instant in a time zone.
export interface SlotTime {
  atMs: number
  // An IANA name.
  zone: string
}

export const zoneDefault = 'UTC'

const zonePattern = /^[A-Za-z][A-Za-z0-9_+/-]*$/

// Returns the name in its usual case. An alias stays as it is, since the versions of Node differ in what it stands for.
export function parseZone(text: string, from: string): string {
  try {
    if (zonePattern.test(text)) {
      const {timeZone} = new Intl.DateTimeFormat('en-US', {timeZone: text}).resolvedOptions()
      return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text
    }
  } catch {
    // The name is unknown.
  }
  throw badUsage(`${from} "${text}" is not a time zone`, 'Write its IANA name, such as Europe/Berlin; nothing was sent')
}

const formats = new Map<string, Intl.DateTimeFormat>()

const timeOfDay = {hourCycle: 'h23', hour: '2-digit', minute: '2-digit', second: '2-digit'} as const
const day = {year: 'numeric', month: '2-digit', day: '2-digit'} as const

function getFormat(zone: string): Intl.DateTimeFormat {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-US', {timeZone: zone, ...day, ...timeOfDay})
  formats.set(zone, format)
  return format
}

// The clocks of a zone change at a full quarter of an hour, so one answer serves the whole quarter.
const quarterMs = 15 * minuteMs
const offsets = new Map<string, number>()

// How far the local time of the zone is ahead of UTC.
function getOffsetMs({atMs, zone}: SlotTime): number {
  if (zone === zoneDefault) return 0
  const quarter = `${zone} ${Math.floor(atMs / quarterMs)}`
  const offsetMs = offsets.get(quarter) ?? calculateOffsetMs({atMs, zone})
  offsets.set(quarter, offsetMs)
  return offsetMs
}

function calculateOffsetMs({atMs, zone}: SlotTime): number {
  const found = getFormat(zone).formatToParts(atMs)
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(found.find((part) => part.type === type)?.value)
  const midnightMs = Date.UTC(read('year'), read('month') - 1, read('day'))
  const timeMs = ((read('hour') * 60 + read('minute')) * 60 + read('second')) * secondMs
  return midnightMs + timeMs - Math.floor(atMs / secondMs) * secondMs
}

const formatLocal = (slot: SlotTime) => new Date(slot.atMs + getOffsetMs(slot)).toISOString()

function formatOffset(offsetMs: number): string {
  const minutes = Math.abs(Math.round(offsetMs / minuteMs))
  const twoDigits = (count: number) => String(count).padStart(2, '0')
  return `${offsetMs < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}

// An hour that is shown twice is less than this away from the change of the clocks.
const changeDistanceMs = 3 * hourMs

// Whether the clocks show this hour a second time, because they are set back in it or after it.
function isRepeatedHour({atMs, zone}: SlotTime, offsetMs: number): boolean {
  const hourStartMs = Math.floor((atMs + offsetMs) / hourMs) * hourMs
  return [atMs - changeDistanceMs, atMs + changeDistanceMs]
    .map((nearMs) => getOffsetMs({atMs: nearMs, zone}))
    .filter((otherMs) => otherMs !== offsetMs)
    .some((otherMs) => {
      const startMs = hourStartMs - otherMs
      return [startMs, startMs + hourMs - secondMs].some((edgeMs) => getOffsetMs({atMs: edgeMs, zone}) === otherMs)
    })
}

const dateLength = 'YYYY-MM-DD'.length
const monthLength = 'YYYY-MM'.length
const hourLength = 'YYYY-MM-DDTHH'.length
const minuteLength = 'YYYY-MM-DDTHH:MM'.length

// What lies in an hour that the clocks show twice is written with the offset, so that both have slots of their own.
function formatTime(slot: SlotTime, length: number): string {
  const time = formatLocal(slot).slice(0, length)
  const offsetMs = getOffsetMs(slot)
  return isRepeatedHour(slot, offsetMs) ? `${time}${formatOffset(offsetMs)}` : time
}

const daysPerWeek = 7
const thursday = 4
const monthsPerQuarter = 3

// The week of ISO 8601, such as 2026-W47: it begins on a Monday, and belongs to the year of its Thursday.
function formatWeek(slot: SlotTime): string {
  const local = new Date(slot.atMs + getOffsetMs(slot))
  const weekday = local.getUTCDay() || daysPerWeek
  const middle = new Date(local.getTime() + (thursday - weekday) * dayMs)
  const days = Math.floor((middle.getTime() - Date.UTC(middle.getUTCFullYear(), 0, 1)) / dayMs)
  return `${middle.getUTCFullYear()}-W${String(Math.floor(days / daysPerWeek) + 1).padStart(2, '0')}`
}

// Such as 2026-Q4.
function formatQuarter(slot: SlotTime): string {
  const local = new Date(slot.atMs + getOffsetMs(slot))
  return `${local.getUTCFullYear()}-Q${Math.floor(local.getUTCMonth() / monthsPerQuarter) + 1}`
}

interface Placeholder {
  format: (slot: SlotTime) => string
  // Shorter than any of its slots, also where the clocks change, so that none is stepped over.
  stepMs: number
}

// The placeholders of a key and what replaces them, the finest first.
const placeholders: Readonly<Record<string, Placeholder>> = {
  minute: {format: (slot) => formatTime(slot, minuteLength), stepMs: 30 * secondMs},
  hour: {format: (slot) => formatTime(slot, hourLength), stepMs: 15 * minuteMs},
  date: {format: (slot) => formatLocal(slot).slice(0, dateLength), stepMs: 6 * hourMs},
  week: {format: formatWeek, stepMs: dayMs},
  month: {format: (slot) => formatLocal(slot).slice(0, monthLength), stepMs: dayMs},
  quarter: {format: formatQuarter, stepMs: dayMs},
}

// How far the slots of a key lie apart at least. Undefined for a key without a placeholder.
export const findSlotStepMs = (template: string): number | undefined =>
  Object.entries(placeholders).find(([name]) => template.includes(`{${name}}`))?.[1].stepMs

// Whether the slot of a key has not begun at this time.
export const isSlotAhead = (template: string, slot: SlotTime, nowMs: number): boolean =>
  slot.atMs > nowMs && fillPlaceholders(template, slot) !== fillPlaceholders(template, {...slot, atMs: nowMs})
