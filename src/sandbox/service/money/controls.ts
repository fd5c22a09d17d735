// Lets the person who runs the sandbox add accounts, deposit money, force outcomes, and check the ledger.
import type {Big} from 'big.js'
import {parseStored} from '../../store/database.ts'
import {queueCrossedThresholds} from '../rules/rule-store.ts'
import {ControlError} from '../../operations/control-error.ts'
import type {AccountOrder} from '../../orders.ts'
import {getCustomerRow} from '../customers/customer-store.ts'
import type {Settlement} from '../faults/behaviour-table.ts'
import type {RequestContext} from '../request-context.ts'
import {deleteSteps} from '../../time/queue.ts'
import {type Account, type AccountRow, addAccount, findAccountRow, listAccountRows, toAccount} from './accounts.ts'
import {Decimal, isTooFine, listCurrencies, type PaymentMethod, writeAmount} from './currencies.ts'
import type {Database} from '../../store/database.ts'
import {readBalance, holders, postEntries, verifyLedger} from './ledger.ts'
import {moveTransaction} from './settlement.ts'
import {listAwaitingTransfer, findTransactionRow, type TransactionRow} from './transaction-store.ts'
import {findPath, type Transaction, type TransactionStatus} from './transitions.ts'

// Only a service-managed wallet holds a balance.
export type AccountWithBalances = Account & {balances: Record<string, string>}

const tokenDefault = 'USDC'
const decimalPattern = /^\d{1,12}(\.\d{1,18})?$/

function parseAmount(text: string, currency: string): Big {
  const amount = new Decimal(decimalPattern.test(text) ? text : '0')
  if (amount.gt('0') && !isTooFine(amount, currency)) return amount
  throw new ControlError(`"${text}" is not an amount of ${currency}: give a decimal above zero, such as 100.50`)
}

function readWalletBalances(
  {database}: RequestContext,
  {accountId, paymentAccountType, method}: AccountRow,
): Record<string, string> {
  if (paymentAccountType !== 'SVC_CRYPTO_WALLET') return {}
  const held = listCurrencies(method as PaymentMethod).map(
    (currency) => [currency, readBalance(database, holders.wallet(accountId), currency)] as const,
  )
  const shown = held.filter(([currency, amount]) => !amount.eq('0') || currency === tokenDefault)
  return Object.fromEntries(shown.map(([currency, amount]) => [currency, writeAmount(amount, currency)]))
}

// What all wallets hold together, by currency.
export function sumWallets(database: Database): Record<string, string> {
  const held = database.all<{currency: string; amount: string}>(selectWallets, holders.wallet('%'))
  const sums = Map.groupBy(held, ({currency}) => currency)
  return Object.fromEntries(
    [...sums].map(([currency, own]) => {
      const sum = own.reduce((total, {amount}) => total.plus(amount), new Decimal('0'))
      return [currency, writeAmount(sum, currency)]
    }),
  )
}

const selectWallets = 'select currency, amount from balances where holder like ? order by currency'

function readBalanceIfHeld(context: RequestContext, accountId: string, currency: string): string | undefined {
  const row = findAccountRow(context.database, accountId)
  if (row?.paymentAccountType !== 'SVC_CRYPTO_WALLET') return undefined
  if (!listCurrencies(row.method as PaymentMethod).includes(currency)) return undefined
  return writeAmount(readBalance(context.database, holders.wallet(row.accountId), currency), currency)
}

export const toAccountWithBalances = (context: RequestContext, row: AccountRow): AccountWithBalances => ({
  ...toAccount(context, row),
  balances: readWalletBalances(context, row),
})

function deposit(context: RequestContext, {accountId, method}: AccountRow, amount: string, currency = tokenDefault) {
  const chain = method as PaymentMethod
  if (!listCurrencies(chain).includes(currency)) {
    throw new ControlError(`There is no ${currency} on ${chain}: there is ${listCurrencies(chain).join(' and ')}`)
  }
  const deposited = parseAmount(amount, currency)
  const changes = postEntries(context, `deposit to ${accountId}`, [
    {holder: holders.outside(chain), currency, amount: deposited.neg()},
    {holder: holders.wallet(accountId), currency, amount: deposited},
  ])
  for (const change of changes) queueCrossedThresholds(context, change)
}

