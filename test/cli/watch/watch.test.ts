// Following a thing to its end, on a clock that the test moves: how often it looks, what it bears, what it says.
import {afterEach, beforeEach, describe, expect, it, vi} from 'vitest'
import {SvcError} from '../../../src/errors.ts'
import type {ItemResult} from '../../../src/cli/output/result.ts'
import type {Item} from '../../../src/cli/output/format-values.ts'
import {createCorrectionTarget} from '../../../src/customers/watch-correction.ts'
import {createVerificationTarget, createSubmissionTarget} from '../../../src/customers/watch-targets.ts'
import {watch} from '../../../src/cli/watch/watch.ts'
import {createTransactionTarget} from '../../../src/transactions/watch.ts'
import type {Client} from '../../../src/client/client.ts'
import {customer, customerId} from '../../support/service.ts'
import {transaction, transactionId} from '../../support/transactions.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs

beforeEach(() => vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date']}))
afterEach(() => vi.useRealTimers())

const unreachable = () => new SvcError({error: 'UNREACHABLE', kind: 'unreachable', message: 'The service is silent'})

type Answer = Item | Error | undefined

// A service whose answers are a list, the last of them for ever; an answer that is not there is a list without the thing.
function scripted(answers: readonly Answer[]) {
  const askedMs: number[] = []
  const queries: unknown[] = []
  const next = () => {
    askedMs.push(performance.now())
    const answer = answers[Math.min(askedMs.length, answers.length) - 1]
    if (answer instanceof Error) throw answer
    return answer
  }
  const client = {
    customers: {get: async () => next()},
    transactions: {
      list: async (query: unknown) => {
        queries.push(query)
        const answer = next()
        return {transactions: answer ? [answer] : []}
      },
    },
  } as unknown as Client
  return {client, askedMs, queries}
}

interface Ended {
  value?: Item
  ending?: SvcError | undefined
  thrown?: unknown
}

async function ended(followed: Parameters<typeof watch>[0], timeoutMs?: number) {
  const said: string[] = []
  const limit = timeoutMs === undefined ? undefined : {timeoutMs, deadlineMs: performance.now() + timeoutMs}
  const audience = {format: 'table' as const, quiet: false, notice: (text: string) => void said.push(text)}
  const ends: Ended[] = []
  watch(followed, audience, limit).then(
    (result) => ends.push(result as unknown as ItemResult<Item>),
    (thrown: unknown) => ends.push({thrown}),
  )
  for (let step = 0; ends.length === 0 && step < 4000; step++) await vi.advanceTimersByTimeAsync(secondMs / 2)
  return {...ends[0], said: said.map((line) => line.replace(/^\d\d:\d\d:\d\d UTC {2}/, ''))}
}

const id = transactionId(1)
const followTransaction = (answers: readonly Answer[], answer?: Item) => {
  const service = scripted(answers)
  return {...service, followed: createTransactionTarget(service.client, id, {}, answer)}
}

describe('a wait', () => {
  it('looks after a second, then less and less often, down to every fifteen, and often again after a change', async () => {
    const still = Array.from({length: 12}, () => transaction(1))
    const {followed, askedMs} = followTransaction([...still, transaction(1, 'SENT'), transaction(1, 'COMPLETED')])
    expect((await ended(followed)).value).toEqual(transaction(1, 'COMPLETED'))
    const pauses = askedMs.slice(1).map((ms, index) => (ms - (askedMs[index] ?? 0)) / secondMs)
    const longest = [1, 1.5, 2.25, 3.375, 5.1, 7.6, 11.4, 15, 15, 15, 15, 15, 1]
    expect(pauses).toHaveLength(longest.length)
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeLessThanOrEqual(longest[index] ?? 0)
      expect(pause).toBeGreaterThanOrEqual((longest[index] ?? 0) * 0.79)
    }
    expect(new Set(pauses.slice(7, 12).map((pause) => pause.toFixed(3))).size).toBeGreaterThan(1)
  })

  it('tells of changes in status, amounts and references, and of nothing else', async () => {
    const source = {...transaction(1).source, sourceReferenceId: '0xabc'}
    const {followed} = followTransaction([
      transaction(1, 'CREATED'),
      transaction(1, 'CREATED', {updatedAt: '2026-11-01T12:00:09Z', riskTier: 'gold'}),
      transaction(1, 'PROCESSING'),
      transaction(1, 'PROCESSING', {source: Object.fromEntries(Object.entries(source).toReversed())}),
      transaction(1, 'PROCESSING', {source}),
      transaction(1, 'COMPLETED', {source}),
    ])
    expect((await ended(followed)).said).toEqual([
      `${id} is CREATED`,
      'CREATED → PROCESSING',
      'PROCESSING\n  FROM REFERENCE 0xabc',
      'PROCESSING → COMPLETED',
    ])
  })

  it('goes on through a status that it does not know, and through none at all', async () => {
    const {followed} = followTransaction([
      transaction(1, 'ON_HOLD'),
      {...transaction(1), transactionStatus: null},
      {...transaction(1), transactionStatus: 'toString'},
      transaction(1, 'COMPLETED'),
    ])
    const {said, ending} = await ended(followed)
    expect(said.slice(1)).toEqual(['ON_HOLD → (no status)', '(no status) → toString', 'toString → COMPLETED'])
    expect(ending).toBeUndefined()
  })

  it('bears a service that does not answer, and says so once, and once when it is well again', async () => {
    const {followed} = followTransaction([
      transaction(1),
      unreachable(),
      unreachable(),
      transaction(1),
      unreachable(),
      transaction(1, 'COMPLETED'),
    ])
    expect((await ended(followed)).said.slice(1)).toEqual([
      'The service is silent; still looking.',
      'The service answers again.',
      'The service is silent; still looking.',
      'The service answers again.',
      'PROCESSING → COMPLETED',
    ])
  })

  it('gives up five minutes after the last good answer, with the failure itself', async () => {
    const {followed, askedMs} = followTransaction([transaction(1), transaction(1), unreachable()])
    expect((await ended(followed)).thrown).toMatchObject({exitCode: 6, message: 'The service is silent'})
    const bornMs = (askedMs.at(-1) ?? 0) - (askedMs[1] ?? 0)
    expect(bornMs).toBeGreaterThan(5 * minuteMs)
    expect(bornMs).toBeLessThan(5.5 * minuteMs)
  })

  it('does not wait for a service that cannot be reached at the beginning', async () => {
    const {followed, askedMs} = followTransaction([unreachable()])
    expect((await ended(followed)).thrown).toMatchObject({exitCode: 6})
    expect(askedMs).toHaveLength(1)
  })

  it.each(['refused', 'unauthenticated', 'notFound'] as const)('ends at once on an error of kind %s', async (kind) => {
    const refused = new SvcError({error: 'NO', kind, message: 'No', statusCode: 400})
    const {followed, askedMs} = followTransaction([transaction(1), refused])
    expect((await ended(followed)).thrown).toBe(refused)
    expect(askedMs).toHaveLength(2)
  })

  it('ends with 8 when the time is up, after one look more, and says what it waited for', async () => {
    const {followed, askedMs} = followTransaction([transaction(1)])
    const startedMs = performance.now()
    const {value, ending} = await ended(followed, 4 * secondMs)
    expect(value).toEqual(transaction(1))
    expect(ending).toMatchObject({
      error: 'PENDING',
      exitCode: 8,
      message: `Transaction ${id} is still PROCESSING after 4 s: the money is under way`,
      hint: `Go on with \`svc transactions watch ${id}\``,
    })
    expect(askedMs.at(-1)).toBe(startedMs + 3.5 * secondMs)
  })

  it('takes a read that the time limit cut off for the time that is up', async () => {
    const service = scripted([transaction(1)])
    const followed = createTransactionTarget(service.client, id, {})
    const {read} = followed
    let reads = 0
    followed.read = async () => {
      if (reads++ === 0) return read()
      await new Promise((resolve) => setTimeout(resolve, 2 * secondMs - 1))
      throw unreachable()
    }
    const {ending} = await ended(followed, 2 * secondMs)
    expect(ending).toMatchObject({exitCode: 8})
  })

  it('bears that a transaction is not listed yet, for ten minutes, and looks among its customer’s own', async () => {
    const late = followTransaction([undefined, undefined, transaction(1, 'COMPLETED')], transaction(1, 'CREATED'))
    const {said, value} = await ended(late.followed)
    expect(value).toEqual(transaction(1, 'COMPLETED'))
    expect(said[1]).toMatch(/not among the 0 transactions .*; a list may lag behind, so still looking\.$/)
    expect(said.slice(2)).toEqual(['The service lists it now.', 'CREATED → COMPLETED'])
    expect(late.queries[0]).toEqual({customerId: customerId(1), pageSize: 100})

    const never = followTransaction([undefined], transaction(1, 'CREATED'))
    const startedMs = performance.now()
    expect((await ended(never.followed)).thrown).toMatchObject({exitCode: 5})
    expect(performance.now() - startedMs).toBeGreaterThan(10 * minuteMs)
  })

  it('does not believe a bad end that a write answered, since the answer may lag behind', async () => {
    const before = customer(1, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'})
    const {client} = scripted([customer(1, {customerStatus: 'UNDER_REVIEW'}), customer(1)])
    const {ending, value} = await ended(createVerificationTarget(client, customerId(1), before))
    expect({ending, value}).toEqual({ending: undefined, value: customer(1)})
  })

  const needing = (updatedAt: unknown) =>
    customer(1, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION', verificationIssues: [], updatedAt})
  const reviewed = (updatedAt: unknown) => customer(1, {customerStatus: 'UNDER_REVIEW', updatedAt})

  it.each([
    ['a submission', createSubmissionTarget],
    ['a correction', createCorrectionTarget],
    ['a creation', createVerificationTarget],
  ])('for %s passes over reads that are older than what the write answered', async (_, followed) => {
    const old = needing('2026-11-01T11:59:59Z')
    const active = customer(1, {updatedAt: '2026-11-01T12:00:09.5Z'})
    const {client, askedMs} = scripted([old, old, reviewed('2026-11-01T12:00:00.000Z'), active])
    const {said, ending, value} = await ended(followed(client, customerId(1), reviewed('2026-11-01T12:00:00.750Z')))
    expect({ending, value}).toEqual({ending: undefined, value: active})
    expect(said).toEqual([`${customerId(1)} is UNDER_REVIEW`, 'UNDER_REVIEW → ACTIVE'])
    expect(askedMs).toHaveLength(4)
  })

  it.each([
    ['equal to the second', '2026-11-01T12:00:00.750Z', '2026-11-01T12:00:00Z'],
    ['later', '2026-11-01T12:00:00Z', '2026-11-01T12:00:01Z'],
    ['not there', '2026-11-01T12:00:00Z', null],
    ['unreadable', '2026-11-01T12:00:00Z', 'yesterday'],
    ['not known of the write', undefined, '2026-11-01T12:00:00Z'],
  ])('believes a read whose time is %s', async (_, written, read) => {
    const {client, askedMs} = scripted([needing(read)])
    const {ending} = await ended(createSubmissionTarget(client, customerId(1), reviewed(written)))
    expect(ending).toMatchObject({exitCode: 11})
    expect(askedMs).toHaveLength(1)
  })

  it('takes a read that stays older for more than a minute for a clock that is off', async () => {
    const {client} = scripted([needing('2026-11-01T11:00:00Z')])
    const startedMs = performance.now()
    const {ending} = await ended(createSubmissionTarget(client, customerId(1), reviewed('2026-11-01T12:00:00Z')))
    expect(ending).toMatchObject({exitCode: 11})
    expect(performance.now() - startedMs).toBeGreaterThan(minuteMs)
    expect(performance.now() - startedMs).toBeLessThan(1.5 * minuteMs)
  })

  it('says nothing of data that nobody submitted where it went with the write', async () => {
    const created = customer(1, {customerStatus: 'CREATED'})
    const {client} = scripted([created])
    const sent = await ended(createSubmissionTarget(client, customerId(1), created), 3 * secondMs)
    expect(sent.said).toEqual([`${customerId(1)} is CREATED`])
    expect(sent.ending?.message).toMatch(/is still CREATED after 3 s: its verification data was sent/)
    const unsent = await ended(createVerificationTarget(client, customerId(1), created), 3 * secondMs)
    expect(unsent.said[1]).toContain('Nobody has submitted')
  })

  it.each([
    ['COMPLETED', undefined],
    ['FAILED', 'TRANSACTION_FAILED'],
    ['CANCELLED', 'TRANSACTION_CANCELLED'],
    ['EXPIRED', 'TRANSACTION_EXPIRED'],
  ])('for a transaction that is %s ends at once', async (status, error) => {
    const {followed, askedMs} = followTransaction([transaction(1, status)])
    const {ending, said} = await ended(followed)
    expect(askedMs).toHaveLength(1)
    expect(ending && {error: ending.error, exitCode: ending.exitCode}).toEqual(error && {error, exitCode: 11})
    expect(said).toEqual(error ? [] : [`Transaction ${id} is COMPLETED already.`])
  })

  it('shows transfer instructions once, and once more if they change', async () => {
    const instructions = (bank: string) => ({transferInstructions: {type: 'fiat', transferBankName: bank}})
    const {followed} = followTransaction([
      transaction(1, 'AWAITING_TRANSFER', instructions('First')),
      transaction(1, 'AWAITING_TRANSFER', instructions('First')),
      transaction(1, 'AWAITING_TRANSFER', instructions('Second')),
      transaction(1, 'COMPLETED', instructions('Second')),
    ])
    expect((await ended(followed)).said).toEqual([
      `${id} is AWAITING_TRANSFER\n  Send 120.50 USD\n  Bank: First`,
      'AWAITING_TRANSFER\n  Send 120.50 USD\n  Bank: Second',
      'AWAITING_TRANSFER → COMPLETED',
    ])
  })

  it('tells of a customer’s new issues as they come, whatever their order, and warns once that nothing was submitted', async () => {
    const issue = (code: string) => ({code, message: `About ${code}`, timestamp: '2026-11-01T12:00:00Z'})
    const [first, second] = [issue('DOC_QUALITY_POOR'), issue('AML_MATCH')]
    const review = (verificationIssues?: unknown) => customer(1, {customerStatus: 'UNDER_REVIEW', verificationIssues})
    const {client} = scripted([
      customer(1, {customerStatus: 'CREATED'}),
      customer(1, {customerStatus: 'CREATED'}),
      review(),
      review([]),
      review([first, second]),
      review([second, first]),
      review([null, second, {...first, timestamp: '2026-11-02T12:00:00Z'}]),
      customer(1, {customerStatus: 'REJECTED', verificationIssues: 'none'}),
    ])
    const {said, ending} = await ended(createVerificationTarget(client, customerId(1)))
    expect(said).toEqual([
      `${customerId(1)} is CREATED`,
      expect.stringContaining('Nobody has submitted'),
      'CREATED → UNDER_REVIEW',
      'UNDER_REVIEW\n  DOC_QUALITY_POOR: About DOC_QUALITY_POOR\n  AML_MATCH: About AML_MATCH',
      'UNDER_REVIEW\n  DOC_QUALITY_POOR: About DOC_QUALITY_POOR',
      'UNDER_REVIEW → REJECTED',
    ])
    expect(ending).toMatchObject({error: 'CUSTOMER_REJECTED', exitCode: 11})
  })
})
