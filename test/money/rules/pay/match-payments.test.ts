// The matcher that reconcile and the books share, and the search of a single payment, find what a comparison of each payment with each
// transaction finds.
import path from 'node:path'
import {expect, it} from 'vitest'
import type {Client} from '../../../../src/client/client.ts'
import {setCutSign} from '../../../../src/client/paging.ts'
import type {LooseTransaction} from '../../../../src/contract/loose.ts'
import {SvcError} from '../../../../src/errors.ts'
import type {Journal} from '../../../../src/payments/journal/journal.ts'
import {openSqliteJournal} from '../../../../src/payments/journal/open-journal.ts'
import {createServerClock} from '../../../../src/payments/protocol/clock.ts'
import {ListedTransactions} from '../../../../src/payments/protocol/lists/listed-transactions.ts'
import {CustomerLists} from '../../../../src/payments/protocol/lists.ts'
import {
  type Payment,
  deriveCorrelationId,
  listCustomers,
  paymentStates,
} from '../../../../src/payments/protocol/payment.ts'
import {belongsToPayment, getPaymentIds} from '../../../../src/payments/protocol/reply.ts'
import {findMatches} from '../../../../src/payments/protocol/search.ts'
import {createService} from '../../../../src/payments/protocol/service.ts'
import {matchPayments} from '../../../../src/payments/reconcile/match-payments.ts'
import {compareWithService} from '../../../../src/payments/reconcile/reconcile.ts'
import {toIso} from '../../../../src/values/time.ts'
import {seed} from '../../../support/seed.ts'
import {temporaryFolder} from '../../../support/svc.ts'
import {createGenerator} from '../../../support/random.ts'
import {lease} from '../../../support/lease.ts'
import {createAttempt, enterState} from '../../../support/recorded.ts'

const serviceId = 'https://api.example.com'

