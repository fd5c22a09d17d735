// Chooses the wallet whose balance is watched, and reads its balance.
import {Big} from 'big.js'
import type {Figure} from '../cli/watch/watch-figure.ts'
import {SvcError, badUsage} from '../errors.ts'
import {quoteForShell} from '../values/text.ts'
import type {WalletBalance, WalletBalances} from './wallet-balances.ts'

export interface WalletChoice {
  customerId: string
  account?: string | undefined
  currency?: string | undefined
  // What came in from outside, which no transaction shows. Decimal text.
  deposited?: string | undefined
}

const describeWallet = ({paymentAccountId, currency}: WalletBalance) =>
  `--account ${quoteForShell(paymentAccountId)}${currency ? ` --currency ${quoteForShell(currency)}` : ''}`

// An account may be given by its first characters, as everywhere.
const isChosen = ({account, currency}: WalletChoice, wallet: WalletBalance) =>
  (account === undefined || wallet.paymentAccountId.toLowerCase().startsWith(account.toLowerCase())) &&
  (currency === undefined || wallet.currency?.toUpperCase() === currency.toUpperCase())

export function chooseWallet({wallets}: WalletBalances, choice: WalletChoice): WalletBalance {
  const chosen = wallets.filter((wallet) => isChosen(choice, wallet))
  const [only, ...others] = chosen
  if (only && others.length === 0) return only
  if (only) {
    throw new SvcError({
      error: 'BAD_USAGE',
      kind: 'usage',
      message: `${chosen.length} balances match`,
      hint: 'Give one of these',
      problems: chosen.map(describeWallet),
    })
  }
  throw new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `The customer ${choice.customerId} has no such wallet`,
    hint: `\`svc balance ${quoteForShell(choice.customerId)}\` shows its wallets`,
  })
}

// The interface tells no balances (docs/assumptions.md, P22). What was deposited, and what transactions moved since, is one.
function estimateBalance(wallet: WalletBalance, deposited: string | undefined, isPartial: boolean): string {
  if (wallet.balance !== undefined) return wallet.balance
  if (deposited === undefined) {
    throw badUsage(
      'The interface of the service tells no balances, so svc cannot watch one by itself',
      'Give --deposited AMOUNT, what came into the wallet from outside: svc adds up what transactions moved since',
    )
  }
  if (isPartial) {
    throw badUsage(
      'The customer has more transactions than svc reads, so the balance cannot be added up',
      'Watch the balance where the service shows it',
    )
  }
  const {received, sent, leaving} = wallet
  return new Big(deposited).plus(received).minus(sent).minus(leaving).toFixed()
}

export function readFigure(balances: WalletBalances, choice: WalletChoice): Figure {
  const wallet = chooseWallet(balances, choice)
  const {paymentAccountId, currency} = wallet
  const value = estimateBalance(wallet, choice.deposited, balances.isPartial)
  const isEstimated = wallet.balance === undefined
  return {
    value,
    fields: {...(currency && {currency}), paymentAccountId, customerId: choice.customerId, isEstimated},
  }
}
