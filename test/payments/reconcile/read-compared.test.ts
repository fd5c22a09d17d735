// A comparison reads a part of the journal, and finds what it would find with all of it.
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import type {LooseTransaction} from '../../../src/contract/loose.ts'
import {type Journal, describeThisProcess} from '../../../src/payments/journal/journal.ts'
import {openSqliteJournal} from '../../../src/payments/journal/open-journal.ts'
import {type Payment, deriveCorrelationId, paymentStates} from '../../../src/payments/protocol/payment.ts'
import {type Finding, compareWithService, describeComparison} from '../../../src/payments/reconcile/reconcile.ts'
import {readComparedPayments} from '../../../src/payments/reconcile/read-compared.ts'
import {seed} from '../../support/seed.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {createGenerator} from '../random-runs.ts'

const serviceId = 'https://api.example.com'
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const nowMs = Date.parse('2026-11-16T12:00:00Z')

const content: Payment['content'] = {
  customerId: 'c',
  source: {sourcePaymentAccountId: 'f', sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA', sourceAmount: '5'},
  destination: {destinationPaymentAccountId: 't', destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
}

type Random = () => number
const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T

// A payment that was recorded up to a month ago, and what the service has of it: nothing, one transaction or two.
async function recordPayment(
  journal: Journal,
  clock: {ms: number},
  random: Random,
  {index, sinceMs}: {index: number; sinceMs: number},
) {
  const key = `key-${index}`
  clock.ms = nowMs - Math.floor(random() * 30 * dayMs)
  await journal.findOrCreate({serviceId, key, content})
  const acquired = await journal.acquireLease(serviceId, key, describeThisProcess())
  if (!('lease' in acquired)) throw new Error('the lease is held')
  const state = pick(random, [...paymentStates, 'CREATED', 'CREATED', 'CREATED'] as const)
  const isArmed = ['ARMED', 'UNKNOWN', 'CREATED', 'REJECTED', 'ABANDONED'].includes(state)
  // Some are worked on again long after they were recorded.
  clock.ms += random() < 0.3 ? Math.floor(random() * (nowMs - clock.ms)) : 1_000
  const armedAt = clock.ms
  const attempt = {
    quoteId: `quote-${index}`,
    quoteExpiresAt: clock.ms + hourMs,
    price: {rate: '1', received: '5', svcFee: '0', developerFee: '0', feeCurrency: 'USDC'},
    serverAheadMs: 0,
    sends: 1,
    ...(isArmed && {armedAt, bytes: '{}'}),
  }
  const transactionId = `tx-${index}`
  const isMade = state === 'CREATED'
  const madeAt = armedAt + Math.floor((random() - 0.5) * hourMs)
  clock.ms += random() < 0.2 ? Math.floor(random() * (nowMs - clock.ms)) : 0
  const change = {
    ...acquired.payment,
    state,
    attempts: state === 'INTENDED' ? [] : [attempt],
    ...(isMade && {transactionId, ...(random() < 0.8 && {madeAt})}),
  }
  await journal.commit(acquired.lease, change, {what: state})
  await journal.releaseLease(acquired.lease)
  // A transaction without the mark of svc belongs to the payment that has recorded it.
  const correlationId = deriveCorrelationId(serviceId, key)
  const isMarked = !isMade || random() < 0.5
  const toTransaction = (id: string, atMs: number): LooseTransaction => ({
    transactionId: id,
    quoteId: pick(random, [`quote-${index}`, undefined]),
    ...((isMarked || id !== transactionId) && {correlationId}),
    customerId: 'c',
    transactionStatus: pick(random, ['COMPLETED', 'COMPLETED', 'PROCESSING', 'AWAITING_TRANSFER', 'FAILED']),
    createdAt: new Date(atMs).toISOString(),
    updatedAt: new Date(atMs).toISOString(),
    expiresAt: new Date(atMs + hourMs).toISOString(),
  })
  const anyTime = () => nowMs - Math.floor(random() * 30 * dayMs)
  return [
    ...(random() < (isMade ? 0.9 : 0.2) ? [toTransaction(transactionId, madeAt)] : []),
    ...(random() < 0.1 && (!isMade || armedAt >= sinceMs) ? [toTransaction(`second-${index}`, anyTime())] : []),
  ]
}

const toLines = (findings: readonly Finding[]) => findings.map((finding) => JSON.stringify(finding)).toSorted()

describe('the payments that a comparison reads', () => {
  it.each([1, 2, 3, 4, 5, 6])('lead to the findings of the whole journal (%i)', async (part) => {
    const random = createGenerator(seed + part)
    const clock = {ms: nowMs}
    const journal = openSqliteJournal(path.join(temporaryFolder(), 'journal.sqlite'), {now: () => clock.ms})
    const transactions: LooseTransaction[] = []
    const sinceMs = nowMs - pick(random, [1, 3, 7]) * dayMs
    for (let index = 0; index < 80; index++) {
      transactions.push(...(await recordPayment(journal, clock, random, {index, sinceMs})))
    }
    const scope = {
      sinceMs,
      isForeignShown: random() < 0.5,
      serverMs: nowMs,
      listLagMaxMs: 60_000,
      wallMs: nowMs,
    }
    const all = await journal.list({serviceId})
    const read = await readComparedPayments(journal, serviceId, transactions, scope)
    await journal.close()
    expect(toLines(compareWithService(read, transactions, scope)), `seed ${seed}`).toEqual(
      toLines(compareWithService(all, transactions, scope)),
    )
    expect(describeComparison(read, transactions, scope)).toBe(describeComparison(all, transactions, scope))
    expect(read.length).toBeLessThan(all.length)
  })
})
