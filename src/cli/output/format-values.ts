// Formats values that several views share.
import type {LooseCurrency} from '../../contract/loose.ts'
import {toInstantMs} from '../../values/time.ts'
import {toText} from './view.ts'

const offset = /[Tt].*[+-]\d\d(?::?\d\d)?$/

// The interface's times are in UTC. One with an offset is converted.
function toUtc(time: string): string {
  if (time.endsWith('Z') || !offset.test(time)) return time
  const instant = toInstantMs(time)
  return instant === undefined ? time : new Date(instant).toISOString()
}

// Tables show minutes in UTC; JSON and CSV keep the timestamp as it is.
export const formatMinute = (value: unknown) =>
  typeof value === 'string' ? toUtc(value).replace(/^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d).*$/, '$1 $2') : value

export const formatYesNo = (value: unknown) => (value ? 'yes' : 'no')

// Replies contain a currency as an object. A plain label is accepted too.
export function formatMoney(amount: unknown, currency: unknown): unknown {
  const label = typeof currency === 'string' ? currency : (currency as Exclude<LooseCurrency, string>)?.label
  const digits = toText(amount)
  return digits !== '' && typeof label === 'string' && label !== '' ? `${digits} ${label}` : amount
}
