// The rules of paying once that are about more than one fault: each is a sequence of runs, with the code of each, and what there is in
// the end. What a single fault leads to is in the matrix.
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it, onTestFinished} from 'vitest'
import {inconclusiveStatuses} from '../../src/client/failures.ts'
import {quoteLifetimeMs} from '../../src/contract/vocabulary.ts'
import {type Effect, SvcError} from '../../src/errors.ts'
import {describeThisProcess} from '../../src/payments/journal/owner.ts'
import {openSqliteJournal} from '../../src/payments/journal/open-journal.ts'
import {LeaseLost} from '../../src/payments/journal/journal.ts'
import {retryIfLeaseLost} from '../../src/payments/protocol/lease.ts'
import {dismissPayment, settleManually} from '../../src/payments/by-hand.ts'
import {createServerClock} from '../../src/payments/protocol/clock.ts'
import type {PaymentContext} from '../../src/payments/protocol/context.ts'
import {
  type Knowledge,
  type Now,
  type Search,
  findSettlingTimes,
  next,
  observe,
  quoteLifeMinMs,
  startSeen,
} from '../../src/payments/protocol/next.ts'
import {digestContent, isSameContent, listContentChanges} from '../../src/payments/protocol/compare.ts'
import {findSent, rememberSent, sentMax} from '../../src/payments/protocol/sent.ts'
import {
  type Attempt,
  type Payment,
  type PaymentContent,
  type PaymentState,
  deriveCorrelationId,
} from '../../src/payments/protocol/payment.ts'
import {classifyFailure, classifyReply} from '../../src/payments/protocol/reply.ts'
import {findMatches} from '../../src/payments/protocol/search.ts'
import {CustomerList, CustomerLists} from '../../src/payments/protocol/lists.ts'
import {listLagDefaultMs} from '../../src/profiles/service.ts'
import {describeOperator} from '../../src/controls/operator.ts'
import {connect, content} from './connect.ts'
import type {Behaviours, FaultOrder} from './faults.ts'
import {type RunOptions, Stage, minuteMs, noon, serviceId} from './stage.ts'
import {createAttempt, enterState} from '../support/recorded.ts'

const key = 'rent-2026-11'

const settleByHand: typeof dismissPayment = (context, known, why) => settleManually(context, known, 'abandon', why)

function createStage() {
  const stage = new Stage()
  onTestFinished(() => stage.close())
  return {stage, journalFile: stage.journal()}
}

const onPost = {method: 'POST', path: '/transactions'} as const
const lost = {...onPost, kind: 'lose', times: 1} as const
const unsent = {...onPost, kind: 'reset', times: 1} as const
const refused = {...onPost, kind: 'refuse', status: 400, times: 1} as const
const tenSeconds = {kind: 'delay', delayMs: 10_000} as const
const careless = {idempotency: 'ignore', quoteUse: 'many'} as const
const slow = {...careless, listLagSeconds: 30} as const
const noList = (times?: number) => ({method: 'GET', path: '/transactions', kind: 'refuse', after: 1, times}) as const
const limited = {rateMin: '2'}
const other = '00000000-0000-4000-8000-0000000000ff'
const careful = {mayResend: false, waitMs: 0}
const day = (USDC: string) => ({spending: {dayMax: {USDC}}})

interface Ran extends Partial<RunOptions> {
  // What the service does from this run on.
  serves?: [Partial<Behaviours>, ...FaultOrder[]]
  afterMs?: number
  isElsewhere?: true
  // Undefined if it is killed.
  code: number | undefined
  error?: string
}

interface Rule {
  name: string
  runs: Ran[]
  posts: number
  // How often the list is read.
  reads?: number
  made?: number
  state?: PaymentState
}

