// Formats values that several views share.
import {toText} from './view.ts'

// An item from the service: any field may be missing or have another type than the contract says.
export type Item = Readonly<Record<string, unknown>>

// Tables show minutes; JSON and CSV keep the timestamp as it is.
export const formatMinute = (value: unknown) =>
  typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d).*$/, '$1 $2') : value

export const formatYesNo = (value: unknown) => (value ? 'yes' : 'no')

// The value at a path inside an item, or undefined.
const getPath = (item: Item, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, field) => (value as Item | null | undefined)?.[field], item)

// Replies contain a currency as an object. A plain label is accepted too.
export function formatMoney(amount: unknown, currency: unknown): unknown {
  const label = typeof currency === 'string' ? currency : getPath({currency}, 'currency', 'label')
  const digits = toText(amount)
  return digits !== '' && typeof label === 'string' && label !== '' ? `${digits} ${label}` : amount
}
