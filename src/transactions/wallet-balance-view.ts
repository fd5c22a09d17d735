// The columns of wallets and what is known about the money in them.
import {type View, formatMoney} from '../cli/output/view.ts'
import type {WalletBalance} from './wallet-balances.ts'

const formatAmount = (amount: unknown, {currency}: WalletBalance) => formatMoney(amount, currency)

// What moved nothing needs no figure.
const formatMovement = (amount: unknown, wallet: WalletBalance) =>
  /[1-9]/.test(String(amount)) ? formatAmount(amount, wallet) : ''

const right = {align: 'right'} as const

export const walletBalanceView: View<WalletBalance> = {
  singular: 'wallet',
  plural: 'wallets',
  columns: [
    {name: 'paymentAccountId', short: 'id', header: 'WALLET', value: (w) => w.paymentAccountId, rank: 5, isId: true},
    {name: 'nickname', header: 'NICKNAME', value: (w) => w.nickname, rank: 1, widthGood: 8, widthMin: 8, wraps: true},
    {name: 'chain', header: 'CHAIN', value: (w) => w.chain, rank: 0},
    {name: 'address', header: 'ADDRESS', value: (w) => w.address, rank: 7, onRequest: true},
    {name: 'currency', header: 'CURRENCY', value: (w) => w.currency, rank: 7, onRequest: true},
    {
      name: 'balance',
      header: 'BALANCE',
      value: (w) => w.balance,
      format: (balance, wallet) => (balance === undefined ? 'not told' : formatAmount(balance, wallet)),
      rank: 0,
      ...right,
    },
    {name: 'received', header: 'RECEIVED', value: (w) => w.received, format: formatMovement, rank: 4, ...right},
    {name: 'sent', header: 'SENT', value: (w) => w.sent, format: formatMovement, rank: 3, ...right},
    {name: 'arriving', header: 'ARRIVING', value: (w) => w.arriving, format: formatMovement, rank: 2, ...right},
    {name: 'leaving', header: 'LEAVING', value: (w) => w.leaving, format: formatMovement, rank: 2, ...right},
    {name: 'transactions', header: 'TRANSACTIONS', value: (w) => w.transactions, rank: 7, onRequest: true},
  ],
}
