// The journal in PostgreSQL for many payments at once: what others see of it, when, and what holds for one holds for a group.
import {describe, expect, it, onTestFinished} from 'vitest'
import {LimitReached} from '../../../src/controls/check-spending.ts'
import {verifyJournal} from '../../../src/payments/audit/verify-journal.ts'
import {type Journal, type Lease, LeaseLost, describeThisProcess} from '../../../src/payments/journal/journal.ts'
import {withChainReader} from '../../../src/payments/journal/open-journal.ts'
import {openPostgresJournal} from '../../../src/payments/journal/postgres/open-postgres-journal.ts'
import type {Payment, PaymentState} from '../../../src/payments/protocol/payment.ts'
import {usePostgres} from '../../support/postgres.ts'
import {PostgresProxy} from '../../support/postgres-proxy.ts'
import {clearJournal, prepareDatabase} from './stores.ts'

const getAddress = usePostgres(prepareDatabase)
const serviceId = 'https://service.example'

const content = {
  customerId: 'cus-1',
  source: {sourcePaymentAccountId: 'f', sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA', sourceAmount: '5'},
  destination: {destinationPaymentAccountId: 't', destinationCurrency: 'USD', destinationPaymentMethod: 'ACH'},
} as Payment['content']

async function open(address = getAddress(), {isGrouped = true, waitMs = 20_000} = {}): Promise<Journal> {
  const journal = await openPostgresJournal({text: address}, {isGrouped, waitMs: () => waitMs})
  onTestFinished(() => journal.close())
  return journal
}

async function openTwo(): Promise<[journal: Journal, other: Journal]> {
  await clearJournal(getAddress())
  return [await open(), await open(getAddress(), {isGrouped: false})]
}

async function begin(journal: Journal, key = 'k'): Promise<{lease: Lease; payment: Payment}> {
  await journal.findOrCreate({serviceId, key, content})
  const acquired = await journal.acquireLease(serviceId, key, describeThisProcess())
  if (!('lease' in acquired)) throw new Error(`${key} is held elsewhere`)
  return acquired
}

const price = {rate: '1', received: '5', svcFee: '0', developerFee: '0', feeCurrency: 'USDC'}
const armedAttempt = {quoteId: 'q', quoteExpiresAt: 0, price, serverAheadMs: 0, sends: 1, armedAt: 1_000}

const write = (journal: Journal, lease: Lease, payment: Payment, state: PaymentState) =>
  journal.commit(
    lease,
    {
      ...payment,
      state,
      ...(state === 'ARMED' && {attempts: [armedAttempt]}),
      ...(state === 'CREATED' && {transactionId: `tx-${payment.key}`}),
    },
    {what: state},
  )

const readHistory = async (journal: Journal, key = 'k') => (await journal.history(serviceId, key)).map(({what}) => what)

const verify = () => withChainReader({text: getAddress()}, (reader) => verifyJournal(reader))

async function payAll(journal: Journal, keys: readonly string[]): Promise<void> {
  const begun = await Promise.all(keys.map((key) => begin(journal, key)))
  const armed = await Promise.all(
    begun.map(async ({lease, payment}) => ({lease, payment: await write(journal, lease, payment, 'ARMED')})),
  )
  await Promise.all(
    armed.map(async ({lease, payment}) => {
      await write(journal, lease, payment, 'CREATED')
      await journal.releaseLease(lease)
      await journal.flush()
    }),
  )
}

describe('a journal in PostgreSQL for many payments at once', () => {
  it('writes a new payment when it is armed, with its whole history, and that it was made with the next flush', async () => {
    const [journal, other] = await openTwo()
    const {lease, payment} = await begin(journal)
    const quoted = await write(journal, lease, payment, 'QUOTED')
    await journal.flush()
    expect(await other.find(serviceId, 'k')).toBeUndefined()
    expect(await journal.find(serviceId, 'k')).toEqual(quoted)
    expect(await journal.findLeaseHolder(serviceId, 'k')).toEqual(lease.owner)

    const armed = await write(journal, lease, quoted, 'ARMED')
    expect(await other.find(serviceId, 'k')).toEqual(armed)
    expect(await other.findLeaseHolder(serviceId, 'k')).toEqual(lease.owner)
    expect(await readHistory(other)).toEqual(['INTENDED', 'QUOTED', 'ARMED'])

    await write(journal, lease, armed, 'CREATED')
    await journal.releaseLease(lease)
    expect(await journal.find(serviceId, 'k')).toMatchObject({state: 'CREATED', transactionId: 'tx-k'})
    expect(await other.find(serviceId, 'k')).toEqual(armed)
    expect(journal.isFlushed?.(serviceId, 'k')).toBe(false)
    await journal.flush()
    expect(journal.isFlushed?.(serviceId, 'k')).toBe(true)
    expect(await other.find(serviceId, 'k')).toMatchObject({state: 'CREATED', transactionId: 'tx-k'})
    expect(await other.findLeaseHolder(serviceId, 'k')).toBeUndefined()
    expect(await readHistory(other)).toEqual(['INTENDED', 'QUOTED', 'ARMED', 'CREATED'])
    expect((await verify()).finding).toBeUndefined()
  })

  it('writes fifty payments in a few transactions, and keeps every chain whole beside another host', async () => {
    const [, other] = await openTwo()
    const proxy = await PostgresProxy.start(getAddress())
    const journal = await open(proxy.address)
    const keys = Array.from({length: 50}, (_, number) => `p-${number}`)
    await payAll(journal, keys)
    expect(proxy.statements.filter((sql) => /^commit/i.test(sql)).length).toBeLessThan(10)
    await Promise.all([
      payAll(
        journal,
        keys.map((key) => `a-${key}`),
      ),
      payAll(
        other,
        keys.map((key) => `b-${key}`),
      ),
    ])
    const result = await verify()
    expect(result.finding).toBeUndefined()
    expect(result.payments).toBe(150)
    expect(await other.list({serviceId, states: ['CREATED']})).toHaveLength(150)
  })

  it('keeps a payment that ends before it is armed, for whoever is next', async () => {
    const [journal, other] = await openTwo()
    const {lease, payment} = await begin(journal)
    await write(journal, lease, payment, 'QUOTED')
    await journal.releaseLease(lease)
    expect(await other.find(serviceId, 'k')).toMatchObject({state: 'QUOTED'})
    expect(await other.acquireLease(serviceId, 'k', describeThisProcess())).toMatchObject({lease: {epoch: 2}})
  })

  it('lets the process go on that arms a payment first, and takes nothing from it', async () => {
    const [journal, other] = await openTwo()
    const mine = await begin(journal)
    const theirs = await begin(other)
    const rest = await begin(journal, 'rest')
    const [lost, armedRest] = await Promise.allSettled([
      write(journal, mine.lease, mine.payment, 'ARMED'),
      write(journal, rest.lease, rest.payment, 'ARMED'),
    ])
    expect(lost).toMatchObject({status: 'rejected', reason: expect.any(LeaseLost) as unknown})
    expect(armedRest).toMatchObject({status: 'fulfilled', value: {state: 'ARMED'}})
    await expect(journal.renewLease(mine.lease)).rejects.toThrow(LeaseLost)
    await journal.releaseLease(mine.lease)
    expect(await other.findLeaseHolder(serviceId, 'k')).toEqual(theirs.lease.owner)
    expect(await write(other, theirs.lease, theirs.payment, 'ARMED')).toMatchObject({state: 'ARMED'})
    expect(await readHistory(journal)).toEqual(['INTENDED', 'ARMED'])
    expect((await verify()).finding).toBeUndefined()
  })

  it('judges each of a group by what the ones before it spend', async () => {
    const [journal] = await openTwo()
    const begun = await Promise.all(['a', 'b', 'c', 'd'].map((key) => begin(journal, key)))
    const seen: string[][] = []
    const outcomes = await Promise.allSettled(
      begun.map(({lease, payment}) =>
        journal.commit(
          lease,
          {...payment, state: 'ARMED', attempts: [armedAttempt]},
          {what: 'ARMED'},
          {
            spending: {currency: 'usdc', sinceMs: 0},
            judge({spentAmounts}) {
              seen.push([...spentAmounts])
              if (Number(spentAmounts[0] ?? '0') >= 10) throw new LimitReached('enough')
            },
          },
        ),
      ),
    )
    expect(seen).toEqual([[], ['5'], ['10'], ['10']])
    expect(outcomes.map(({status}) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
    expect(outcomes[2]).toMatchObject({reason: expect.any(LimitReached) as unknown})
    const [, , third] = begun
    if (!third) throw new Error('there are four')
    expect(await write(journal, third.lease, third.payment, 'STOPPED')).toMatchObject({state: 'STOPPED'})
  })

  it('writes the others if the database rejects one of them', async () => {
    const [journal, other] = await openTwo()
    const [good, bad] = await Promise.all([begin(journal, 'good'), begin(journal, 'bad')])
    const outcomes = await Promise.allSettled([
      journal.commit(bad.lease, {...bad.payment, state: 'ARMED', transactionId: '\0'}, {what: 'ARMED'}),
      write(journal, good.lease, good.payment, 'ARMED'),
    ])
    expect(outcomes.map(({status}) => status)).toEqual(['rejected', 'fulfilled'])
    expect(await other.find(serviceId, 'good')).toMatchObject({state: 'ARMED'})
    expect(await other.find(serviceId, 'bad')).toBeUndefined()
  })

  it.each(['cutBefore', 'cutAfter', 'arriveLate'] as const)(
    'writes a group once whose commit is not answered (%s)',
    async (fault) => {
      const [, other] = await openTwo()
      const proxy = await PostgresProxy.start(getAddress())
      const journal = await open(proxy.address)
      const keys = ['a', 'b', 'c']
      const begun = await Promise.all(keys.map((key) => begin(journal, key)))
      const planCut = () => proxy.plan(fault, (sql) => /^commit$/i.test(sql.trim()))
      planCut()
      const armed = await Promise.all(begun.map(({lease, payment}) => write(journal, lease, payment, 'ARMED')))
      expect(proxy.pendingFaults).toBe(0)
      planCut()
      for (const [index, {lease, payment}] of begun.entries())
        await write(journal, lease, armed[index] ?? payment, 'CREATED')
      await journal.flush()
      proxy.deliverLate()
      await proxy.settled()
      for (const key of keys) {
        expect(await other.find(serviceId, key)).toMatchObject({state: 'CREATED', transactionId: `tx-${key}`})
        expect(await readHistory(other, key)).toEqual(['INTENDED', 'ARMED', 'CREATED'])
      }
      expect((await verify()).finding).toBeUndefined()
    },
  )

  it('keeps what was made until a database that is away comes back', async () => {
    const [, other] = await openTwo()
    const proxy = await PostgresProxy.start(getAddress())
    const journal = await open(proxy.address, {waitMs: 3_000})
    const {lease, payment} = await begin(journal)
    const armed = await write(journal, lease, payment, 'ARMED')
    proxy.down()
    await write(journal, lease, armed, 'CREATED')
    await expect(journal.flush()).rejects.toMatchObject({error: 'JOURNAL_UNREACHABLE'})
    expect(await other.find(serviceId, 'k')).toMatchObject({state: 'ARMED'})
    proxy.up()
    await journal.flush()
    expect(await other.find(serviceId, 'k')).toMatchObject({state: 'CREATED'})
  })

  it('does not keep a payment from the process that armed it in vain', async () => {
    await openTwo()
    const proxy = await PostgresProxy.start(getAddress())
    const journal = await open(proxy.address, {waitMs: 300})
    const {lease, payment} = await begin(journal)
    let isCut = false
    proxy.plan('cutAfter', (sql) => !isCut && /^commit$/i.test(sql.trim()) && (isCut = true))
    proxy.plan('cutBefore', () => isCut, 1_000)
    await expect(write(journal, lease, payment, 'ARMED')).rejects.toMatchObject({error: 'JOURNAL_UNREACHABLE'})
    await journal.releaseLease(lease)
    proxy.forgetFaults()
    expect(await journal.findOrCreate({serviceId, key: 'k', content})).toMatchObject({state: 'ARMED'})
    expect(await journal.acquireLease(serviceId, 'k', lease.owner)).toMatchObject({lease: {epoch: 2}})
  })
})
