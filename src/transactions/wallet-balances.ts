// What is known about the money in a customer's wallets. The interface tells no balances (docs/assumptions.md, P22): svc adds up
// what transactions moved into and out of each wallet, and shows the balance itself where the sandbox tells it.
import {Big} from 'big.js'
import {getAccountId} from '../accounts/describe-account.ts'
import {listEveryAccount} from '../accounts/find-account.ts'
import {startProgress} from '../cli/output/streams.ts'
import {toText} from '../cli/output/view.ts'
import type {Figure} from '../cli/watch/watch-figure.ts'
import type {Client} from '../client/client.ts'
import {getCutSign, walkPages} from '../client/paging.ts'
import {
  type LooseCurrency,
  type LoosePaymentAccount,
  type LooseTransaction,
  getCurrencyLabel,
  readCode,
} from '../contract/loose.ts'
import {SvcError, badUsage} from '../errors.ts'
import type {ServiceState} from '../transport.ts'
import {addAmounts} from '../values/money.ts'
import {quoteForShell} from '../values/text.ts'

// One wallet in one currency. Amounts are decimal text.
export interface WalletBalance {
  paymentAccountId: string
  nickname?: string
  chain?: string
  address?: string
  // Absent if neither a balance nor a transaction tells a currency.
  currency?: string
  balance?: string
  // By transactions that are COMPLETED.
  received: string
  sent: string
  // By transactions that have not ended.
  arriving: string
  leaving: string
  transactions: number
}

interface WalletBalances {
  wallets: WalletBalance[]
  // Whether the service told balances at all.
  isBalanceTold: boolean
  transactionsRead: number
  // Whether there are older transactions, which were not read.
  isPartial: boolean
}

// Ten requests of the largest page.
const transactionsMax = 1000

const endedStatuses = new Set(['FAILED', 'CANCELLED', 'EXPIRED'])

type Flow = 'received' | 'sent' | 'arriving' | 'leaving'

interface Movement {
  account: string
  currency: string
  flow: Flow
  amount: string
}

function toMovement(account: unknown, currency: LooseCurrency, amount: unknown, flow: Flow): Movement {
  return {account: toText(account), currency: toText(getCurrencyLabel(currency)), flow, amount: toText(amount)}
}

// A transaction that failed moved nothing.
function listMovements({transactionStatus, source, destination}: LooseTransaction): Movement[] {
  const status = readCode(transactionStatus)
  if (endedStatuses.has(status)) return []
  const isDone = status === 'COMPLETED'
  const from = toMovement(
    source?.sourcePaymentAccountId,
    source?.sourceCurrency,
    source?.sourceAmount,
    isDone ? 'sent' : 'leaving',
  )
  const to = toMovement(
    destination?.destinationPaymentAccountId,
    destination?.destinationCurrency,
    destination?.destinationAmount,
    isDone ? 'received' : 'arriving',
  )
  return [from, to].filter(({amount}) => /^\d+(\.\d+)?$/.test(amount))
}

function describeWallet({nickname, svcCryptoWallet}: LoosePaymentAccount) {
  const {address, chain} = svcCryptoWallet?.address ?? {}
  const shown = {nickname: toText(nickname), chain: toText(chain), address: toText(address)}
  return Object.fromEntries(Object.entries(shown).filter(([, text]) => text !== '')) as Partial<typeof shown>
}

const isWallet = ({paymentAccountType}: LoosePaymentAccount) => readCode(paymentAccountType) === 'SVC_CRYPTO_WALLET'

async function readWallets(client: Client, customerId: string): Promise<LoosePaymentAccount[]> {
  const accounts = await listEveryAccount(client, customerId)
  return accounts.filter((each) => isWallet(each) && getAccountId(each) !== '')
}

async function readMovements(client: Client, customerId: string) {
  const movements: Movement[] = []
  let [count, isPartial] = [0, false]
  const progress = startProgress()
  try {
    const pages = walkPages((page) => client.transactions.list({customerId, ...page}), 'transactions', {
      limit: transactionsMax,
    })
    for await (const {items, ...page} of pages) {
      count += items.length
      movements.push(...items.flatMap(listMovements))
      isPartial = page.resumeToken !== undefined || getCutSign(page.envelope) !== undefined
      progress.report(`${count} transactions read…`)
    }
  } finally {
    progress.end()
  }
  return {movements, count, isPartial}
}

function sumUp(wallet: LoosePaymentAccount, currency: string, movements: readonly Movement[], balance?: string) {
  const sum = (flow: Flow) =>
    addAmounts(movements.filter((each) => each.flow === flow).map(({amount}) => amount)) ?? '0'
  return {
    paymentAccountId: getAccountId(wallet),
    ...describeWallet(wallet),
    ...(currency && {currency}),
    ...(balance !== undefined && {balance}),
    received: sum('received'),
    sent: sum('sent'),
    arriving: sum('arriving'),
    leaving: sum('leaving'),
    transactions: movements.length,
  }
}

export async function readWalletBalances(
  client: Client,
  customerId: string,
  listBalances: ServiceState['listBalances'],
): Promise<WalletBalances> {
  const [wallets, {movements, count, isPartial}] = await Promise.all([
    readWallets(client, customerId),
    readMovements(client, customerId),
  ])
  const balances = wallets.length > 0 ? listBalances?.(customerId) : undefined
  const rows = wallets.flatMap((wallet) => {
    const id = getAccountId(wallet)
    const told = balances?.[id] ?? {}
    const moved = Map.groupBy(
      movements.filter(({account}) => account === id),
      ({currency}) => currency,
    )
    const currencies = [...new Set([...Object.keys(told), ...moved.keys()])].toSorted()
    return (currencies.length > 0 ? currencies : ['']).map((currency) =>
      sumUp(wallet, currency, moved.get(currency) ?? [], told[currency]),
    )
  })
  return {wallets: rows, isBalanceTold: listBalances !== undefined, transactionsRead: count, isPartial}
}

// Chooses the wallet whose balance is watched, and reads its balance.
interface WalletChoice {
  customerId: string
  account?: string | undefined
  currency?: string | undefined
  // What came in from outside, which no transaction shows. Decimal text.
  deposited?: string | undefined
}

const describeWalletFlags = ({paymentAccountId, currency}: WalletBalance) =>
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
      problems: chosen.map(describeWalletFlags),
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
