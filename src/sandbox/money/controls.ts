// What whoever runs the sandbox can do about money: accounts, deposits, outcomes, history, and a look at the books.
import {queueCrossedThresholds} from '../rules/thresholds.ts'
import {ControlError} from '../control-refused.ts'
import {getCustomerRow} from '../customers/customer-store.ts'
import {ServiceError} from '../http/refusal.ts'
import {runOperation} from '../operation.ts'
import {addHistory, historyChunk} from '../seed/history.ts'
import type {SandboxEnvironment, RequestContext} from '../request-context.ts'
import {type Account, accountOf, type AccountRow, accountRow, accountsOf} from './account-store.ts'
import {addAccount, completeAccount, type AccountOrder} from './accounts.ts'
import {currenciesOf, decimalOf, minorOf, type PaymentMethod} from './currencies.ts'
import {heldBy, holders, post, verifyLedger} from './ledger.ts'
import {forgetTasks, moveTransaction} from './settlement.ts'
import {awaitingFrom, transactionRow, type TransactionRow} from './transaction-store.ts'
import {pathBetween, type Transaction, type TransactionStatus} from './transitions.ts'

export type Outcome = 'completed' | 'failed' | 'cancelled' | 'expired'

// A payment account with what it holds; only a service-managed wallet holds anything.
export type AccountWithBalances = Account & {balances: Record<string, string>}

export interface MoneyControls {
  accounts(customerId: string): AccountWithBalances[]
  // What a wallet holds of a currency; undefined where there is no such wallet, or it cannot hold it.
  balance(accountId: string, currency: string): string | undefined
  addAccount(order: AccountOrder & {balance?: string | undefined}): AccountWithBalances
  // The form of a pending bank account, named by its token, counts as filled in: the account is ACTIVE.
  completeAccount(formToken: string): AccountWithBalances
  // Money arrives from outside: in a wallet, or for the transaction that waits for this very sum from this account.
  fund(accountId: string, amount: string, currency?: string): AccountWithBalances | Transaction
  settle(transactionId: string, outcome: Outcome): Transaction
  verifyLedger(): {entries: number; balances: number}
  // Adds transactions that were completed in the past year, many at a time.
  seedTransactions(count: number): {added: number}
}

const tokenDefault = 'USDC'
const decimalPattern = /^\d{1,12}(\.\d{1,18})?$/

// What the service would answer a caller is told to whoever runs the sandbox as well.
function asControl<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ControlError(error.message, {notFound: error.error === 'NOT_FOUND'})
  }
}

function checkedMinor(amount: string, currency: string): bigint {
  const minor = decimalPattern.test(amount) ? minorOf(amount, currency) : null
  if (minor !== null && minor > 0n) return minor
  throw new ControlError(`"${amount}" is not an amount of ${currency}: give a decimal above zero, such as 100.50`)
}

function balancesOf(
  {database}: RequestContext,
  {accountId, paymentAccountType, method}: AccountRow,
): Record<string, string> {
  if (paymentAccountType !== 'SVC_CRYPTO_WALLET') return {}
  const held = currenciesOf(method as PaymentMethod).map((currency) => {
    const minor = heldBy(database, holders.wallet(accountId), currency)
    return [currency, decimalOf(minor, currency), minor] as const
  })
  const shown = held.filter(([currency, , minor]) => minor !== 0n || currency === tokenDefault)
  return Object.fromEntries(shown.map(([currency, text]) => [currency, text]))
}

function balanceIn(turn: RequestContext, accountId: string, currency: string): string | undefined {
  const row = accountRow(turn.database, accountId)
  if (row?.paymentAccountType !== 'SVC_CRYPTO_WALLET') return undefined
  if (!currenciesOf(row.method as PaymentMethod).includes(currency)) return undefined
  return decimalOf(heldBy(turn.database, holders.wallet(row.accountId), currency), currency)
}

export const withBalances = (turn: RequestContext, row: AccountRow): AccountWithBalances => ({
  ...accountOf(turn, row),
  balances: balancesOf(turn, row),
})

function deposit(turn: RequestContext, {accountId, method}: AccountRow, amount: string, currency = tokenDefault) {
  const chain = method as PaymentMethod
  if (!currenciesOf(chain).includes(currency)) {
    throw new ControlError(`There is no ${currency} on ${chain}: there is ${currenciesOf(chain).join(' and ')}`)
  }
  const minor = checkedMinor(amount, currency)
  const changes = post(turn, `deposit to ${accountId}`, [
    {holder: holders.world(chain), currency, amount: -minor},
    {holder: holders.wallet(accountId), currency, amount: minor},
  ])
  for (const change of changes) queueCrossedThresholds(turn, change)
}

