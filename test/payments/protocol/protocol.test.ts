// The rules of the payment protocol: what is sent when, what a reply means, and which process may continue.
import {describe, expect, it, onTestFinished} from 'vitest'
import {settleManually} from '../../../src/payments/protocol/by-hand.ts'
import {createServerClock} from '../../../src/payments/protocol/clock.ts'
import type {PaymentContext} from '../../../src/payments/protocol/context.ts'
import {resolveKey, settleEarlierSlots} from '../../../src/payments/pay/slots.ts'
import {describeThisProcess} from '../../../src/payments/journal/owner.ts'
import {openSqliteJournal} from '../../../src/payments/journal/open-journal.ts'
import {minuteMs, noon, serviceId, Stage} from '../../money/stage.ts'
import {recordIntent} from '../../support/lease.ts'

function createStage() {
  const stage = new Stage()
  onTestFinished(() => stage.close())
  return {stage, journalFile: stage.journal(), key: 'rent-2026-11'}
}

const countPosts = (stage: Stage) => stage.requests.filter((one) => one === 'POST /transactions').length
const onPost = {method: 'POST', path: '/transactions'} as const

describe('a payment whose outcome is unknown', () => {
  it('is not resent while the list cannot be read, and is settled once it can', async () => {
    const {stage, journalFile, key} = createStage()
    stage.behave(
      {},
      {...onPost, kind: 'lose', times: 1},
      {method: 'GET', path: '/transactions', kind: 'refuse', after: 1},
    )
    const {code, error} = await stage.run({key, journalFile, waitMs: 30_000})
    expect(code).toBe(7)
    expect(error?.message).toContain('cannot be listed')
    expect(countPosts(stage)).toBe(1)
    stage.clearFaults()
    expect((await stage.run({key, journalFile})).code).toBe(0)
    expect(countPosts(stage)).toBe(1)
    expect(stage.made(key)).toHaveLength(1)
  })

  it('is never resent if the profile forbids it, and gets no new quote while its quote may be valid', async () => {
    const {stage, journalFile, key} = createStage()
    stage.behave({}, {...onPost, kind: 'reset', times: 1})
    const countQuotes = () => stage.requests.filter((one) => one === 'POST /quotes').length
    expect((await stage.run({key, journalFile, mayResend: false})).code).toBe(7)
    for (let minute = 1; minute < 16; minute++) {
      stage.advance(minuteMs)
      expect((await stage.run({key, journalFile, mayResend: false, waitMs: 0})).code).toBe(7)
      expect({minute, quotes: countQuotes(), posts: countPosts(stage)}).toEqual({minute, quotes: 1, posts: 1})
    }
    // Five minutes until the quote expires, six for the lag of the list, and six more between two complete lists.
    stage.advance(3 * minuteMs)
    expect((await stage.run({key, journalFile, mayResend: false})).code).toBe(0)
    expect(countQuotes()).toBe(2)
    expect(stage.made(key)).toHaveLength(1)
  })

  it('names the times at which other runs settle it, and they do', async () => {
    const {stage, journalFile, key} = createStage()
    stage.behave({}, {...onPost, kind: 'reset', times: 1})
    const runAndReadTimes = async () => {
      const {code, error} = await stage.run({key, journalFile, mayResend: false, waitMs: 0})
      const named = [...(error?.hint ?? '').matchAll(/after (\S+ \S+) UTC/g)]
      return {code, times: named.map(([, time = '']) => Date.parse(`${time}Z`))}
    }
    const {code, times} = await runAndReadTimes()
    expect(code).toBe(7)
    expect(times.map((ms) => Math.floor((ms - noon.getTime()) / minuteMs))).toEqual([12, 18])
    stage.advance((times[0] ?? 0) - stage.now())
    const second = await runAndReadTimes()
    expect({code: second.code, times: second.times.length}).toEqual({code: 7, times: 1})
    stage.advance((second.times[0] ?? 0) - stage.now())
    expect(await runAndReadTimes()).toEqual({code: 0, times: []})
    expect(stage.made(key)).toHaveLength(1)
  })

  it('can be decided by a person even if another process takes it over meanwhile, which is waited for', async () => {
    const {stage, journalFile, key} = createStage()
    stage.behave({}, {...onPost, kind: 'reset', times: 1})
    await stage.run({key, journalFile, mayResend: false, waitMs: 0})
    const journal = openSqliteJournal(journalFile, {now: stage.now})
    onTestFinished(() => journal.close())
    const payment = await journal.find(serviceId, key)
    if (!payment) throw new Error('not recorded')
    const other = {...describeThisProcess(), host: 'far.example'}
    let takenOver: ReturnType<typeof journal.acquireLease> | undefined
    const onProgress = () => {
      if (takenOver) return
      stage.advance(3 * minuteMs)
      takenOver = journal.acquireLease(payment, other)
    }
    const settle = (waiting: Pick<PaymentContext, 'remainingMs' | 'pause'>) =>
      settleManually(
        {
          journal,
          owner: {...describeThisProcess(), host: 'here.example'},
          onProgress,
          ...waiting,
        } as unknown as PaymentContext,
        payment,
        'abandon',
        'ticket 4711',
      )
    const pause = async () => {
      const taken = await takenOver
      if (taken && 'lease' in taken) await journal.releaseLease(taken.lease)
    }
    await expect(settle({remainingMs: () => 0, pause})).rejects.toMatchObject({exitCode: 8})
    await pause()
    takenOver = undefined
    expect(await settle({remainingMs: () => minuteMs, pause})).toMatchObject({state: 'ABANDONED'})
  })
})

