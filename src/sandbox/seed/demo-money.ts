// Writes the payment accounts, balances and transactions of demo customers. Their ids are the same on every machine.
import type {Big} from 'big.js'
import {behavioursDefault} from '../service/faults/behaviours.ts'
import {cryptoMethods, currencyByMethod, fiatMethods} from '../../contract/vocabulary.ts'
import type {Database} from '../store/database.ts'
import {deriveDigest, toUuid} from '../store/ids.ts'
import {enqueue} from '../time/queue.ts'
import {type AccountType, findAccountRow, openAccount} from '../service/money/accounts.ts'
import {Decimal} from '../service/money/currencies.ts'
import {type Entry, holders, postEntries} from '../service/money/ledger.ts'
import {insertQuote, priceQuote} from '../service/money/quotes.ts'
import {moveTransaction} from '../service/money/settlement.ts'
import {openTransaction} from '../service/money/transactions.ts'
import {findTransactionRow, type TransactionRow} from '../service/money/transaction-store.ts'
import type {TransactionStatus} from '../service/money/transitions.ts'
import type {RequestContext} from '../service/request-context.ts'
import {hourMs, minuteMs, secondMs} from '../../values/time.ts'

// Ids of demo data are derived from this, not from the seed of the database.
export const demoSeed = 'svc sandbox demo data'

// Only the first demo customers have accounts, so that seeding a hundred thousand customers takes seconds.
const customersWithAccountsMax = 1_000

// The balance of a demo wallet is between the minimum and the minimum plus the spread. Its transactions leave over 1,000.
const walletUsdcMin = 1_250
const walletUsdcSpread = 8_000

export interface DemoOwner {
  customerId: string
  number: number
  digest: string
  name: string
  email: string
  isActive: boolean
  createdAt: number
  // When the customer got its present status.
  updatedAt: number
}

// The accounts of a demo customer. Their ids are derived from these words, so the words must not change.
type AccountSlot = 'wallet' | 'own wallet' | 'deposits' | 'pending' | (typeof fiatMethods)[number]

const deriveDemoAccountId = (number: number, slot: AccountSlot) =>
  toUuid(deriveDigest(demoSeed, 'account', number, slot))

const readDigestNumber = (digest: string, piece: number) =>
  Number.parseInt(digest.slice(piece * 8, (piece + 1) * 8), 16)
const pickChain = ({digest}: DemoOwner) => cryptoMethods[readDigestNumber(digest, 7) % cryptoMethods.length] as string

function writeAccount(
  database: Database,
  owner: DemoOwner,
  slot: AccountSlot,
  type: AccountType,
  route: {method: string | null; currency: string | null},
) {
  openAccount(database, {
    accountId: deriveDemoAccountId(owner.number, slot),
    customerId: owner.customerId,
    createdAt: owner.updatedAt,
    type,
    isPending: slot === 'pending',
    nickname: slot === 'pending' ? 'New bank account' : undefined,
    ...route,
    digest: deriveDigest(demoSeed, 'account details', owner.number, slot),
    owner,
  })
}

const getBankRoute = (method: (typeof fiatMethods)[number]) => ({method, currency: currencyByMethod[method]})

// Writes the accounts of one customer, and returns the entries that fill its wallet. Of the customers that are not active,
// every third has a pending bank account.
export function writeDemoAccounts(database: Database, owner: DemoOwner): Entry[] {
  if (owner.number > customersWithAccountsMax) return []
  if (owner.isActive || owner.number % 3 === 0)
    writeAccount(database, owner, 'pending', 'EXTERNAL_BANK_ACCOUNT', getBankRoute('ACH'))
  if (!owner.isActive) return []
  const method = pickChain(owner)
  for (const rail of fiatMethods) writeAccount(database, owner, rail, 'EXTERNAL_BANK_ACCOUNT', getBankRoute(rail))
  writeAccount(database, owner, 'deposits', 'SVC_AUTO_FIAT_ACCOUNT', {method: null, currency: 'USD'})
  writeAccount(database, owner, 'own wallet', 'EXTERNAL_CRYPTO_WALLET', {method, currency: 'USDC'})
  writeAccount(database, owner, 'wallet', 'SVC_CRYPTO_WALLET', {method, currency: null})
  const amount = new Decimal(String(walletUsdcMin + (readDigestNumber(owner.digest, 6) % walletUsdcSpread)))
  return [
    {holder: holders.outside(method), currency: 'USDC', amount: amount.neg()},
    {holder: holders.wallet(deriveDemoAccountId(owner.number, 'wallet')), currency: 'USDC', amount},
  ]
}

// One posting fills all wallets, with one sum for each network.
export function fillWallets(context: Pick<RequestContext, 'database' | 'now'>, entries: readonly Entry[]) {
  const sums = new Map<string, Big>()
  for (const {holder, amount} of entries) sums.set(holder, sums.get(holder)?.plus(amount) ?? amount)
  const summed = [...sums].map(([holder, amount]) => ({holder, currency: 'USDC', amount}))
  if (summed.length > 0) postEntries(context, 'demo wallets', summed)
}