const rules: Rule[] = [
  {
    name: 'looks again before it arms, if its look at the list is older than two seconds',
    runs: [{serves: [{}, {method: 'POST', path: '/quotes', ...tenSeconds, times: 1}], code: 0}],
    posts: 1,
    reads: 2,
  },
  {
    name: 'looks five times at a list that takes longer than that, and sends nothing',
    runs: [{serves: [{}, {method: 'GET', path: '/transactions', ...tenSeconds}], code: 6, error: 'LIST_TOO_SLOW'}],
    posts: 0,
    reads: 6,
    made: 0,
  },
  {
    name: 'sends nothing again while the list cannot be read, and settles once it can',
    runs: [
      {serves: [{}, lost, noList()], waitMs: 30_000, code: 7},
      {serves: [{}], code: 0},
    ],
    posts: 1,
  },
  {
    name: 'believes a refusal after a look at the list, and tries again with the same key',
    runs: [{serves: [{}, refused], code: 3, error: 'BAD_REQUEST'}, {code: 0}],
    posts: 2,
  },
  {
    name: 'believes no refusal while the list cannot be read, and counts it towards the limit of the day',
    runs: [
      {serves: [{}, refused, noList()], ...day('20'), code: 7},
      {serves: [{}], key: 'other', ...day('20'), code: 10},
      {...day('20'), code: 0},
    ],
    posts: 2,
  },
  {
    name: 'looks for what was made for a customer that the key had before, and pays nothing for another one',
    runs: [
      {serves: [slow, {...refused, kind: 'refuse-after'}], code: 3},
      {customerId: other, limits: limited, code: 10},
      {afterMs: minuteMs, customerId: other, code: 2, error: 'KEY_USED'},
    ],
    posts: 1,
  },
  {
    name: 'looks for what another host has made for the customer that the key has now',
    runs: [
      {serves: [careless], isElsewhere: true, customerId: other, code: 0},
      {limits: limited, code: 10},
      {customerId: other, code: 0},
    ],
    posts: 1,
  },
  {
    name: 'says that its own request may have made a second one, if another host has paid another amount meanwhile',
    runs: [
      {serves: [slow, {...lost, after: 1}], isElsewhere: true, amount: '99', code: 0},
      {afterMs: 20_000, mayResend: false, waitMs: 20_000, code: 7, error: 'OUTCOME_UNKNOWN'},
      {code: 2, error: 'KEY_USED'},
    ],
    posts: 2,
    made: 2,
    state: 'CREATED',
  },
  {
    name: 'confirms a refusal that a killed run has not looked up',
    runs: [{serves: [{}, refused], crashAt: 'search', crashAfter: 1, code: undefined}, {code: 0}],
    posts: 2,
  },
]

