// The sums by which daily limits are judged, in every store: whatever is written, and in whatever group,
// they are what the payments of the journal add up to.
import {Big} from 'big.js'
import {describe, expect, it} from 'vitest'
import type {SpentSum} from '../../../src/controls/check-spending.ts'
import {pickDatabaseChain} from '../../../src/payments/journal/chain.ts'
import type {Journal} from '../../../src/payments/journal/journal.ts'
import {type Payment, type PaymentState, paymentStates} from '../../../src/payments/protocol/payment.ts'
import {dayMs} from '../../../src/values/time.ts'
import {lease} from '../../support/lease.ts'
import {createAttempt, enterState} from '../../support/recorded.ts'
import {createRandom} from '../../support/random.ts'
import {seed} from '../../support/seed.ts'
import {type TestStore, useStores} from './stores.ts'

const serviceIds = ['https://api.example.com', 'https://other.example.com']
const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const currencies = ['usdc', 'EUR', '']
const amounts = ['5', '0.10', '1.000001', '05.50', '1e3', '', '-4', 'much']
const days = [0, 20_000, 20_001, 20_002]
// A database has no room for this text, so that the group that has it is written in parts.
const unstorable = 'much\u0000'

type Query = {serviceId: string; currency: string; day: number}

const queries: Query[] = serviceIds.flatMap((serviceId) =>
  ['USDC', 'eur'].flatMap((currency) => days.map((day) => ({serviceId, currency, day}))),
)