// A sum that nothing waits for has nowhere to go, as at a bank that sends it back.
function arrive(
  turn: RequestContext,
  {accountId, currency: own}: AccountRow,
  amount: string,
  currency = own ?? '',
): Transaction {
  const waiting = awaitingFrom(turn.database, accountId).map((row) => ({
    row,
    source: (JSON.parse(row.reply) as Transaction).source,
  }))
  const sums = waiting.map(({source}) => `${source.sourceAmount} ${source.sourceCurrency.label}`)
  if (currency !== own) throw new ControlError(`The account is in ${own}, not in ${currency}`)
  const wanted = decimalOf(checkedMinor(amount, currency), currency)
  const found = waiting.find(({source}) => source.sourceAmount === wanted)
  if (!found) {
    const which = sums.length > 0 ? `waiting are ${sums.join(', ')}` : 'nothing waits for money from it'
    throw new ControlError(`No transaction waits for ${wanted} ${currency} from this account: ${which}`)
  }
  moveTransaction(turn, found.row, 'PROCESSING')
  return replyOf(turn, found.row)
}

const replyOf = ({database}: RequestContext, {transactionId}: TransactionRow) =>
  JSON.parse(transactionRow(database, transactionId)?.reply ?? '{}') as Transaction

function fund(
  turn: RequestContext,
  accountId: string,
  amount: string,
  currency?: string,
): AccountWithBalances | Transaction {
  const row = accountRow(turn.database, accountId)
  if (!row || row.paymentAccountStatus === 'PENDING') {
    throw new ControlError(`There is no payment account ${accountId}`, {notFound: true})
  }
  if (row.paymentAccountType !== 'SVC_CRYPTO_WALLET') return arrive(turn, row, amount, currency)
  deposit(turn, row, amount, currency)
  return withBalances(turn, row)
}

// Goes to the outcome by every state on the way, since each does its own part to the ledger.
function settle(turn: RequestContext, transactionId: string, outcome: Outcome): Transaction {
  const row = transactionRow(turn.database, transactionId)
  if (!row) throw new ControlError(`There is no transaction ${transactionId}`, {notFound: true})
  const to = outcome.toUpperCase() as TransactionStatus
  const path = pathBetween(row.transactionStatus, to)
  if (!path || path.length === 0) {
    throw new ControlError(`The transaction is ${row.transactionStatus}: it cannot become ${to}`)
  }
  for (const step of path) {
    moveTransaction(turn, transactionRow(turn.database, transactionId) as TransactionRow, step, {scheduled: false})
  }
  forgetTasks(turn, row.transactionId)
  return replyOf(turn, row)
}

function seedTransactions(house: SandboxEnvironment, count: number): {added: number} {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new ControlError('The number of transactions must be a whole number')
  }
  for (let done = 0; done < count; done += historyChunk) {
    runOperation(house, (turn) => addHistory(turn, done, Math.min(historyChunk, count - done), count))
  }
  return {added: count}
}

export const moneyControls = (house: SandboxEnvironment): MoneyControls => ({
  accounts: (customerId) =>
    asControl(() =>
      runOperation(house, (turn) =>
        accountsOf(turn.database, getCustomerRow(turn.database, customerId).customerId).map((row) =>
          withBalances(turn, row),
        ),
      ),
    ),
  balance: (accountId, currency) => runOperation(house, (turn) => balanceIn(turn, accountId, currency)),
  addAccount: ({balance, ...order}) =>
    asControl(() =>
      runOperation(house, (turn) => {
        const row = addAccount(turn, order)
        if (balance !== undefined && row.paymentAccountType !== 'SVC_CRYPTO_WALLET') {
          throw new ControlError('Only a service-managed wallet holds a balance')
        }
        if (balance !== undefined) deposit(turn, row, balance, order.currency)
        return withBalances(turn, row)
      }),
    ),
  completeAccount: (formToken) => runOperation(house, (turn) => withBalances(turn, completeAccount(turn, formToken))),
  fund: (accountId, amount, currency) => runOperation(house, (turn) => fund(turn, accountId, amount, currency)),
  settle: (transactionId, outcome) => runOperation(house, (turn) => settle(turn, transactionId, outcome)),
  verifyLedger: () => house.database.transact(() => verifyLedger(house.database)),
  seedTransactions: (count) => seedTransactions(house, count),
})
