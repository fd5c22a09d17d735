// Adds completed transactions of the past year, for trying and measuring long lists.
import {ControlError} from '../operations/control-error.ts'
import {createTransferReference} from '../service/money/accounts.ts'
import {type CryptoMethod, toCurrencyObject, toDecimalText} from '../service/money/currencies.ts'
import {computeRate, computeServiceFee, convertByRate} from '../service/money/prices.ts'
import {type Entry, holders, postEntries} from '../service/money/ledger.ts'
import {deriveDigest, toUuid} from '../store/ids.ts'
import {toTimestamp} from '../time/clock.ts'
import {insertByKeys, readNextSeq} from '../service/money/transaction-store.ts'
import type {RequestContext} from '../service/request-context.ts'
import type {Transaction} from '../service/money/transitions.ts'
import {secondMs} from '../../values/time.ts'

// How many are written in one database transaction, so that other processes are not blocked for long.
export const historyChunk = 20_000

const yearMs = 365 * 24 * 60 * 60 * 1_000
const tookMs = 3 * 60 * 60 * secondMs
const routesMax = 1_000

// The number of different amounts, from 10 to 1,000 dollars. Each is priced only once.
const amountsCount = 991
const sumMinCents = 1_000n
const sumStepCents = 100n

interface Route {
  customerId: string
  customerSeq: number
  organizationSeq: number
  bankId: string
  bankSeq: number
  walletId: string
  walletSeq: number
  chain: CryptoMethod
}

const routesQuery = `
  select customers.customerId, customers.seq as customerSeq, organizations.seq as organizationSeq,
    bank.accountId as bankId, bank.seq as bankSeq, wallet.accountId as walletId, wallet.seq as walletSeq,
    wallet.method as chain
  from customers
    join organizations on organizations.organizationId = customers.organizationId
    join accounts bank on bank.customerId = customers.customerId and bank.method = 'ACH'
      and bank.paymentAccountStatus = 'ACTIVE'
    join accounts wallet on wallet.customerId = customers.customerId
      and wallet.paymentAccountType = 'EXTERNAL_CRYPTO_WALLET'
  where customerStatus = 'ACTIVE' order by customers.seq limit ? + 0`

interface Sum {
  minor: bigint
  fee: bigint
  feeUsd: string
  arrives: bigint
}

function priceSums(now: number, rate: string): Sum[] {
  return Array.from({length: amountsCount}, (_, index) => {
    const minor = sumMinCents + BigInt(index) * sumStepCents
    const fee = computeServiceFee({sourceMethod: 'ACH', destinationMethod: 'BASE', currency: 'USD', minor}, now)
    return {minor, fee: fee.minor, feeUsd: fee.usd, arrives: convertByRate(minor - fee.minor, 'USD', rate, 'USDC')}
  })
}

function buildTransaction(route: Route, sum: Sum, rate: string, digest: string, createdAt: number): Transaction {
  const transactionId = toUuid(digest)
  return {
    transactionId,
    customerId: route.customerId,
    quoteId: `quote_${digest.slice(32, 56)}`,
    transactionStatus: 'COMPLETED',
    source: {
      sourcePaymentAccountId: route.bankId,
      sourceCurrency: {label: 'USD'},
      sourcePaymentMethod: 'ACH',
      sourceAmount: toDecimalText(sum.minor, 'USD'),
      sourceReferenceId: `ACH-${digest.slice(0, 15)}`,
    },
    destination: {
      destinationPaymentAccountId: route.walletId,
      destinationPaymentMethod: route.chain,
      destinationCurrency: toCurrencyObject('USDC', route.chain),
      exchangeRate: rate,
      destinationAmount: toDecimalText(sum.arrives, 'USDC'),
      destinationReferenceId: createTransferReference(route.chain, transactionId, 'destination'),
    },
    fees: {
      feeCurrency: {label: 'USD'},
      svcFee: {feeAmount: toDecimalText(sum.fee, 'USD'), feeUSDAmount: sum.feeUsd},
      developerFee: {feeAmount: '0.00', feeUSDAmount: '0.00'},
    },
    createdAt: toTimestamp(createdAt),
    updatedAt: toTimestamp(createdAt + tookMs),
  }
}

// One posting for the whole chunk: the money came from a bank, and went out over each network.
function postChunk(context: RequestContext, moved: readonly {route: Route; sum: Sum}[]) {
  const entries = moved.flatMap(({route, sum}): Entry[] => [
    {holder: holders.outside('ACH'), currency: 'USD', amount: -sum.minor},
    {holder: holders.svcFees, currency: 'USD', amount: sum.fee},
    {holder: holders.pool, currency: 'USD', amount: sum.minor - sum.fee},
    {holder: holders.pool, currency: 'USDC', amount: -sum.arrives},
    {holder: holders.outside(route.chain), currency: 'USDC', amount: sum.arrives},
  ])
  const sums = new Map<string, Entry>()
  for (const entry of entries) {
    const key = `${entry.holder} ${entry.currency}`
    sums.set(key, {...entry, amount: entry.amount + (sums.get(key)?.amount ?? 0n)})
  }
  postEntries(context, `history of ${moved.length} transactions`, [...sums.values()])
}

// Adds `count` transactions of a history of `total`, from number `offset` on.
export function addHistory(context: RequestContext, offset: number, count: number, total: number) {
  const {database, now} = context
  const routes = database.all<Route>(routesQuery, routesMax)
  if (routes.length === 0) throw new ControlError('There is no ACTIVE customer with a bank account and a wallet')
  const first = readNextSeq(database)
  const rate = computeRate('USD', 'USDC', now)
  const sums = priceSums(now, rate)
  const moved: {route: Route; sum: Sum}[] = []
  for (let index = 0; index < count; index++) {
    const seq = first + index
    const digest = deriveDigest('svc sandbox history', seq)
    const route = routes[seq % routes.length] as Route
    const sum = sums[seq % sums.length] as Sum
    const age = yearMs * (1 - (offset + index) / total)
    const createdAt = Math.floor((now - tookMs - age) / secondMs) * secondMs
    const reply = buildTransaction(route, sum, rate, digest, createdAt)
    database.run(
      insertByKeys,
      route.customerSeq,
      route.organizationSeq,
      route.bankSeq,
      route.walletSeq,
      seq,
      reply.transactionId,
      reply.transactionStatus,
      createdAt,
      '',
      JSON.stringify(reply),
    )
    moved.push({route, sum})
  }
  postChunk(context, moved)
}