const createContent = (sourceCurrency: string, sourceAmount: string): Payment['content'] => ({
  customerId: 'c',
  source: {sourcePaymentAccountId: 'from', sourceCurrency, sourcePaymentMethod: 'SOLANA', sourceAmount},
  destination: {destinationPaymentAccountId: 'to', destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
})

const mayHaveSpent: ReadonlySet<PaymentState> = new Set(['ARMED', 'UNKNOWN', 'CREATED'])

// The rule in plain words, from the payments alone.
function addUp(payments: readonly Payment[], {currency, day}: Query): SpentSum {
  let sum = new Big(0)
  let unknown = 0
  for (const {state, attempts, madeAt, content} of payments) {
    const {sourceCurrency, sourceAmount} = content.source
    const isOfOther = sourceCurrency !== '' && sourceCurrency.toUpperCase() !== currency.toUpperCase()
    const at = attempts.at(-1)?.armed?.at ?? madeAt
    if (!mayHaveSpent.has(state) || at === undefined || at < day * dayMs || isOfOther) continue
    if (sourceCurrency !== '' && /^\d/.test(sourceAmount)) sum = sum.plus(sourceAmount)
    else unknown++
  }
  return {amount: sum.toFixed(), unknown}
}

async function compareSums(journal: Journal): Promise<void> {
  for (const serviceId of serviceIds) {
    const payments = await journal.list({serviceId})
    const own = queries.filter((query) => query.serviceId === serviceId)
    const sums = await Promise.all(own.map((query) => journal.sumSpent(serviceId, query)))
    expect(sums).toEqual(own.map((query) => addUp(payments, query)))

    const others = payments.filter(({key}) => key !== 'a')
    expect(await journal.sumSpent(serviceId, own[0]!, 'a')).toEqual(addUp(others, own[0]!))
  }
}

describe.each(useStores())('the sums of what was spent, in $name', (store: TestStore) => {
  it(`are what the payments add up to, whatever is written (seed ${seed})`, async () => {
    const random = createRandom(seed)
    const created = await store.create()
    const hosts = [await created.open(), await created.open()]
    const outcomes = {written: 0, refused: 0}

    const change = async (journal: Journal, key: string, plan: ReadonlyArray<ReturnType<typeof createChange>>) => {
      const serviceId = random.pick(serviceIds)
      const taken = await lease(journal, {serviceId, key, content: createContent('usdc', '5')})
      let {payment} = taken
      for (const {refuses, state, ...next} of plan) {
        const changed = enterState(payment, state, next)
        const check = {
          spending: {currency: 'usdc', day: random.pick(days)},
          judge: () => {
            if (refuses) throw new Error('refused')
          },
        }
        try {
          if (state === 'QUOTED') payment = journal.note(taken.lease, changed, {what: 'QUOTED'})
          else payment = await journal.commit(taken.lease, changed, {what: 'CHANGED'}, check)
          outcomes.written++
        } catch {
          outcomes.refused++
        }
      }
      await journal.releaseLease(taken.lease)
    }

    const createChange = () => {
      const state = random.pick(paymentStates)
      const amount = state !== 'QUOTED' && random.below(12) === 0 ? unstorable : random.pick(amounts)
      const at = random.pick(days) * dayMs + random.below(dayMs)
      return {
        state,
        content: createContent(random.pick(currencies), amount),
        attempts: random.below(4) > 0 ? [createAttempt({armed: {at}})] : [],
        made: random.below(4) > 0 ? {madeAt: at} : undefined,
        refuses: random.below(6) === 0,
      }
    }
    const createPlan = () => Array.from({length: 1 + random.below(3)}, createChange)

    for (let round = 0; round < 25; round++) {
      // The writes of one host are in one group, and the hosts have other keys.
      const [some, more] = [keys.slice(0, 4), keys.slice(4)]
      await Promise.all(
        [some, more].flatMap((own, host) =>
          own.filter(() => random.below(3) > 0).map((key) => change(hosts[host]!, key, createPlan())),
        ),
      )
      await compareSums(hosts[round % 2]!)
    }
    expect(outcomes.written).toBeGreaterThan(50)
    expect(outcomes.refused).toBeGreaterThan(5)
    expect(await created.verify()).toBeUndefined()
  })

  it.each([
    ['in one group', true],
    ['one after the other', false],
  ])('follow an amount that becomes known, and changes, %s', async (_, isTogether) => {
    const created = await store.create()
    const journal = await created.open()
    const serviceId = serviceIds[0]!
    const {lease: held, payment} = await lease(journal, {serviceId, key: 'a', content: createContent('usdc', '')})
    const attempts = [createAttempt({armed: {at: dayMs}})]
    const steps = (['ARMED', 'UNKNOWN', 'CREATED'] as const).map((state, index) => () => {
      const content = createContent('usdc', ['', '5', '7.25'][index] ?? '')
      return journal.commit(held, enterState(payment, state, {attempts, content}), {what: state})
    })
    if (isTogether) await Promise.all(steps.map((step) => step()))
    else for (const step of steps) await step()
    expect(await journal.sumSpent(serviceId, {currency: 'usdc', day: 1})).toEqual({amount: '7.25', unknown: 0})
    expect(await created.verify()).toBeUndefined()
  })

  // All of one chain, whose sum each of them changes.
  it('are right when many hosts arm at once, without a limit', async () => {
    const created = await store.create()
    const serviceId = serviceIds[0]!
    const names = Array.from({length: 2_000}, (_, index) => ({serviceId, key: `row-${index}`}))
    const alike = names.filter((name) => pickDatabaseChain(name) === 1).slice(0, 20)
    await Promise.all(
      alike.map(async (name, index) => {
        const journal = await created.open()
        const {lease: held, payment} = await lease(journal, {...name, content: createContent('usdc', '1.5')})
        const armed = enterState(payment, 'ARMED', {attempts: [createAttempt({armed: {at: dayMs}})]})
        await journal.commit(held, armed, {what: 'ARMED'})
        await journal.commit(held, enterState(armed, index % 4 === 0 ? 'REJECTED' : 'UNKNOWN'), {what: 'SETTLED'})
      }),
    )
    const journal = await created.open()
    expect(await journal.sumSpent(serviceId, {currency: 'usdc', day: 1})).toEqual({amount: '22.5', unknown: 0})
    expect(await created.verify()).toBeUndefined()
  })

  it('count what a group has armed before, but not the payment that is judged', async () => {
    const journal = await (await store.create()).open()
    const serviceId = serviceIds[0]!
    const spent: SpentSum[] = []
    const attempts = [createAttempt({armed: {at: dayMs * 2}})]
    const arm = async (key: string, amount: string) => {
      const {lease: held, payment} = await lease(journal, {serviceId, key, content: createContent('usdc', amount)})
      const check = {
        spending: {currency: 'USDC', day: 2},
        judge: (found: {spent: SpentSum}) => void spent.push(found.spent),
      }
      const armed = await journal.commit(held, enterState(payment, 'ARMED', {attempts}), {what: 'ARMED'}, check)
      await journal.commit(held, enterState(armed, 'UNKNOWN'), {what: 'UNKNOWN'}, check)
      await journal.releaseLease(held)
    }
    await Promise.all([arm('a', '1.10'), arm('b', '2'), arm('c', '')])
    expect(spent).toEqual([
      {amount: '0', unknown: 0},
      {amount: '1.1', unknown: 0},
      {amount: '3.1', unknown: 0},
      {amount: '2', unknown: 1},
      {amount: '1.1', unknown: 1},
      {amount: '3.1', unknown: 0},
    ])
  })
})