interface DemoTransaction {
  from: AccountSlot
  to: AccountSlot
  amount: string
  // The states after the first, each with the time since the one before.
  later: ReadonlyArray<readonly [TransactionStatus, number]>
}

const processing = ['PROCESSING', 2 * secondMs] as const

// One transaction in every state but CREATED, which one customer has. None of them has credited the wallet, because the amount would depend on today's price and
// so differ between machines. The last two are in progress: one settles in a day, the other waits for its transfer.
const demoTransactions: readonly DemoTransaction[] = [
  {from: 'wallet', to: 'ACH', amount: '50', later: [processing, ['COMPLETED', 30 * minuteMs]]},
  {from: 'WIRE', to: 'wallet', amount: '200', later: [['EXPIRED', 48 * hourMs]]},
  {
    from: 'SEPA',
    to: 'own wallet',
    amount: '80',
    later: [
      ['PROCESSING', 3 * hourMs],
      ['COMPLETED', minuteMs],
    ],
  },
  {from: 'wallet', to: 'SEPA', amount: '20', later: [processing, ['FAILED', 10 * minuteMs]]},
  {from: 'ACH', to: 'own wallet', amount: '60', later: [['CANCELLED', hourMs]]},
  {from: 'wallet', to: 'own wallet', amount: '75.5', later: [processing, ['COMPLETED', minuteMs]]},
  {from: 'wallet', to: 'IN_NEFT_RTGS_IMPS', amount: '25', later: [processing]},
  {from: 'deposits', to: 'wallet', amount: '120', later: []},
]

// Only this customer has a CREATED transaction, so that the ids and balances of the others stay as the docs have them.
const ownerOfCreated = 23
const createdTransaction: DemoTransaction = {from: 'wallet', to: 'WIRE', amount: '30', later: []}

const inProgressCount = 2
const latestAgeMs = hourMs
const beginsInMs = 12 * hourMs
const settledInMs = 24 * hourMs

function findRouteEnd(database: Database, owner: DemoOwner, slot: AccountSlot) {
  const accountId = deriveDemoAccountId(owner.number, slot)
  const {method, currency} = findAccountRow(database, accountId) ?? {}
  return {accountId, method: (method ?? 'ACH') as 'ACH', currency: currency ?? 'USDC'}
}

function openDemoTransaction(
  pastContext: RequestContext,
  owner: DemoOwner,
  index: number,
  {from, to, amount}: DemoTransaction,
) {
  const [source, destination] = [
    findRouteEnd(pastContext.database, owner, from),
    findRouteEnd(pastContext.database, owner, to),
  ]
  const terms = priceQuote(pastContext, {
    customerId: owner.customerId,
    source: {
      sourcePaymentAccountId: source.accountId,
      sourceCurrency: source.currency,
      sourcePaymentMethod: source.method,
      sourceAmount: amount,
    },
    destination: {
      destinationPaymentAccountId: destination.accountId,
      destinationPaymentMethod: destination.method,
      destinationCurrency: destination.currency,
    },
  })
  const digest = deriveDigest(demoSeed, 'transaction', owner.number, index)
  const quote = insertQuote(pastContext, terms, `quote_${digest.slice(0, 24)}`)
  return openTransaction(pastContext, quote, terms, {transactionId: toUuid(digest), scheduled: false})
}

// Writes the transactions of one customer, between the day it became active and now.
export function writeDemoTransactions(context: Pick<RequestContext, 'database' | 'now'>, owner: DemoOwner) {
  const {database, now} = context
  const openAt = (at: number): RequestContext => ({
    database,
    formsUrl: '',
    behaviours: behavioursDefault,
    now: Math.floor(at / secondMs) * secondMs,
  })
  if (owner.number === ownerOfCreated) {
    const past = openAt(now - latestAgeMs)
    const {transactionId} = openDemoTransaction(past, owner, demoTransactions.length, createdTransaction)
    enqueue(context, 'transaction.process', {transactionId}, now + beginsInMs)
  }
  const span = now - owner.updatedAt
  for (const [index, demo] of demoTransactions.entries()) {
    const isInProgress = index >= demoTransactions.length - inProgressCount
    const age = (span * (index + 1)) / demoTransactions.length / 2
    const past = openAt(isInProgress ? now - latestAgeMs : owner.updatedAt + age)
    const {transactionId, expiresAt} = openDemoTransaction(past, owner, index, demo)
    let at = past.now
    for (const [status, afterMs] of demo.later) {
      at += afterMs
      const row = findTransactionRow(database, transactionId) as TransactionRow
      moveTransaction({...past, now: at}, row, status, {scheduled: false})
    }
    if (!isInProgress) continue
    if (expiresAt === undefined) enqueue(context, 'transaction.settle', {transactionId}, now + settledInMs)
    else enqueue(context, 'transaction.expire', {transactionId}, Date.parse(expiresAt))
  }
}