describe('svc', () => {
  it.each(rules)('$name', async ({runs, posts, reads, made = 1, state}) => {
    const {stage, journalFile} = createStage()
    const elsewhere = stage.journal()
    for (const {serves, afterMs = 0, isElsewhere, code, error, ...options} of runs) {
      if (serves) stage.behave(...serves)
      stage.advance(afterMs)
      const ran = await stage.run({key, journalFile: isElsewhere ? elsewhere : journalFile, ...options})
      expect({code: ran.code, ...(error && {error: ran.error?.error})}).toEqual({code, ...(error && {error})})
    }
    const count = (request: string) => stage.requests.filter((one) => one === request).length
    expect(count('POST /transactions')).toBe(posts)
    if (reads !== undefined) expect(count('GET /transactions')).toBe(reads)
    expect(stage.made(key)).toHaveLength(made)
    if (state) expect(stage.row(journalFile, key)).toMatchObject({state})
  })

  it('names the times at which other runs settle a payment, and they do', async () => {
    const {stage, journalFile} = createStage()
    stage.behave({}, unsent)
    const runAndReadTimes = async () => {
      const {code, error} = await stage.run({key, journalFile, ...careful})
      const named = [...(error?.hint ?? '').matchAll(/after (\S+ \S+) UTC/g)]
      return {code, times: named.map(([, time = '']) => Date.parse(`${time}Z`))}
    }
    const {code, times} = await runAndReadTimes()
    expect(code).toBe(7)
    // Up to the next whole minute, with what is not known of the service's clock.
    expect(times.map((ms) => (ms - noon.getTime()) / minuteMs)).toEqual([12, 19])
    stage.advance((times[0] ?? 0) - stage.now())
    const second = await runAndReadTimes()
    expect({code: second.code, times: second.times.length}).toEqual({code: 7, times: 1})
    stage.advance((second.times[0] ?? 0) - stage.now())
    expect(await runAndReadTimes()).toEqual({code: 0, times: []})
  })

  it.each<[string, Ran]>([
    ['a limit stopped it', {limits: limited, code: 10}],
    ['the service refused it', {serves: [{}, {...refused, status: 422}], code: 3}],
    [
      'it was abandoned',
      {
        serves: [{}, {...onPost, kind: 'reset'}],
        ...careful,
        waitMs: 40 * minuteMs,
        crashAt: 'quote',
        crashAfter: 1,
        code: undefined,
      },
    ],
  ])('lets the content of a key change after %s, and records who changed it', async (_, {serves, code, ...options}) => {
    const {stage, journalFile} = createStage()
    stage.behave(...(serves ?? [{}]))
    expect((await stage.run({key, journalFile, amount: '99', ...options})).code).toBe(code)
    stage.behave({})
    const told: string[] = []
    const {code: paid} = await stage.run({
      key,
      journalFile,
      onContentChanged: (_payment, changes) => told.push(...changes),
    })
    expect([paid, told, stage.made(key).length]).toEqual([0, ['amount 99 USDC → 12.34 USDC'], 1])
    const [, history] = JSON.parse(stage.dump(journalFile, key)) as [unknown, Array<{what: string; detail: string}>]
    const line = history.find(({what}) => what === 'CONTENT_CHANGED')
    expect(JSON.parse(line?.detail ?? '{}')).toEqual({changes: told[0], ...describeOperator()})
  })

  it('waits for another process with the same key and says what it says, or that it works', async () => {
    const {stage, journalFile} = createStage()
    stage.behave({}, {...refused, status: 403})
    const both = await Promise.all([1, 2].map(() => stage.run({key, journalFile, waitMs: minuteMs})))
    expect(both.map(({code, error}) => [code, error?.error])).toEqual(
      [both[0], both[0]].map((one) => [4, one?.error?.error]),
    )
    expect(stage.requests.filter((one) => one === 'POST /transactions')).toHaveLength(1)
    const [first, second] = await Promise.all(
      [minuteMs, 0].map((waitMs) => stage.run({key: 'other', journalFile, waitMs})),
    )
    expect([first?.code, second?.code]).toEqual([0, 8])
    expect(second?.error?.message).toContain(String(process.pid))
  })

  it.each([
    {what: 'was made', faults: [], codes: [0, 2]},
    {what: 'may have been made', faults: [lost, noList()], codes: [7, 2]},
  ])('takes no payment of another amount for its own that $what while it waited', async ({faults, codes}) => {
    const {stage, journalFile} = createStage()
    stage.behave({}, ...faults)
    const runs = ['99', '12.34'].map((amount) => stage.run({key, journalFile, amount, ...careful, waitMs: minuteMs}))
    const both = await Promise.all(runs)
    expect(both.map(({code}) => code)).toEqual(codes)
    expect([both[1]?.error?.error, stage.made(key).length]).toEqual(['KEY_USED', 1])
  })

  it('lets a person decide although another process takes the payment over meanwhile, which is waited for', async () => {
    const {stage, journalFile} = createStage()
    stage.behave({}, unsent)
    await stage.run({key, journalFile, ...careful})
    const journal = openSqliteJournal(journalFile, {now: stage.now})
    onTestFinished(() => journal.close())
    const payment = await journal.find(serviceId, key)
    if (!payment) throw new Error('not recorded')
    let takenOver: ReturnType<typeof journal.acquireLease> | undefined
    const onProgress = () => {
      if (takenOver) return
      stage.advance(3 * minuteMs)
      takenOver = journal.acquireLease(payment, {...describeThisProcess(), host: 'far.example'})
    }
    const pause = async () => {
      const taken = await takenOver
      if (taken && 'lease' in taken) await journal.releaseLease(taken.lease)
    }
    const settle = (remainingMs: number) => {
      const owner = {...describeThisProcess(), host: 'here.example'}
      const context = {journal, owner, onProgress, pause, remainingMs: () => remainingMs}
      return settleManually(context as unknown as PaymentContext, payment, 'abandon', 'ticket 4711')
    }
    await expect(settle(0)).rejects.toMatchObject({exitCode: 8})
    await pause()
    takenOver = undefined
    expect(await settle(minuteMs)).toMatchObject({state: 'ABANDONED'})
  })

  it.each<[string, RunOptions['limits'], typeof settleByHand]>([
    ['abandon what may have been made', {}, settleByHand],
    ['dismiss what was stopped', limited, dismissPayment],
  ])('lets nobody %s once another process has made it, which held the lease until then', async (_, limits, decide) => {
    const {stage, journalFile} = createStage()
    stage.behave({}, unsent)
    await stage.run({key, journalFile, limits, ...careful})
    const journal = openSqliteJournal(journalFile, {now: stage.now})
    onTestFinished(() => journal.close())
    const known = await journal.find(serviceId, key)
    if (!known) throw new Error('not recorded')
    const taken = await journal.acquireLease(known, {...describeThisProcess(), host: 'far.example'})
    if (!('lease' in taken)) throw new Error('not taken')
    const pause = async () => {
      const made = enterState(taken.payment, 'CREATED')
      await journal.commit(taken.lease, made, {what: 'CREATED'})
      await journal.releaseLease(taken.lease)
    }
    const context = {journal, owner: describeThisProcess(), pause, remainingMs: () => minuteMs}
    await expect(decide(context as unknown as PaymentContext, known, 'ticket 4711')).rejects.toMatchObject({
      exitCode: 2,
    })
    expect(stage.row(journalFile, key)?.state).toBe('CREATED')
  })

  it.each([
    {expiredQuotes: 'refused', idempotency: 'ignore', times: 1},
    {expiredQuotes: 'accepted', idempotency: 'replay', times: 1},
    // The assumption that expired quotes are refused is broken.
    {expiredQuotes: 'accepted', idempotency: 'ignore', times: 2},
  ] as const)(
    'suspended before its first byte until another process paid: $times made (expired quotes $expiredQuotes, keys $idempotency)',
    async ({times, ...behaviours}) => {
      const {stage, journalFile} = createStage()
      stage.behave(behaviours)
      const [arrived, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const original = stage.fetch
      stage.fetch = async (url, options) => {
        if (options.method === 'POST' && url.endsWith('/transactions')) {
          stage.fetch = original
          arrived.resolve()
          await held.promise
        }
        return original(url, options)
      }
      const late = stage.run({key, journalFile, waitMs: 60 * minuteMs})
      await arrived.promise
      // By now the lease has expired, the quote too, and the list can no longer lag.
      for (let again = 0; again < 8; again++) {
        stage.advance(4 * minuteMs)
        await stage.run({key, journalFile, mayResend: false})
      }
      expect(stage.made(key)).toHaveLength(1)
      held.resolve()
      await late
      expect(stage.made(key)).toHaveLength(times)
      expect(stage.row(journalFile, key)?.state).toBe('CREATED')
    },
  )
})

describe('no byte of a payment leaves', () => {
  // What the journal has, as another process reads it, at the moment when a request for a
  // transaction leaves.
  function watchSends(stage: Stage, journalFile: string) {
    const sends: object[] = []
    const original = stage.fetch
    stage.fetch = (url, options) => {
      if (options.method === 'POST' && url.endsWith('/transactions')) {
        const {state, attempts = []} = stage.row(journalFile, key) ?? {}
        const {sends: count, bytes} = attempts.at(-1)?.armed ?? {}
        sends.push({state, count, hasItsBytes: bytes === options.body})
      }
      return original(url, options)
    }
    return sends
  }

  it('before the journal has it as ARMED or as sent again, with the same bytes', async () => {
    const {stage, journalFile} = createStage()
    stage.behave({}, unsent)
    const sends = watchSends(stage, journalFile)
    expect((await stage.run({key, journalFile, waitMs: minuteMs})).code).toBe(0)
    expect(sends).toEqual([
      {state: 'ARMED', count: 1, hasItsBytes: true},
      {state: 'UNKNOWN', count: 2, hasItsBytes: true},
    ])
  })

  it.each([1, 2])('without the lease, if another process has taken it over before send %i', async (send) => {
    const {stage, journalFile} = createStage()
    stage.behave({}, unsent)
    const sends = watchSends(stage, journalFile)
    const takeOver = () => {
      stage.advance(minuteMs)
      const database = new DatabaseSync(journalFile)
      const far = `json_set(owner, '$.host', 'far.example', '$.run', 'other')`
      database.exec(`update payments set epoch = epoch + 1, owner = ${far}, renewed_at = ${stage.now()}`)
      database.close()
    }
    let reached = 0
    const onStep = (step: string) => {
      reached += step === 'renew' ? 1 : 0
      if (step === 'renew' && reached === send) takeOver()
    }
    const {code} = await stage.run({key, journalFile, waitMs: 40_000, onStep})
    expect({sends: sends.length, code}).toEqual({sends: send - 1, code: 8})
  })
})

describe('the content of a payment', () => {
  const sent: PaymentContent = {...content, developerFee: {developerFeeType: 'USD', developerFeeAmount: '1'}}
  const listFields = (value: object): string[] =>
    Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
      typeof inner === 'object' && inner !== null ? listFields(inner).map((field) => `${name}.${field}`) : [name],
    )
  const change = (value: unknown, [name, ...rest]: readonly string[]): unknown =>
    name === undefined ? '7' : {...(value as object), [name]: change((value as Record<string, unknown>)[name], rest)}
  const fields = [sent, {...sent, receive: '10'}].flatMap((one) =>
    listFields(one).map((field) => ({one, what: one.receive === undefined ? 'is sent' : 'is to arrive', field})),
  )

  it.each(fields)('that says what $what is another one if $field alone is another', ({one, field}) => {
    const changed = change(one, field.split('.')) as PaymentContent
    // What is to arrive stands for the amount that brings it.
    const isSame = field === 'source.sourceAmount' && one.receive !== undefined
    expect([listContentChanges(one, changed).length > 0, isSameContent(one, changed)]).toEqual([true, isSame])
    expect(digestContent(one) === digestContent(changed)).toBe(isSame)
  })
})

