// Keys with a slot, such as rent-{date}: one payment in each hour, day, week or month, and an earlier slot is settled first.
import {SvcError, badUsage} from '../../errors.ts'
import {dayMs, hourMs, minuteMs, toInstantMs} from '../../values/time.ts'
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
  // An instant of the slot in UTC.
  slot?: string
}

// Whether two keys are slots of one template, in any zone.
export const isSameTemplate = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && withoutZone(one) === withoutZone(other)

const withoutZone = (template: string | undefined) => template?.split(' ', 1)[0]

const fillPlaceholders = (template: string, slot: SlotTime) =>
  template.replaceAll(placeholderPattern, (whole, name: string) => (isSlotKind(name) ? formatSlot(name, slot) : whole))

interface KeyFault {
  // Completes a sentence whose subject is the key.
  what: string
  hint: string
}

// Returns what is wrong with a key or a template of keys.
export function findKeyFault(template: string, slot: SlotTime): KeyFault | undefined {
  const unknown = [...template.matchAll(placeholderPattern)].find(([, name = '']) => !isSlotKind(name))
  if (unknown) return {what: `contains ${unknown[0]}, which is not a placeholder`, hint: `Use ${placeholderList}`}
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
  rejectOtherKind(template, slot)
  const {zone, atMs} = slot
  return {
    key,
    template: zone === zoneDefault ? template : `${template} in ${zone}`,
    slot: new Date(atMs).toISOString(),
  }
}

// A payment that is to be made, and may have a slot.
interface WantedSlot {
  key: string
  template?: string | undefined
  slot?: string | undefined
}

// An earlier slot whose outcome is unknown, and the key that has to wait for it.
interface EarlierSlot extends Payment {
  blocks: string
}

// Returns the earlier slots of the same templates whose outcome is unknown, in any zone.
export async function findEarlierSlots(
  {journal}: PaymentContext,
  serviceId: string,
  keys: readonly WantedSlot[],
): Promise<EarlierSlot[]> {
  if (!keys.some(({template}) => template !== undefined)) return []
  const byTemplate = new Map(keys.map((each) => [withoutZone(each.template), each]))
  const unsettled = await journal.list({serviceId, states: unsettledStates})
  return unsettled.flatMap((payment) => {
    const later = payment.template === undefined ? undefined : byTemplate.get(withoutZone(payment.template))
    const isEarlier = later?.slot !== undefined && payment.key !== later.key && (payment.slot ?? '') <= later.slot
    return isEarlier ? [{...payment, blocks: later.key}] : []
  })
}

const describeSettledSlot = ({key, state, transactionId}: Payment) =>
  state === 'CREATED'
    ? `The earlier slot ${key} was made: it is the transaction ${transactionId}.`
    : `The earlier slot ${key} was never made.`

// The next slot has another key. So if an earlier one stays unknown, the next must not be paid.
export async function settleEarlierSlots(
  context: PaymentContext,
  serviceId: string,
  keys: readonly WantedSlot[],
  notify: (text: string) => void,
): Promise<void> {
  for (const {blocks, ...earlier} of await findEarlierSlots(context, serviceId, keys)) {
    const payment = await settlePayment(context, earlier).catch((error: unknown) => {
      throw error instanceof SvcError ? blockedByEarlierSlot(blocks, earlier, error) : error
    })
    if (unsettledStates.includes(payment.state)) {
      throw blockedByEarlierSlot(blocks, earlier, outcomeUnknown(earlier, 'nothing was found out'))
    }
    notify(describeSettledSlot(payment))
  }
}

