// Keys with the slot of a schedule, such as rent-{date}: one payment per slot, and an earlier slot is settled first.
import {SvcError, badUsage} from '../../errors.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {settlePayment} from '../protocol/pay.ts'
import {type Payment, unsettledStates} from '../protocol/payment.ts'
import {blockedByEarlierSlot, outcomeUnknown} from '../protocol/payment-errors.ts'
import {type SlotTime, placeholders, zoneDefault} from './slot-time.ts'

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
    Object.hasOwn(placeholders, name) ? (placeholders[name]?.(slot) ?? whole) : whole,
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
