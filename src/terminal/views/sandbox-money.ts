// The sandbox's payment accounts with their balances, as tables and records.
import type {View} from '../view.ts'
import {type Item, toTheMinute, within} from './values.ts'

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