it('a process knows what it has sent last, and forgets the oldest of many', () => {
  const [run, another] = [describeThisProcess(), describeThisProcess()]
  const send = (correlationId: string) => rememberSent(run, correlationId, {attempt: {} as Attempt})
  send('first')
  send('second')
  // Sent again.
  send('first')
  for (let index = 2; index < sentMax; index++) send(`more-${index}`)
  const isKnown = (correlationId: string) => findSent(run, correlationId) !== undefined
  expect(['first', 'second'].map(isKnown)).toEqual([true, true])
  send('last')
  expect(['first', 'second', 'last'].map(isKnown)).toEqual([true, false, true])
  expect(findSent(another, 'last')).toBeUndefined()
})

// What happens if an assumption about the service is wrong, as described in docs/paying-once.md.
describe('a list that lags for longer than svc expects', () => {
  it.each([
    ['replay', 1],
    ['replay-successes', 1],
    ['refuse', 1],
    // An attempt that was made is abandoned.
    ['ignore', 2],
  ] as const)('leads with keys %s to %i transactions', async (idempotency, times) => {
    const {stage, journalFile} = createStage()
    stage.behave({idempotency, listLagSeconds: 60 * 60}, lost)
    await stage.run({key, journalFile, mayResend: false})
    expect((await stage.untilPaid({key, journalFile, mayResend: false}, 40)).code).toBe(0)
    expect(stage.made(key)).toHaveLength(times)
  })
})

