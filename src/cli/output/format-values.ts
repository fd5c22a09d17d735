// Formats values that several views share.
import {toText} from './view.ts'

// Items come from the service, so any field may be missing or of another kind than the contract says.
export type Item = Readonly<Record<string, unknown>>

// Tables show minutes; JSON and CSV keep the timestamp as it is.
export const formatMinute = (value: unknown) =>
  typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d).*$/, '$1 $2') : value

export const formatYesNo = (value: unknown) => (value ? 'yes' : 'no')

// What lies deep in an item, or undefined wherever the way there ends.
export const getPath = (item: Item, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, field) => (value as Item | null | undefined)?.[field], item)

// A sum as people write it, 120.50 USD: what leaves a transaction's source, or what arrives at its destination.
export function formatTransferAmount(transaction: Item, side: 'source' | 'destination'): unknown {
  const amount = getPath(transaction, side, `${side}Amount`)
  return formatMoney(amount, getPath(transaction, side, `${side}Currency`))
}

// Replies carry a currency as an object; one that came as its plain label is read as well.
export function formatMoney(amount: unknown, currency: unknown): unknown {
  const label = typeof currency === 'string' ? currency : getPath({currency}, 'currency', 'label')
  const digits = toText(amount)
  return digits !== '' && typeof label === 'string' && label !== '' ? `${digits} ${label}` : amount
}