const content: Payment['content'] = {
  customerId: 'c',
  source: {sourcePaymentAccountId: 'f', sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA', sourceAmount: '5'},
  destination: {destinationPaymentAccountId: 't', destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
}

type Random = () => number
const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T

// Few ids for many payments, so that quotes, transactions and chosen correlationIds are shared.
const idsMax = 12
const pickId = (random: Random, name: string) => `${name}-${Math.floor(random() * idsMax)}`

async function recordPayment(journal: Journal, random: Random, key: string): Promise<void> {
  const acquired = await lease(journal, {serviceId, key, content})
  const state = pick(random, [...paymentStates, 'CREATED', 'CREATED'] as const)
  const pickAttempt = () =>
    createAttempt({
      quote: {id: pickId(random, 'quote')},
      armed: {at: 0, bytes: pick(random, ['{}', JSON.stringify({correlationId: pickId(random, 'chosen')})])},
      customerId: pick(random, ['c', 'd']),
    })
  const attempts = Array.from({length: Math.floor(random() * 3)}, pickAttempt)
  const changed = enterState(acquired.payment, state, {attempts, made: {transactionId: pickId(random, 'tx')}})
  await journal.commit(acquired.lease, changed, {what: state})
  await journal.releaseLease(acquired.lease)
}

const createTransaction = (random: Random, number: number): LooseTransaction => ({
  transactionId: `tx-${number}`,
  customerId: pick(random, ['c', 'd']),
  quoteId: pick(random, [pickId(random, 'quote'), undefined]),
  correlationId: pick(random, [
    undefined,
    pickId(random, 'chosen'),
    deriveCorrelationId(serviceId, pickId(random, 'key')),
    deriveCorrelationId(serviceId, pickId(random, 'key')).toUpperCase(),
  ]),
})

// What the search of a single payment finds in the lists of its customers, or why that proves nothing.
function search(journal: Journal, payment: Payment, transactions: readonly LooseTransaction[], cut: readonly string[]) {
  const list = async ({customerId = ''}) => {
    const page = {transactions: transactions.filter((each) => each.customerId === customerId)}
    if (cut.includes(customerId)) setCutSign(page, 'bookmark')
    return page
  }
  const service = createService({transactions: {list}} as unknown as Client)
  const lists = new CustomerLists({service, journal, clock: createServerClock(), listLagMaxMs: 0})
  return findMatches({lists, areKeysHonoured: false}, payment, false).then(
    ({matches}) => matches.map(({transactionId}) => String(transactionId)).toSorted(),
    (error: unknown) => (error instanceof SvcError ? error.error : String(error)),
  )
}

function listMatches(payment: Payment, all: readonly Payment[], transactions: readonly LooseTransaction[]): string[] {
  const ids = getPaymentIds(payment)
  return transactions
    .filter((transaction) => {
      const {transactionId} = transaction
      if (transactionId === payment.transactionId) return true
      if (!belongsToPayment(transaction, ids)) return false
      return (
        ids.correlationIds.includes(String(transaction.correlationId).toLowerCase()) ||
        all.every((other) => other.transactionId !== transactionId)
      )
    })
    .map(({transactionId}) => String(transactionId))
}

const dayMs = 86_400_000
const nowMs = Date.parse('2026-11-15T12:00:00Z')
const windowDays = 7

interface AgedTransaction {
  id: string
  madeDays: number
  updatedDays: number
  transactionStatus: string
}

const toListed = (key: string, {id, madeDays, updatedDays, transactionStatus}: AgedTransaction): LooseTransaction => ({
  transactionId: id,
  transactionStatus,
  correlationId: deriveCorrelationId(serviceId, key),
  createdAt: toIso(nowMs - madeDays * dayMs),
  updatedAt: toIso(nowMs - updatedDays * dayMs),
})

// A payment and its transactions, each of which was made, and changed last, at any time since.
function drawAged(random: Random, key: string) {
  const days = random() * 2 * windowDays
  const transactions = Array.from({length: random() < 0.5 ? 1 : 2}, (_, index): AgedTransaction => {
    const madeDays = index === 0 ? days : random() * days
    const transactionStatus = pick(random, ['COMPLETED', 'FAILED'])
    return {id: `${key}-${index}`, madeDays, updatedDays: random() * madeDays, transactionStatus}
  })
  return {key, days, transactions}
}

it.each([1, 2, 3])('a comparison has what was made or changed in its time, in whichever of them (%i)', async (part) => {
  const random = createGenerator(seed + part)
  const aged = Array.from({length: 40}, (_, number) => drawAged(random, `aged-${number}`))
  let wallMs = nowMs
  const journal = openSqliteJournal(path.join(temporaryFolder(), 'journal.sqlite'), {now: () => wallMs})
  for (const {key, days, transactions} of aged) {
    wallMs = Math.round(nowMs - days * dayMs)
    const {lease: held, payment} = await lease(journal, {serviceId, key, content})
    const made = enterState(payment, 'CREATED', {made: {transactionId: transactions[0]?.id ?? '', madeAt: wallMs}})
    await journal.commit(held, made, {what: 'CREATED'})
    await journal.releaseLease(held)
  }
  const clock = createServerClock(() => nowMs)
  const listed = aged.flatMap(({key, transactions}) => transactions.map((one) => toListed(key, one)))
  const service = createService({transactions: {list: async () => ({transactions: listed})}} as unknown as Client)
  const scope = {sinceMs: nowMs - windowDays * dayMs, isForeignShown: false}
  const {findings} = await compareWithService({service, journal, clock, listLagMaxMs: 0}, serviceId, scope)
  await journal.close()
  const expected = aged.flatMap(({key, days, transactions}) => {
    const ages = [days, ...transactions.flatMap(({madeDays, updatedDays}) => [madeDays, updatedDays])]
    if (ages.every((age) => age > windowDays)) return []
    if (transactions.length > 1) return [`SEVERAL ${key}`]
    return transactions[0]?.transactionStatus === 'FAILED' ? [`ENDED_BADLY ${key}`] : []
  })
  expect(findings.map(({kind, key}) => `${kind} ${key}`).toSorted(), `seed ${seed}`).toEqual(expected.toSorted())
})

it.each([1, 2, 3, 4, 5, 6])('matched payments have the transactions that belong to them (%i)', async (part) => {
  const random = createGenerator(seed + part)
  const journal = openSqliteJournal(path.join(temporaryFolder(), 'journal.sqlite'))
  for (let number = 0; number < idsMax; number++) await recordPayment(journal, random, `key-${number}`)
  const transactions = Array.from({length: idsMax}, (_, number) => createTransaction(random, number))
  const all = await journal.list({serviceId})
  const listed = new ListedTransactions()
  // As read twice: of the first read, half of the ids are missing.
  for (const each of transactions) listed.add(random() < 0.5 ? each : {transactionId: each.transactionId})
  for (const each of transactions) listed.add(each)
  const matches = await Array.fromAsync(matchPayments(journal, serviceId, listed))
  // Reconcile names two keys that have one transaction; a search gives it to neither.
  const countHolders = (id: string) => all.filter(({transactionId}) => transactionId === id).length
  for (const payment of all.filter(
    ({transactionId}) => transactionId === undefined || countHolders(transactionId) < 2,
  )) {
    const [ids, customers] = [getPaymentIds(payment), listCustomers(payment)]
    const isOwn = (one: LooseTransaction) => belongsToPayment(one, ids) || one.transactionId === payment.transactionId
    const own = transactions.filter((one) => customers.includes(String(one.customerId)) && isOwn(one))
    const wanted = listMatches(payment, all, own).toSorted()
    for (const cut of [[], ['c'], ['d'], ['c', 'd']]) {
      const isUnproved = wanted.length === 0 && customers.some((customer) => cut.includes(customer))
      const searched = await search(journal, payment, transactions, cut)
      expect(searched, `seed ${seed}, ${payment.key}`).toEqual(isUnproved ? 'LIST_MAY_BE_CUT' : wanted)
    }
  }
  await journal.close()
  const found = matches.map((each) => [
    each.payment.key,
    each.transactions.map(({transactionId}) => String(transactionId)).toSorted(),
  ])
  const expected = all.map((payment) => [payment.key, listMatches(payment, all, transactions).toSorted()])
  expect(Object.fromEntries(found), `seed ${seed}`).toEqual(Object.fromEntries(expected))
})