// What svc does at each moment is decided by the bound of the service's clock that is safe for it.
// The bounds are apart.
describe('an unknown payment, with a clock of the service that is known to half a minute', () => {
  const [expiresMs, armedMs, lagMs, toleranceMs, spreadMs] = [1_000_000, 700_000, 360_000, 2_000, 30_000]
  const absentSince = {service: expiresMs + lagMs, local: expiresMs + lagMs}
  const start = {aim: 'pay', asksPerson: false, hasOtherContent: false, quotesMax: 1, isQuoteGiven: false} as const
  const knowledge = {areKeysHonoured: false, mayResend: false, listLagMaxMs: lagMs}
  const createPayment = ({armed, ...known}: Parameters<typeof createAttempt>[0] = {}): Payment => ({
    serviceId,
    key,
    content,
    state: 'UNKNOWN',
    attempts: [createAttempt({quote: {expiresAt: expiresMs}, armed: {locallyAt: armedMs, ...armed}, ...known})],
    createdAt: 0,
    updatedAt: 0,
  })
  const createNow = (earliest: number, wall: number) => ({
    earliest,
    latest: earliest + spreadMs,
    isServiceTimeKnown: true,
    wall,
    ticks: 0,
    remainingMs: 0,
  })
  const nameNext = (payment: Payment, now: Now, search: Partial<Search> = {}, known: Knowledge = knowledge) => {
    const {earliest: startedMs, wall: startedLocallyMs} = now
    const found = {matches: [], startedMs, startedLocallyMs, seenUntilTicks: 0, ...search}
    const action = next(payment, {...startSeen(start), isLeased: true, search: found}, now, known)
    return action.do === 'record' ? action.entry.what : action.do
  }

  it.each([
    ['NOT_FOUND', {serviceMs: expiresMs, localMs: armedMs + quoteLifetimeMs}, {}],
    ['ABANDONED', {serviceMs: absentSince.service, localMs: absentSince.local}, {absentSince}],
  ])('is %s by a list that was begun after both clocks have passed %o', (what, {serviceMs, localMs}, known) => {
    const look = (startedMs: number, startedLocallyMs: number) =>
      nameNext(createPayment(known), createNow(startedMs, startedLocallyMs))
    const [startedMs, startedLocallyMs] = [serviceMs + lagMs + toleranceMs, localMs + lagMs]
    expect(look(startedMs, startedLocallyMs)).toBe(what)
    expect([look(startedMs - 1, startedLocallyMs), look(startedMs, startedLocallyMs - 1)]).toEqual(['end', 'end'])
  })

  it('has its first list recorded by the latest time that it may be, so that the second one is late enough', () => {
    const now = createNow(expiresMs + lagMs + toleranceMs, expiresMs + lagMs)
    const search = {matches: [], startedMs: now.earliest, startedLocallyMs: now.wall, seenUntilTicks: 0}
    expect(next(createPayment(), {...startSeen(start), isLeased: true, search}, now, knowledge)).toMatchObject({
      attempt: {absentSince: {service: now.latest, local: now.wall}},
    })
  })

  // A lease may come with a payment that another process has changed since this one looked.
  it('is not settled by what was seen before another process has changed it', () => {
    const failure = new SvcError({error: 'REFUSED', kind: 'refused', message: 'no'})
    const search = {matches: [], startedMs: 0, startedLocallyMs: 0, seenUntilTicks: 0}
    const reply = {kind: 'unsent', reason: 'no'} as const
    const counts = {quotes: 2, looks: 3, resends: 1, rounds: 1}
    const seen = {...startSeen(start), ...counts, search, reply, rejection: failure, unsent: failure, isConfirmed: true}
    const event = {what: 'leased', isOther: true, wasEnded: false, hasOtherContent: true} as const
    expect(observe(seen, event)).toEqual({...startSeen(start), hasOtherContent: true, isLeased: true})
  })

  it('is not begun with a quote that may have too little life left', () => {
    const payment = {...createPayment(), state: 'QUOTED'} as Payment
    const look = (latest: number) => {
      const now = createNow(latest - spreadMs, latest - spreadMs)
      const search = {matches: [], startedMs: 0, startedLocallyMs: 0, seenUntilTicks: now.ticks}
      const seen = {...startSeen(start), isLeased: true, isConfirmed: true, quotes: 1, search}
      return next(payment, seen, now, knowledge).do
    }
    expect([look(expiresMs - quoteLifeMinMs), look(expiresMs - quoteLifeMinMs + 1)]).toEqual(['arm', 'end'])
  })

  // A second send may have made what the first one was refused.
  it.each([
    [1, 'REJECTED'],
    [2, 'end'],
  ])('that was refused is believed so by a list after %i sends: %s', (sends, what) => {
    const payment = createPayment({
      refused: {error: 'BAD_REQUEST', statusCode: 400, isConfirmed: false},
      armed: {sends},
    })
    expect(nameNext(payment, createNow(armedMs, armedMs))).toBe(what)
  })

  it('is asked about once the clock of this machine has passed, if the service has not said its time', () => {
    const look = (startedLocallyMs: number) =>
      nameNext(
        createPayment(),
        {...createNow(startedLocallyMs, startedLocallyMs), isServiceTimeKnown: false},
        {startedMs: 0},
      )
    const localMs = armedMs + quoteLifetimeMs + lagMs
    expect([look(localMs - 1), look(localMs)]).toEqual(['end', 'askTime'])
  })

  it('is sent again while its quote lives by the latest time that it may be', () => {
    const look = (latest: number) =>
      nameNext(createPayment(), createNow(latest - spreadMs, armedMs), {}, {...knowledge, mayResend: true})
    expect([look(expiresMs - quoteLifeMinMs), look(expiresMs - quoteLifeMinMs + 1)]).toEqual(['arm', 'end'])
    const now = {...createNow(armedMs, armedMs), isServiceTimeKnown: false}
    expect(nameNext(createPayment(), now, {}, {...knowledge, mayResend: true})).toBe('askTime')
  })

  it.each([
    ['as this machine', 0],
    ['behind', -120_000],
    ['ahead', 120_000],
  ])('has the times at which a list settles it, to the millisecond, with the service %s', (_, aheadMs) => {
    const at = (wall: number) => createNow(wall + aheadMs, wall)
    const readTimes = (payment: Payment, wall: number) => findSettlingTimes(payment, at(wall), knowledge)
    const payment = createPayment()
    const [first = 0, later = 0] = readTimes(payment, armedMs)
    expect([first - 1, first].map((wall) => nameNext(payment, at(wall)))).toEqual(['end', 'NOT_FOUND'])
    const cleared = createPayment({absentSince: {service: at(first).latest, local: first}})
    expect(readTimes(cleared, first)).toEqual([later])
    expect([later - 1, later].map((wall) => nameNext(cleared, at(wall)))).toEqual(['end', 'ABANDONED'])
  })

  it('is settled as long after it was sent as the docs say, where nothing was made', () => {
    const now = {...createNow(armedMs, armedMs), latest: armedMs}
    const payment = createPayment({quote: {expiresAt: armedMs + quoteLifetimeMs}})
    const [, later = 0] = findSettlingTimes(payment, now, {...knowledge, listLagMaxMs: listLagDefaultMs})
    const minutes = Math.floor((later - armedMs) / minuteMs)
    const text = fs.readFileSync(path.join(import.meta.dirname, '../../docs/paying-once.md'), 'utf8')
    const named = [...text.matchAll(/(\d+) minutes/g)].map(([, count]) => Number(count)).filter((count) => count > 10)
    expect(new Set(named)).toEqual(new Set([minutes]))
    expect(text).toContain(`within ${listLagDefaultMs / minuteMs} minutes`)
  })
})

