// The sandbox's payment accounts with their balances, and its transactions, as tables and records.
import type {View} from '../view.ts'
import {type Item, toTheMinute} from './values.ts'

const within = (item: Item, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, field) => (value as Item | undefined)?.[field], item)

const rail = (account: Item) =>
  within(account, 'externalBankAccount', 'bankAccountPaymentMethod') ??
  within(account, 'externalCryptoWallet', 'address', 'chain') ??
  within(account, 'svcCryptoWallet', 'address', 'chain')

const currency = (account: Item) =>
  within(account, 'externalBankAccount', 'bankAccountCurrency', 'label') ??
  within(account, 'externalCryptoWallet', 'currency', 'label') ??
  within(account, 'svcAutoFiatAccount', 'currency', 'label')

const sums = (balances: unknown) =>
  Object.entries((balances ?? {}) as Record<string, string>).map(([label, amount]) => `${amount} ${label}`)

export const accountView: View<Item> = {
  one: 'payment account',
  many: 'payment accounts',
  columns: [
    {
      name: 'paymentAccountId',
      short: 'id',
      header: 'ID',
      value: (a) => a['paymentAccountId'],
      brief: (id) => (id === '' ? '(pending)' : id),
      rank: 0,
    },
    {name: 'paymentAccountType', short: 'type', header: 'TYPE', value: (a) => a['paymentAccountType'], rank: 4},
    {
      name: 'paymentAccountStatus',
      short: 'status',
      header: 'STATUS',
      value: (a) => a['paymentAccountStatus'],
      rank: 5,
      painted: 'status',
    },
    {name: 'method', header: 'METHOD', value: rail, rank: 1},
    {name: 'currency', header: 'CURRENCY', value: currency, rank: 3},
    {name: 'balances', header: 'BALANCE', value: (a) => a['balances'], brief: sums, rank: 2, align: 'right'},
    {name: 'nickname', header: 'NICKNAME', value: (a) => a['nickname'], rank: 6, onRequest: true},
    {
      name: 'customerId',
      short: 'customer',
      header: 'CUSTOMER',
      value: (a) => a['customerId'],
      rank: 7,
      onRequest: true,
    },
    {
      name: 'createdAt',
      short: 'created',
      header: 'CREATED (UTC)',
      value: (a) => a['createdAt'],
      brief: toTheMinute,
      rank: 8,
      onRequest: true,
    },
    {
      name: 'bankAccountFormLink',
      short: 'link',
      header: 'FORM',
      value: (a) => a['bankAccountFormLink'],
      rank: 9,
      onRequest: true,
    },
  ],
}

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
