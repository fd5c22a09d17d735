// Keys that hold the slot of a schedule, such as rent-{date}: one payment for each slot, and the earlier ones first.
import {SvcError, badUsage} from '../errors.ts'
import {blockedByEarlierSlot, outcomeUnknown} from './payment-errors.ts'
import {settlePayment} from './pay.ts'
import {type Payment, unsettledStates} from './payment.ts'
import type {PaymentContext} from './context.ts'

const dateLength = 'YYYY-MM-DD'.length
const monthLength = 'YYYY-MM'.length
const hourLength = 'YYYY-MM-DDTHH'.length

// What may stand in braces, and what it becomes; all of it is in UTC.
const placeholders: Readonly<Record<string, (slot: Date) => string>> = {
  date: (slot) => slot.toISOString().slice(0, dateLength),
  month: (slot) => slot.toISOString().slice(0, monthLength),
  hour: (slot) => slot.toISOString().slice(0, hourLength),
}

const plainKey = /^[\x21-\x7e]{1,200}$/
export const isValidKey = (key: string) => plainKey.test(key)

const placeholderPattern = /\{([^{}]*)\}/g

export interface ResolvedKey {
  key: string
  // Present where the key was made of a template.
  template?: string
  slot?: string
}

export function resolveKey(given: string, slot: Date): ResolvedKey {
  const key = given.replaceAll(placeholderPattern, (_, name: string) => {
    const fill = Object.hasOwn(placeholders, name) ? placeholders[name] : undefined
    if (fill) return fill(slot)
    throw badUsage(
      `--key holds {${name}}, which is no slot`,
      `Use ${Object.keys(placeholders)
        .map((each) => `{${each}}`)
        .join(', ')}`,
    )
  })
  if (/[{}]/.test(key)) {
    throw badUsage('--key holds a brace without its other half', 'Write a slot as {date}; nothing was sent')
  }
  if (!isValidKey(key)) {
    throw badUsage(
      '--key must be 1 to 200 printable characters without blanks',
      'Write one such as rent-2026-11; nothing was sent',
    )
  }
  return key === given ? {key} : {key, template: given, slot: slot.toISOString()}
}

// The earlier slots of the same template of which it is not known whether they were paid.
export function findEarlierSlots(
  context: PaymentContext,
  serviceId: string,
  {key, template, slot}: ResolvedKey,
): Payment[] {
  if (template === undefined || slot === undefined) return []
  return context.journal
    .list({serviceId, template, states: unsettledStates})
    .filter((each) => each.key !== key && (each.slot ?? '') <= slot)
}

const describeSettledSlot = ({key, state, transactionId}: Payment) =>
  state === 'CREATED'
    ? `The earlier slot ${key} was made: it is the transaction ${transactionId}.`
    : `The earlier slot ${key} was never made.`

// A slot of which it is not known whether it was paid stops the next: after midnight it would be another key.
export async function settleEarlierSlots(
  context: PaymentContext,
  serviceId: string,
  slot: ResolvedKey,
  notify: (text: string) => void,
): Promise<void> {
  for (const payment of findEarlierSlots(context, serviceId, slot)) {
    const settled = await settlePayment(context, payment).catch((error: unknown) => {
      throw error instanceof SvcError ? blockedByEarlierSlot(slot.key, payment, error) : error
    })
    if (unsettledStates.includes(settled.state)) {
      throw blockedByEarlierSlot(slot.key, payment, outcomeUnknown(payment, 'nothing was found out'))
    }
    notify(describeSettledSlot(settled))
  }
}