describe('a key', () => {
  it('with other content is rejected with code 2 before any request', async () => {
    const {stage, journalFile, key} = createStage()
    await stage.run({key, journalFile})
    const before = stage.requests.length
    const {code, error} = await stage.run({key, journalFile, amount: '12.35'})
    expect({code, error: error?.error}).toEqual({code: 2, error: 'KEY_USED'})
    expect(error?.problems).toEqual(['amount 12.34 USDC → 12.35 USDC'])
    expect(stage.requests).toHaveLength(before)
    expect((await stage.run({key, journalFile, amount: '12.340'})).code).toBe(0)
  })

  it('that another host has paid is found in the list, and no quote is requested', async () => {
    const {stage, journalFile, key} = createStage()
    await stage.run({key, journalFile})
    stage.requests = []
    const {code, transactionId} = await stage.run({key, journalFile: stage.journal()})
    expect(code).toBe(0)
    expect(stage.made(key)).toEqual([transactionId])
    expect(stage.requests).toEqual(['GET /transactions'])
  })

  it('that a limit stopped has sent no transaction, and may be tried again', async () => {
    const {stage, journalFile, key} = createStage()
    const {code, error} = await stage.run({key, journalFile, limits: {rateMin: '2'}})
    expect(code).toBe(10)
    expect(error?.message).toContain('at least 2 is required')
    expect(countPosts(stage)).toBe(0)
    expect((await stage.run({key, journalFile})).code).toBe(0)
  })

  it('counts towards the daily limit while it may have been made', async () => {
    const {stage, journalFile} = createStage()
    const spending = {dayMax: {USDC: '30'}}
    stage.behave({}, {...onPost, kind: 'lose', times: 1})
    expect((await stage.run({key: 'one', journalFile, spending, mayResend: false, waitMs: 0})).code).toBe(0)
    stage.behave({listLagSeconds: 300}, {...onPost, kind: 'hang', times: 1})
    expect((await stage.run({key: 'two', journalFile, spending, mayResend: false, waitMs: 0})).code).toBe(7)
    const {code, error} = await stage.run({key: 'three', journalFile, spending})
    expect(code).toBe(10)
    expect(error?.message).toContain('24.68 USDC was paid or is pending today')
  })
})

describe('two processes with one key', () => {
  it('one works, and the other waits and reports the same outcome, also a rejection', async () => {
    const {stage, journalFile, key} = createStage()
    stage.behave({}, {...onPost, kind: 'refuse', status: 403, times: 1})
    const both = await Promise.all([1, 2].map(() => stage.run({key, journalFile, waitMs: minuteMs})))
    expect(both.map(({code}) => code)).toEqual([4, 4])
    const messages = both.map(({error}) => error?.message.split(': ')[0])
    expect(messages).toEqual([`The service refused the payment ${key}`, `The service refused the payment ${key}`])
    expect(countPosts(stage)).toBe(1)
  })

  it('the second reports that the first is working when its time to wait ends', async () => {
    const {stage, journalFile, key} = createStage()
    const [first, second] = await Promise.all([
      stage.run({key, journalFile, waitMs: minuteMs}),
      stage.run({key, journalFile, waitMs: 0}),
    ])
    expect([first?.code, second?.code]).toEqual([0, 8])
    expect(second?.error?.message).toContain(String(process.pid))
  })

  it('the lease of a process that has ended is taken over at once, that of another machine after two minutes', async () => {
    const {stage, journalFile, key} = createStage()
    await stage.run({key, journalFile, crashAt: 'search'})
    const before = stage.now()
    expect((await stage.run({key, journalFile, waitMs: 0})).code).toBe(0)
    expect(stage.now()).toBe(before)
    await stage.run({key: 'far', journalFile, crashAt: 'search', owner: {host: 'far.example'}})
    expect((await stage.run({key: 'far', journalFile, waitMs: 0})).code).toBe(8)
    stage.advance(2 * minuteMs + 1_000)
    expect((await stage.run({key: 'far', journalFile, waitMs: 0})).code).toBe(0)
  })

  for (const [expiredQuotes, idempotency, times] of [
    ['refused', 'ignore', 1],
    ['accepted', 'replay', 1],
    ['accepted', 'ignore', 2],
  ] as const) {
    const outcome = times === 1 ? 'pays once' : 'pays TWICE: the assumption that expired quotes are refused is broken'
    it(`a sender suspended before its first byte until another process paid with a new quote (expired quotes ${expiredQuotes}, keys ${idempotency}) ${outcome}`, async () => {
      const {stage, journalFile, key} = createStage()
      stage.behave({expiredQuotes, idempotency})
      let goOn = () => {}
      const held = new Promise<void>((resolve) => (goOn = resolve))
      const original = stage.fetch
      let arrive = () => {}
      const arrived = new Promise<void>((resolve) => (arrive = resolve))
      let isFirst = true
      stage.fetch = async (url, options) => {
        if (options.method === 'POST' && url.endsWith('/transactions') && isFirst) {
          isFirst = false
          arrive()
          await held
        }
        return original(url, options)
      }
      const late = stage.run({key, journalFile, waitMs: 60 * minuteMs})
      await arrived
      // By now the lease has expired, the quote too, and the list can no longer lag.
      for (let again = 0; again < 8; again++) {
        stage.advance(4 * minuteMs)
        await stage.run({key, journalFile, mayResend: false})
      }
      expect(stage.made(key)).toHaveLength(1)
      goOn()
      await late
      expect(stage.made(key)).toHaveLength(times)
      expect(stage.row(journalFile, key)?.state).toBe('CREATED')
    })
  }
})

