// The columns of a payout file, named like the flags of `svc pay`, and the fields of a quote that they fill.
import {flagsByPath} from '../../quotes/name-fields.ts'
import {lookUp} from '../../values/records.ts'

export const columns = [
  'key',
  'customer',
  'from',
  'from-currency',
  'from-method',
  'to',
  'to-currency',
  'to-method',
  'amount',
  'developer-fee',
  'developer-fee-type',
  'max-fee',
  'min-rate',
  'min-received',
  'guarantee',
  'note',
] as const

export type Column = (typeof columns)[number]

// These columns are required. The others may be missing or empty: currencies and methods where the accounts decide them.
export const columnsRequired: readonly Column[] = ['key', 'customer', 'from', 'to', 'amount']

// Problems of a request are reported by the column of the field.
const columnsByPath: Readonly<Record<string, Column>> = flagsByPath

export const findPathForColumn = (column: Column): string | undefined =>
  Object.entries(columnsByPath).find(([, name]) => name === column)?.[0]

export const findColumnForPath = (path: string): Column | undefined => lookUp(columnsByPath, path)

// Accepts common spellings: maxFee, max_fee and "Max Fee" are all max-fee.
const normalizeName = (name: string) =>
  name
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll(/[\s_]+/g, '-')
    .toLowerCase()

export function findColumn(name: string): Column | undefined {
  const wanted = normalizeName(name)
  return columns.find((column) => column === wanted)
}