// The time of a slot: now, or what --slot named.
export interface SlotTime {
  atMs: number
  // An IANA name.
  zone: string
  // As --slot says it, such as 2026-10. Absent if the slot is that of now.
  named?: {kind: SlotKind; text: string} | undefined
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

// What the clocks of the zone show, as if it were UTC.
function toLocalMs({atMs, zone}: SlotTime): number {
  if (zone === zoneDefault) return atMs
  const found = getFormat(zone).formatToParts(atMs)
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(found.find((part) => part.type === type)?.value)
  return Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'))
}

const daysPerWeek = 7
const thursday = 4

// The week of ISO 8601, such as 2026-W47: it begins on a Monday, and belongs to the year of its Thursday.
function formatWeek(localMs: number): string {
  const weekday = new Date(localMs).getUTCDay() || daysPerWeek
  const middle = new Date(localMs + (thursday - weekday) * dayMs)
  const days = Math.floor((middle.getTime() - Date.UTC(middle.getUTCFullYear(), 0, 1)) / dayMs)
  return `${middle.getUTCFullYear()}-W${String(Math.floor(days / daysPerWeek) + 1).padStart(2, '0')}`
}

// The fourth of January is always in the first week.
function parseWeek(text: string): number {
  const [year = Number.NaN, week = Number.NaN] = text.split('-W').map(Number)
  const fourthMs = Date.UTC(year, 0, 4)
  const mondayMs = fourthMs - ((new Date(fourthMs).getUTCDay() || daysPerWeek) - 1) * dayMs
  return mondayMs + (week - 1) * daysPerWeek * dayMs
}

interface SlotForm {
  example: string
  // Later slots are greater as text.
  format: (localMs: number) => string
  // When it begins. Of another text, anything.
  parse: (text: string) => number | undefined
  // Shorter than any of its slots, also where the clocks change, so that none is stepped over.
  stepMs: number
}

export type SlotKind = 'hour' | 'date' | 'week' | 'month'

const cutTime = (length: number) => (localMs: number) => new Date(localMs).toISOString().slice(0, length)

// The placeholders of a key, the finest first. An hour that the clocks of a zone show twice is one slot.
const slotForms: Readonly<Record<SlotKind, SlotForm>> = {
  hour: {
    example: '2026-10-05T08',
    format: cutTime('YYYY-MM-DDTHH'.length),
    parse: (text) => toInstantMs(`${text}:00:00Z`),
    stepMs: 15 * minuteMs,
  },
  date: {
    example: '2026-10-05',
    format: cutTime('YYYY-MM-DD'.length),
    parse: (text) => toInstantMs(`${text}T00:00:00Z`),
    stepMs: 6 * hourMs,
  },
  week: {example: '2026-W41', format: formatWeek, parse: parseWeek, stepMs: dayMs},
  month: {
    example: '2026-10',
    format: cutTime('YYYY-MM'.length),
    parse: (text) => toInstantMs(`${text}-01T00:00:00Z`),
    stepMs: dayMs,
  },
}

const slotKinds: readonly SlotKind[] = ['hour', 'date', 'week', 'month']
const isSlotKind = (name: string): name is SlotKind => Object.hasOwn(slotForms, name)
export const placeholderList = slotKinds.map((kind) => `{${kind}}`).join(', ')

export const formatSlot = (kind: SlotKind, slot: SlotTime): string => slotForms[kind].format(toLocalMs(slot))

// Midnight does not exist in every zone on every day, so a slot may begin an hour later.
function findStart(kind: SlotKind, text: string, zone: string): number | undefined {
  const localMs = slotForms[kind].parse(text)
  if (localMs === undefined || !Number.isFinite(localMs)) return undefined
  const guessMs = 2 * localMs - toLocalMs({atMs: localMs, zone})
  const starts = [localMs + guessMs - toLocalMs({atMs: guessMs, zone}), guessMs, guessMs + hourMs]
  return starts.find((atMs) => formatSlot(kind, {atMs, zone}) === text)
}

// Reads what --slot names, in the zone.
export function parseSlot(text: string, zone: string): SlotTime {
  for (const kind of slotKinds) {
    const atMs = findStart(kind, text, zone)
    if (atMs !== undefined) return {atMs, zone, named: {kind, text}}
  }
  const examples = slotKinds.map((kind) => slotForms[kind].example)
  throw badUsage(`--slot "${text}" is not a slot`, `Write it as ${examples.join(', ')}; nothing was sent`)
}

// The finest of the key's placeholders.
export const findSlotKind = (template: string): SlotKind | undefined =>
  slotKinds.find((kind) => template.includes(`{${kind}}`))

// A month, for example, does not say which {date} is meant.
function rejectOtherKind(template: string, {named}: SlotTime): void {
  const kind = findSlotKind(template)
  if (!named || !kind || named.kind === kind) return
  throw badUsage(
    `--slot "${named.text}" is not a {${kind}}, which the key has`,
    `Write it as ${slotForms[kind].example}; nothing was sent`,
  )
}

// Whether the slot of a key has not begun at this time.
export function isSlotAhead(template: string, slot: SlotTime, nowMs: number): boolean {
  const kind = findSlotKind(template)
  return kind !== undefined && formatSlot(kind, slot) > formatSlot(kind, {...slot, atMs: nowMs})
}

// The slots that begin after one instant and before another, the oldest first.
export function listSlotsBetween(template: string, slot: SlotTime, fromMs: number, untilMs: number, max: number) {
  const kind = findSlotKind(template)
  const found = new Map<string, {key: string; name: string}>()
  if (!kind) return []
  for (let atMs = fromMs; atMs < untilMs && found.size < max; atMs += slotForms[kind].stepMs) {
    const time = {atMs, zone: slot.zone}
    const {key} = resolveKey(template, time)
    if (!found.has(key)) found.set(key, {key, name: formatSlot(kind, time)})
  }
  return [...found.values()]
}