// An amount that no transaction waits for is rejected, as a bank would return it.
function fundWaitingTransaction(
  context: RequestContext,
  {accountId, currency: own}: AccountRow,
  amount: string,
  currency = own ?? '',
): Transaction {
  const waiting = listAwaitingTransfer(context.database, accountId).map((row) => ({
    row,
    source: parseStored<Transaction>(row.reply).source,
  }))
  const sums = waiting.map(({source}) => `${source.sourceAmount} ${source.sourceCurrency.label}`)
  if (currency !== own) throw new ControlError(`The account is in ${own}, not in ${currency}`)
  const expected = writeAmount(parseAmount(amount, currency), currency)
  const found = waiting.find(({source}) => source.sourceAmount === expected)
  if (!found) {
    const which = sums.length > 0 ? `expected are ${sums.join(', ')}` : 'none waits for money from it'
    throw new ControlError(`No transaction waits for ${expected} ${currency} from this account: ${which}`)
  }
  moveTransaction(context, found.row, 'PROCESSING', {isMadeUp: true})
  return readTransaction(context, found.row)
}

const readTransaction = ({database}: RequestContext, {transactionId}: TransactionRow) =>
  parseStored<Transaction>(findTransactionRow(database, transactionId)?.reply ?? '{}')

function fund(
  context: RequestContext,
  accountId: string,
  amount: string,
  currency?: string,
): AccountWithBalances | Transaction {
  const row = findAccountRow(context.database, accountId)
  if (!row || row.paymentAccountStatus === 'PENDING') {
    throw new ControlError(`There is no payment account ${accountId}`, {notFound: true})
  }
  if (row.paymentAccountType !== 'SVC_CRYPTO_WALLET') return fundWaitingTransaction(context, row, amount, currency)
  deposit(context, row, amount, currency)
  return toAccountWithBalances(context, row)
}

// Passes through every status on the way to the outcome, because each transition posts to the ledger.
function settle(context: RequestContext, transactionId: string, outcome: Settlement): Transaction {
  const row = findTransactionRow(context.database, transactionId)
  if (!row) throw new ControlError(`There is no transaction ${transactionId}`, {notFound: true})
  const to = outcome.toUpperCase() as TransactionStatus
  const path = findPath(row.transactionStatus, to)
  if (!path || path.length === 0) {
    throw new ControlError(`The transaction is ${row.transactionStatus}: it cannot become ${to}`)
  }
  for (const step of path) {
    moveTransaction(context, findTransactionRow(context.database, transactionId) as TransactionRow, step, {
      scheduled: false,
      isMadeUp: true,
    })
  }
  deleteSteps(context.database, row.transactionId)
  return readTransaction(context, row)
}

function addAccountWithBalance(context: RequestContext, {balance, ...order}: AccountOrder): AccountWithBalances {
  const row = addAccount(context, order)
  if (balance !== undefined && row.paymentAccountType !== 'SVC_CRYPTO_WALLET') {
    throw new ControlError('Only a service-managed wallet holds a balance')
  }
  if (balance !== undefined) deposit(context, row, balance, order.currency)
  return toAccountWithBalances(context, row)
}

export const moneyControls = {
  accounts: (context: RequestContext, customerId: string) =>
    listAccountRows(context.database, getCustomerRow(context.database, customerId).customerId).map((row) =>
      toAccountWithBalances(context, row),
    ),
  // Undefined if there is no such wallet or it cannot hold the currency.
  balance: readBalanceIfHeld,
  addAccount: addAccountWithBalance,
  // Money arrives from outside: in a wallet, or for a transaction that waits for this exact amount from this account.
  fund,
  settle,
  verifyLedger: ({database}: RequestContext) => verifyLedger(database),
}
