// The sandbox's payment accounts with their balances, and its transactions, as tables and records.
import type {View} from '../view.ts'
import {accountViewWith} from './accounts.ts'
import {type Item, toTheMinute} from './values.ts'

const within = (item: Item, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, field) => (value as Item | undefined)?.[field], item)

const sums = (balances: unknown) =>
  Object.entries((balances ?? {}) as Record<string, string>).map(([label, amount]) => `${amount} ${label}`)

export const sandboxAccountView = accountViewWith({
  name: 'balances',
  header: 'BALANCE',
  value: (a) => a['balances'],
  brief: sums,
  rank: 1,
  align: 'right',
})

function sumOf(transaction: Item, side: 'source' | 'destination') {
  const amount = within(transaction, side, `${side}Amount`)
  const label = within(transaction, side, `${side}Currency`, 'label')
  return typeof amount === 'string' && typeof label === 'string' ? `${amount} ${label}` : amount
}

export const sandboxTransactionView: View<Item> = {
  one: 'transaction',
  many: 'transactions',
  columns: [
    {name: 'transactionId', short: 'id', header: 'ID', value: (t) => t['transactionId'], rank: 0},
    {
      name: 'transactionStatus',
      short: 'status',
      header: 'STATUS',
      value: (t) => t['transactionStatus'],
      rank: 1,
      painted: 'status',
    },
    {name: 'source', header: 'FROM', value: (t) => sumOf(t, 'source'), rank: 2, align: 'right'},
    {name: 'destination', header: 'TO', value: (t) => sumOf(t, 'destination'), rank: 3, align: 'right'},
    {
      name: 'updatedAt',
      short: 'updated',
      header: 'UPDATED (UTC)',
      value: (t) => t['updatedAt'],
      brief: toTheMinute,
      rank: 4,
    },
  ],
}