describe('a key with a placeholder', () => {
  const atNoon = {atMs: noon.getTime(), zone: 'UTC'}

  it('is filled in from the slot in UTC, and rejects an unknown placeholder', () => {
    expect(resolveKey('rent-{date}', atNoon)).toEqual({
      key: 'rent-2026-11-15',
      template: 'rent-{date}',
      slot: '2026-11-15T12:00:00.000Z',
    })
    expect(() => resolveKey('rent-{day}', atNoon)).toThrow(/not a placeholder/)
    expect(() => resolveKey('rent of may', atNoon)).toThrow(/printable/)
    expect(() => resolveKey('clé', atNoon)).toThrow('must be 1 to 200 printable ASCII characters without blanks')
    expect(() => resolveKey('rent-{date', atNoon)).toThrow(/unmatched brace/)
  })

  it('stops with 7 while an earlier slot is unknown, but not because of a later one', async () => {
    const {stage, journalFile} = createStage()
    const journal = openSqliteJournal(journalFile, {now: stage.now})
    onTestFinished(() => journal.close())
    const [early, late] = [
      resolveKey('rent-{date}', atNoon),
      resolveKey('rent-{date}', {...atNoon, atMs: atNoon.atMs + 86_400_000}),
    ]
    await recordIntent(journal, {serviceId, ...early, content: stage.content})
    stage.behave({}, {...onPost, kind: 'hang', times: 1})
    expect((await stage.run({key: early.key, journalFile, mayResend: false, waitMs: 0})).code).toBe(7)
    const service = {transactions: async function* () {}} as unknown as PaymentContext['service']
    const context = {
      journal,
      service,
      clock: createServerClock(stage.now, stage.now),
      mayResend: false,
      remainingMs: () => 0,
    }
    const offline = {...context, owner: {host: 'here'}} as unknown as PaymentContext
    await expect(settleEarlierSlots(offline, serviceId, [late], () => {})).rejects.toMatchObject({exitCode: 7})
    const earlier = resolveKey('rent-{date}', {...atNoon, atMs: atNoon.atMs - 1})
    await expect(settleEarlierSlots(offline, serviceId, [earlier], () => {})).resolves.toBe(undefined)
  })
})

describe("the service's clock", () => {
  it('has bounds that hold even if the wall clock is changed', () => {
    let [wall, ticks] = [1_000_000, 0]
    const clock = createServerClock(
      () => wall,
      () => ticks,
    )
    clock.observeDate(new Date(5_000_000).toUTCString())
    expect([clock.earliest(), clock.latest()]).toEqual([5_000_000, 5_001_000])
    wall += 3_600_000
    ticks += 2_000
    expect([clock.earliest(), clock.latest()]).toEqual([5_002_000, 8_601_000])
  })

  it('is estimated from two sources if replies have no Date header', () => {
    const clock = createServerClock(
      () => 10_000_000,
      () => 0,
    )
    clock.observeQuote(10_000_000 + 30 * minuteMs)
    expect([clock.earliest(), clock.latest()]).toEqual([10_000_000, 10_000_000 + 25 * minuteMs])
  })
})
