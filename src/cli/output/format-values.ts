// Formats values that several views share.
import type {LooseCurrency} from '../../contract/loose.ts'
import {toText} from './view.ts'

// Tables show minutes; JSON and CSV keep the timestamp as it is.
export const formatMinute = (value: unknown) =>
  typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d).*$/, '$1 $2') : value

export const formatYesNo = (value: unknown) => (value ? 'yes' : 'no')

// Replies contain a currency as an object. A plain label is accepted too.
export function formatMoney(amount: unknown, currency: unknown): unknown {
  const label = typeof currency === 'string' ? currency : (currency as Exclude<LooseCurrency, string>)?.label
  const digits = toText(amount)
  return digits !== '' && typeof label === 'string' && label !== '' ? `${digits} ${label}` : amount
}
