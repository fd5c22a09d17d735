// Keys with a slot, such as rent-{date}: one payment in each hour, day, week or month. An earlier
// slot is settled first.
import {SvcError, badUsage} from '../../errors.ts'
import {dayMs, toInstantMs} from '../../values/time.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {settlePayment} from '../protocol/settle.ts'
import {blockedByEarlierSlot} from '../protocol/errors.ts'
import {type Payment, isQuoteKey, reservedPrefixRule, unsettledStates} from '../protocol/payment.ts'

// The time of a slot: now, or the beginning of the slot that --slot names.
export interface SlotTime {
  // The local time of the zone, in milliseconds as if it were UTC.
  atMs: number
  // An IANA name.
  zone: string
  // The slot that --slot names, such as 2026-10. Absent if the slot is the present one.
  named?: {kind: SlotKind; text: string} | undefined
}

export const zoneDefault = 'UTC'

const zonePattern = /^[A-Za-z][A-Za-z0-9_+/-]*$/

// Returns the name in its usual case.
export function parseZone(text: string, from: string): string {
  try {
    if (zonePattern.test(text)) return new Intl.DateTimeFormat('en-US', {timeZone: text}).resolvedOptions().timeZone
  } catch {
    // The name is unknown.
  }
  throw badUsage(`${from} "${text}" is not a time zone`, 'Write its IANA name, such as Europe/Berlin; nothing was sent')
}

// The Swedish locale writes times as ISO 8601 does.
export function readZoneTime(zone: string, nowMs = Date.now()): SlotTime {
  if (zone === zoneDefault) return {atMs: nowMs, zone}
  const format = new Intl.DateTimeFormat('sv-SE', {timeZone: zone, dateStyle: 'short', timeStyle: 'medium'})
  return {atMs: toInstantMs(`${format.format(nowMs)}Z`) ?? Number.NaN, zone}
}

const daysPerWeek = 7
const thursday = 4

// The week of ISO 8601, such as 2026-W47: it begins on a Monday, and belongs to the year of its
// Thursday.
function formatWeek(atMs: number): string {
  const weekday = new Date(atMs).getUTCDay() || daysPerWeek
  const middle = new Date(atMs + (thursday - weekday) * dayMs)
  const days = Math.floor((middle.getTime() - Date.UTC(middle.getUTCFullYear(), 0, 1)) / dayMs)
  return `${middle.getUTCFullYear()}-W${String(Math.floor(days / daysPerWeek) + 1).padStart(2, '0')}`
}

// The fourth of January is in the first week of its year.
function parseWeek(text: string): number {
  const fourthMs = Date.UTC(Number(text.slice(0, 4)), 0, 4)
  const weekday = new Date(fourthMs).getUTCDay() || daysPerWeek
  return fourthMs + (1 - weekday + (Number(text.slice('YYYY-W'.length)) - 1) * daysPerWeek) * dayMs
}

const formatIso = (length: number) => (atMs: number) => new Date(atMs).toISOString().slice(0, length)
const parseIso = (rest: string) => (text: string) => toInstantMs(`${text}${rest}`) ?? Number.NaN

// The placeholders of a key, the finest first. Later slots are greater as text. An hour that the
// clocks of a zone show twice is one slot.
const slotForms = {
  hour: {example: '2026-10-05T08', format: formatIso(13), parse: parseIso(':00Z')},
  date: {example: '2026-10-05', format: formatIso(10), parse: parseIso('T00:00Z')},
  week: {example: '2026-W41', format: formatWeek, parse: parseWeek},
  month: {example: '2026-10', format: formatIso(7), parse: parseIso('-01T00:00Z')},
}

export type SlotKind = keyof typeof slotForms

const slotKinds = Object.keys(slotForms) as SlotKind[]
const isSlotKind = (name: string): name is SlotKind => Object.hasOwn(slotForms, name)
export const placeholderList = slotKinds.map((kind) => `{${kind}}`).join(', ')

export const formatSlot = (kind: SlotKind, {atMs}: SlotTime): string => slotForms[kind].format(atMs)

// Reads the value of --slot.
export function parseSlot(text: string, zone: string): SlotTime {
  for (const kind of slotKinds) {
    const time = {atMs: slotForms[kind].parse(text), zone, named: {kind, text}}
    if (!Number.isNaN(time.atMs) && formatSlot(kind, time) === text) return time
  }
  const examples = slotKinds.map((kind) => slotForms[kind].example)
  throw badUsage(`--slot "${text}" is not a slot`, `Write it as ${examples.join(', ')}; nothing was sent`)
}