// Its words may name a person, and what is told of a row is stored.
it.each(
  [400, 403, 404, 503].flatMap((status) => [
    {status, said: 'FORBIDDEN', told: `${status} FORBIDDEN`},
    {status, said: 'Ada Lovelace is unknown', told: `${status}`},
  ]),
)(
  'a list that is refused with $status $said is told without the words of the service',
  async ({status, said, told}) => {
    const {stage, journalFile} = createStage()
    stage.behave({}, unsent, noList())
    const original = stage.fetch
    stage.fetch = async (url, options) => {
      const answered = await original(url, options)
      const isRefused = options.method === 'GET' && stage.requests.filter((one) => one.startsWith('GET')).length > 1
      const body = JSON.stringify({error: said, message: 'Ada Lovelace is unknown', statusCode: status})
      return isRefused ? {...answered, status, ok: false, text: async () => body} : answered
    }
    const {code, error} = await stage.run({key, journalFile, ...careful})
    expect([code, error?.message]).toEqual([7, expect.stringContaining(`the service answered ${told}`)])
    expect(`${error?.message} ${error?.reason} ${stage.dump(journalFile, key)}`).not.toContain('Ada')
  },
)

describe('what came of a send', () => {
  it.each(['paying-once.md', 'assumptions.md'])('is a refusal by the statuses that docs/%s names', (page) => {
    const text = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs', page), 'utf8')
    const [, line = ''] = /^\| P6 \|(.*)$/m.exec(text) ?? []
    const named = /A 4xx other than ([\d, and]+)/.exec(line)?.[1] ?? ''
    expect(named.match(/\d+/g)?.map(Number)).toEqual([...inconclusiveStatuses])
  })

  const effects = ['none', 'possible', 'done'] as const
  const fail = (effect: Effect, statusCode?: number) =>
    new SvcError({error: 'SOME_CODE', kind: 'refused', effect, message: 'Something failed', statusCode})

  it.each<[kind: string, statuses: number[]]>([
    ['unknown', [200, 204, 302, 303, 307, 408, 409, 425, 429, 499, 500, 502, 503]],
    ['rejected', [400, 401, 403, 404, 410, 422]],
  ])('is %s with the statuses %j, whatever effect the error names', (kind, statuses) => {
    for (const status of statuses)
      for (const effect of effects) expect([status, classifyFailure(fail(effect, status)).kind]).toEqual([status, kind])
  })

  it('is unknown without a reply, unless no byte left', () => {
    const kinds = effects.map((effect) => classifyFailure(fail(effect)).kind)
    expect(kinds).toEqual(['unsent', 'unknown', 'unknown'])
    expect(classifyFailure(new TypeError('x is not a function')).kind).toBe('unknown')
  })

  it('is told with the status and the code of the service, and without its message', () => {
    expect(classifyFailure(fail('possible', 503))).toMatchObject({reason: 'The service answered 503 SOME_CODE'})
    for (const error of ['Ada is unknown', 'OUTCOME_UNKNOWN']) {
      const failure = new SvcError({error, kind: 'refused', message: 'Ada', statusCode: 409})
      expect(classifyFailure(failure)).toMatchObject({reason: 'The service answered 409'})
    }
  })

  const ownId = deriveCorrelationId(serviceId, key)
  it.each<[body: unknown, kind: string]>([
    [{transactionId: 't', quoteId: 'q2'}, 'created'],
    [{transactionId: 't', correlationId: 'svc_c'}, 'created'],
    [{transactionId: 't', quoteId: 'q3', correlationId: 'svc_other'}, 'unknown'],
    // A service may give the same quote twice.
    [{transactionId: 't', quoteId: 'q1', correlationId: deriveCorrelationId(serviceId, 'other')}, 'unknown'],
    [{transactionId: 't'}, 'unknown'],
    [{transactionId: '', quoteId: 'q1'}, 'unknown'],
    [{transactionId: 7, quoteId: 'q1'}, 'created'],
    [{transactionId: 7.5, quoteId: 'q1'}, 'unknown'],
    [{transactionId: 't', quoteId: 5}, 'created'],
    [{transactionId: 't', correlationId: ownId}, 'created'],
    [{transactionId: 't', correlationId: ownId.toUpperCase()}, 'created'],
    // A caller's own id is another one in capitals.
    [{transactionId: 't', correlationId: 'SVC_C'}, 'unknown'],
    [
      {transactionId: 't', quoteId: 'q1', correlationId: deriveCorrelationId(serviceId, 'other').toUpperCase()},
      'unknown',
    ],
    [{quoteId: 'q1'}, 'unknown'],
    [[{transactionId: 't', quoteId: 'q1'}], 'unknown'],
    ['created', 'unknown'],
    [null, 'unknown'],
  ])('with the reply %j is %s', (body, kind) => {
    const ids = {quoteIds: ['q1', 'q2', '5'], correlationIds: ['svc_c', ownId]}
    expect(classifyReply(body, ids).kind).toBe(kind)
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

  it('is estimated from two sources if replies have no Date header, and a quote counts by both clocks of this machine', () => {
    let [wall, ticks] = [10_000_000, 0]
    const clock = createServerClock(
      () => wall,
      () => ticks,
    )
    expect(clock.isObserved()).toBe(false)
    clock.observeQuote(10_000_000 + 30 * minuteMs)
    expect([clock.isObserved(), clock.earliest(), clock.latest()]).toEqual([
      true,
      10_000_000,
      10_000_000 + 25 * minuteMs,
    ])
    wall += 60 * minuteMs
    ticks += minuteMs
    expect([clock.earliest(), clock.latest()]).toEqual([10_000_000 + 26 * minuteMs, 10_000_000 + 85 * minuteMs])
  })
})

it('a lease that is lost again and again is taken with a pause in between', async () => {
  let [works, pauses] = [0, 0]
  const work = async () => {
    if (works++ < 4) throw new LeaseLost({key})
  }
  await retryIfLeaseLost({pause: async () => void pauses++}, work)
  expect({works, pauses}).toEqual({works: 5, pauses: 3})
})

// The service's clock is known to half a minute: an earlier payment counts for as long as it may.
describe('an earlier payment, ten seconds after the end', () => {
  const midnight = 12 * 60 * minuteMs
  it.each([
    {what: 'of its day', paidAt: midnight - minuteMs, endsAt: midnight, options: day(content.source.sourceAmount)},
    {
      what: 'of the window of duplicates',
      paidAt: 0,
      endsAt: 60 * minuteMs,
      options: {duplicateWindowMs: 60 * minuteMs},
    },
  ])('$what, still stops another one', async ({paidAt, endsAt, options}) => {
    const {stage, journalFile} = createStage()
    const payAt = async (ms: number, name: string) => {
      stage.advance(noon.getTime() + ms - stage.now())
      return (await stage.run({key: name, journalFile, ...options})).code
    }
    expect(await payAt(paidAt, 'first')).toBe(0)
    expect([await payAt(endsAt + 10_000, 'second'), await payAt(endsAt + minuteMs, 'third')]).toEqual([10, 0])
  })
})

describe('a list that is read', () => {
  it('began at the earliest time of the service that it may be', async () => {
    const {clock, service} = connect(new Stage().fetch, () => noon.getTime())
    const [earliest, latest] = [clock.earliest() - 20_000, clock.latest() + 20_000]
    const journal = {list: async () => []}
    const settings = {
      service,
      journal,
      clock: {...clock, earliest: () => earliest, latest: () => latest},
      listLagMaxMs: 0,
    }
    expect((await new CustomerList(settings, content.customerId).readWhole()).startedMs).toBe(earliest)
  })

  // Each list has so many pages, each of which takes ten seconds, and one transaction on each.
  async function search(pages: number, {isSent = true, areKeysHonoured = false, customerId = content.customerId}) {
    let [nowMs, reads] = [noon.getTime(), 0]
    const {clock} = connect(new Stage().fetch, () => nowMs)
    async function* transactions() {
      reads++
      for (let page = 0; page < pages; page++) {
        nowMs += 10_000
        yield [{transactionId: `t${page}`, createdAt: noon.toISOString()}]
      }
    }
    const {armed, ...quoted} = createAttempt({customerId})
    const attempts = [{...quoted, ...(isSent && armed && {armed})}]
    const payment: Payment = {serviceId, key, content, state: 'UNKNOWN', attempts, createdAt: 0, updatedAt: 0}
    const journal = {list: async () => []}
    const lists = new CustomerLists({clock, service: {transactions}, journal, listLagMaxMs: 0})
    return {...(await findMatches({lists, areKeysHonoured}, payment, false)), reads}
  }

  it.each([
    {areKeysHonoured: true, isSent: false, reads: 1},
    {areKeysHonoured: true, isSent: true, reads: 2},
    {areKeysHonoured: false, isSent: false, reads: 2},
  ])('in two pages is read $reads times, with keys honoured $areKeysHonoured, and sent $isSent', async (known) => {
    expect((await search(2, known)).reads).toBe(known.reads)
  })

  it('with that of another customer began when the first of both did', async () => {
    expect(await search(1, {customerId: other})).toMatchObject({reads: 2, startedMs: noon.getTime()})
  })
})
