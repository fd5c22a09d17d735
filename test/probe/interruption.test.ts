// A probe that is interrupted, or loses replies: it continues without repeating what it knows, and guesses nothing.
import {describe, expect, it} from 'vitest'
import type {Checkpoint} from '../../src/probe/context.ts'
import {Killed, createStage} from './stage.ts'

const minuteMs = 60_000
const complete = {
  sameRequest: 'replayed',
  otherRequest: 'replayed',
  keyAfterRejection: 'usable',
  usedQuote: 'rejected',
  expiredQuote: 'rejected',
}

// Kills the run the n-th time that it passes the checkpoint.
function killAt(wanted: Checkpoint, nth: number) {
  let passed = 0
  return (name: Checkpoint) => {
    if (name === wanted && ++passed === nth) throw new Killed(`${wanted} ${nth}`)
  }
}

const tries = 12

describe.each(['armed', 'answered', 'recorded'] as const)('a probe that is killed when a request is %s', (point) => {
  it.each(Array.from({length: tries}, (_, index) => index + 1))(
    'number %i continues, and makes no transaction twice',
    async (nth) => {
      const {service, run} = await createStage()
      await expect(run({checkpoint: killAt(point, nth)})).rejects.toThrow(Killed)
      const {knowledge} = await run()
      expect(knowledge).toMatchObject(complete)
      // Four, and one more at most where a new first transaction or an ordinary one is needed after the interruption.
      expect(service.transactions.length).toBeLessThanOrEqual(5)
      const perRequest = [...service.transactionsByCorrelationId.values()].map(({length}) => length)
      expect(Math.max(...perRequest)).toBe(1)
    },
  )
})

describe('a probe that is killed while the list lags', () => {
  it.each([1, 6])('looks for request %i until the list shows it, instead of making it again', async (nth) => {
    const {service, run} = await createStage({listLagMs: 2 * minuteMs})
    await expect(run({checkpoint: killAt('answered', nth)})).rejects.toThrow(Killed)
    const before = service.transactions.length
    service.clock.advance(1_000)
    await run()
    // A first transaction that was listed late does not tell how long a key is remembered, so another one may be needed.
    expect((await run()).knowledge).toMatchObject({sameRequest: 'replayed', otherRequest: 'replayed'})
    const perRequest = [...service.transactionsByCorrelationId.values()].map(({length}) => length)
    expect(Math.max(...perRequest)).toBe(1)
    expect(service.transactions.length).toBeLessThanOrEqual(7)
    expect(before).toBeGreaterThan(0)
  })
})

describe('a probe that is killed again and again', () => {
  it('ends with the same knowledge, and repeats nothing that it knows', async () => {
    const {service, run, saved} = await createStage()
    for (let nth = 1; nth <= 30; nth++) {
      const outcome = await run({checkpoint: killAt('recorded', 1)}).catch((error: unknown) => error)
      if (!(outcome instanceof Killed)) break
    }
    const known = saved()?.tries.length
    expect((await run()).knowledge).toMatchObject(complete)
    expect(saved()?.tries.length).toBe(known)
    expect(service.transactions.length).toBeLessThanOrEqual(6)
  })

  it('an hour later makes only what needs a valid quote again', async () => {
    const {service, run} = await createStage()
    // After the tries that are made at once.
    await expect(run({checkpoint: killAt('recorded', 6)})).rejects.toThrow(Killed)
    const before = service.transactions.length
    service.clock.advance(60 * minuteMs)
    expect((await run()).knowledge).toMatchObject(complete)
    expect(service.transactions.length).toBe(before + 3)
    expect(service.transactions.length).toBe(6)
  })
})

describe('a probe with a time limit', () => {
  it('ends as pending, and continues', async () => {
    const {service, run} = await createStage()
    await expect(run({timeoutMs: 30_000})).rejects.toMatchObject({kind: 'pending'})
    await expect(run({timeoutMs: 30_000})).rejects.toMatchObject({kind: 'pending'})
    expect((await run()).knowledge).toMatchObject(complete)
    expect(service.transactions).toHaveLength(4)
  })
})