const keyPattern = /^[\x21-\x7e]{1,200}$/
export const isValidKey = (key: string) => keyPattern.test(key)
export const validKeyRule = 'must be 1 to 200 printable ASCII characters without blanks'

const placeholderPattern = /\{([^{}]*)\}/g

const fillPlaceholders = (template: string, slot: SlotTime) =>
  template.replaceAll(placeholderPattern, (whole, name: string) => (isSlotKind(name) ? formatSlot(name, slot) : whole))

// Returns what is wrong with a key or a template of keys, as the rest of a sentence whose subject
// is the key.
export function findKeyFault(template: string, slot: SlotTime): string | undefined {
  if (isQuoteKey(template)) return reservedPrefixRule
  const key = fillPlaceholders(template, slot)
  const [unknown] = key.match(placeholderPattern) ?? []
  if (unknown !== undefined) return `contains ${unknown}, which is not a placeholder`
  if (/[{}]/.test(key)) return 'contains an unmatched brace'
  return isValidKey(key) ? undefined : validKeyRule
}

export interface ResolvedKey {
  key: string
  // The template that the key was made from, if any, and its slot, such as 2026-10.
  template?: string
  slot?: string
}

export function resolveKey(template: string, slot: SlotTime): ResolvedKey {
  const fault = findKeyFault(template, slot)
  if (fault !== undefined) {
    throw badUsage(`--key ${fault}`, `Write one such as rent-2026-11, or with ${placeholderList}; nothing was sent`)
  }

  const kind = findSlotKind(template)
  const {named} = slot
  if (!kind && named) {
    const message = '--slot is given, but --key has no {date}, {month} or another placeholder'
    throw badUsage(message, 'Put one in; nothing was sent')
  }

  if (!kind) return {key: template}
  // A month, for example, does not say which {date} is meant.
  if (named && named.kind !== kind) {
    throw badUsage(
      `--slot "${named.text}" is not a {${kind}}, which the key has`,
      `Write it as ${slotForms[kind].example}; nothing was sent`,
    )
  }

  return {key: fillPlaceholders(template, slot), template, slot: formatSlot(kind, slot)}
}

// The finest of the key's placeholders.
export const findSlotKind = (template: string): SlotKind | undefined =>
  slotKinds.find((kind) => template.includes(`{${kind}}`))

// Whether the slot of a key has not begun at this time.
export function isSlotAhead(template: string, slot: SlotTime, nowMs: number): boolean {
  const kind = findSlotKind(template)
  return kind !== undefined && formatSlot(kind, slot) > formatSlot(kind, readZoneTime(slot.zone, nowMs))
}

// Returns the earlier slots of the same templates whose outcome is unknown, each with the key that
// waits for it.
export async function findEarlierSlots(
  {journal}: Pick<PaymentContext, 'journal'>,
  serviceId: string,
  keys: readonly ResolvedKey[],
): Promise<Array<{earlier: Payment; blocks: string}>> {
  if (!keys.some(({template}) => template !== undefined)) return []
  const byTemplate = new Map(keys.map((each) => [each.template, each]))
  const payments = await journal.list({serviceId, states: unsettledStates})
  return payments.flatMap((earlier) => {
    const later = earlier.template === undefined ? undefined : byTemplate.get(earlier.template)
    const isEarlier = later?.slot !== undefined && earlier.key !== later.key && (earlier.slot ?? '') <= later.slot
    return isEarlier ? [{earlier, blocks: later.key}] : []
  })
}

// The next slot has another key, so it must not be paid while an earlier slot stays unknown.
export async function settleEarlierSlots(
  context: PaymentContext,
  serviceId: string,
  keys: readonly ResolvedKey[],
  notify: (text: string) => void,
): Promise<void> {
  for (const {earlier, blocks} of await findEarlierSlots(context, serviceId, keys)) {
    const {key, state, transactionId} = await settlePayment(context, earlier).catch((error: unknown) => {
      throw error instanceof SvcError ? blockedByEarlierSlot(blocks, earlier, error) : error
    })
    const outcome = state === 'CREATED' ? `was made: it is the transaction ${transactionId}` : 'was never made'
    notify(`The earlier slot ${key} ${outcome}.`)
  }
}