describe('a lost reply', () => {
  // The number of the request to POST /transactions, and what it leaves open. Number 5 is the one that is to be rejected.
  it.each([
    [1, 'sameRequest'],
    [3, 'otherRequest'],
    [4, 'usedQuote'],
    [5, 'keyAfterRejection'],
    [7, 'sameRequest'],
    [8, 'otherRequest'],
    [9, 'sameRequest'],
    [10, 'otherRequest'],
    [11, 'expiredQuote'],
    [12, 'sameRequest'],
  ] as const)('of request %i that the service did not carry out leaves %s open', async (skip, subject) => {
    const {service, run} = await createStage()
    service.script({skip, times: 1, acts: 'never', reply: 'reset'})
    const {knowledge, reasons} = await run()
    expect(knowledge[subject]).toBeUndefined()
    expect(reasons[subject]).toBe('a reply was lost')
    expect(Object.keys(reasons)).toEqual([subject])
    // The next run tries only that again.
    expect((await run()).knowledge).toMatchObject(complete)
  })

  it.each([
    [4, {usedQuote: 'created'}, {quotes: 'many'}],
    [3, {otherRequest: 'created'}, {keys: 'per-body'}],
    [1, {sameRequest: 'created'}, {keys: 'ignored', quotes: 'many'}],
    [11, {expiredQuote: 'created'}, {expiredQuotes: 'accepted'}],
  ] as const)('of request %i that made a transaction leaves it to the list', async (skip, found, changes) => {
    const {service, run} = await createStage(changes)
    service.script({skip, times: 1, reply: 'reset'})
    expect((await run()).knowledge).toMatchObject(found)
  })

  it('of the first transaction is found in the list, and no other first one is made', async () => {
    const {service, run} = await createStage()
    service.script({times: 1, reply: 'reset'})
    expect((await run()).knowledge).toMatchObject(complete)
    expect(service.transactions).toHaveLength(4)
  })

  it('of a first transaction that was not made leaves the rest to the next run', async () => {
    const {service, run} = await createStage()
    service.script({times: 1, acts: 'never', reply: 'reset'})
    const {knowledge, reasons} = await run()
    expect(knowledge.sameRequest).toBeUndefined()
    expect(reasons).toMatchObject({sameRequest: 'there was no first transaction to refer to'})
    expect((await run()).knowledge).toMatchObject(complete)
  })

  it('of a transaction that the service makes late is no measure of how long it remembers keys', async () => {
    // Made 90 s after it was sent, its key is 190 s old when its quote is about to expire: too young to be forgotten.
    const {service, run} = await createStage({keys: 'other-body-refused', keysForgottenAfterMs: 4 * minuteMs})
    service.script({skip: 2, times: 1, acts: {afterMs: 90_000}, reply: 'reset'})
    expect((await run()).knowledge.otherRequest).toBeUndefined()
    expect((await run()).knowledge.otherRequest).toBe('created')
  })

  it.each([408, 425, 429, 500, 503])('is what a %i is taken for', async (status) => {
    const {service, run} = await createStage()
    service.script({
      skip: 1,
      times: 1,
      acts: 'never',
      reply: {status, body: {error: 'X', message: 'x', statusCode: status}},
    })
    expect((await run()).reasons.sameRequest).toBe('a reply was lost')
  })
})

describe('a service whose clock stands still', () => {
  it('is not waited for, and what needs time stays open', async () => {
    const {service, run} = await createStage({}, {isClockStopped: true})
    const {knowledge, reasons} = await run()
    expect(reasons).toEqual({
      sameRequest: 'the clock of the service stands still',
      otherRequest: 'the clock of the service stands still',
      expiredQuote: 'the clock of the service stands still',
    })
    expect(knowledge).toMatchObject({usedQuote: 'rejected', keyAfterRejection: 'usable'})
    expect(service.transactions).toHaveLength(4)
  })
})

describe('a refused credential', () => {
  it('ends the probe, and the try that it met is open', async () => {
    const {service, run} = await createStage()
    service.script({
      skip: 2,
      times: 1,
      acts: 'never',
      reply: {status: 401, body: {error: 'UNAUTHORIZED', message: 'x', statusCode: 401}},
    })
    await expect(run()).rejects.toMatchObject({kind: 'unauthenticated'})
    expect((await run()).knowledge).toMatchObject(complete)
  })
})

describe('money', () => {
  it('is reserved before each send, and released where the list shows that none moved', async () => {
    const {run, listSpent, service} = await createStage()
    let mostReserved = 0
    await run({checkpoint: () => (mostReserved = Math.max(mostReserved, listSpent().length))})
    expect(mostReserved).toBe(13)
    // Four transactions, and the second of two identical requests, which cannot be told from the first.
    expect(service.transactions).toHaveLength(4)
    expect(listSpent()).toHaveLength(5)
  })

  it('that a limit of the profile does not allow is not sent, and the probe continues when it does', async () => {
    const {run, service} = await createStage()
    const spending = {dayMax: {USDC: '2.50'}}
    await expect(run({spending})).rejects.toMatchObject({kind: 'limit', message: expect.stringContaining('2.50')})
    expect(service.requestsTo('POST /transactions')).toHaveLength(2)
    expect((await run({spending: {dayMax: {USDC: '50'}}})).knowledge).toMatchObject(complete)
  })

  it.each([[{paymentMax: {USDC: '0.50'}}], [{destinations: ['another-account']}], [{paymentMax: {EUR: '100'}}]])(
    'is not sent at all with the limits %j',
    async (spending) => {
      const {run, service} = await createStage()
      await expect(run({spending})).rejects.toMatchObject({kind: 'limit'})
      expect(service.requestsTo('POST /transactions')).toHaveLength(0)
    },
  )
})
