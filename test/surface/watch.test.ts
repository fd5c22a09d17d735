// Watching an item until it ends, on a virtual clock: how often it is read, which failures are tolerated, what is reported.
import {describe, expect, it} from 'vitest'
import type {LooseTransaction} from '../../src/contract/loose.ts'
import {SvcError} from '../../src/errors.ts'
import type {ItemResult} from '../../src/cli/output/result.ts'
import {createCustomerTarget} from '../../src/customers/watch.ts'
import {watch} from '../../src/cli/watch/watch.ts'
import {createTransactionTarget} from '../../src/transactions/watch.ts'
import type {Client} from '../../src/client/client.ts'
import {customer, customerId} from '../support/service.ts'
import {transaction, transactionId} from '../support/transactions.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs

useVirtualTime()

const unreachable = () => new SvcError({error: 'UNREACHABLE', kind: 'unreachable', message: 'The service is silent'})

type Reply = LooseTransaction | Error | undefined

// A service that gives these replies in order and then repeats the last. `undefined` is a list without the item.
function scriptReplies(replies: readonly Reply[]) {
  const readsMs: number[] = []
  const queries: unknown[] = []
  const next = () => {
    readsMs.push(performance.now())
    const reply = replies[Math.min(readsMs.length, replies.length) - 1]
    if (reply instanceof Error) throw reply
    return reply
  }
  const client = {
    customers: {get: async () => next()},
    transactions: {
      list: async (query: unknown) => {
        queries.push(query)
        const reply = next()
        return {transactions: reply ? [reply] : []}
      },
    },
  } as unknown as Client
  return {client, readsMs, queries}
}

interface WatchEnd {
  value?: LooseTransaction
  failure?: SvcError | undefined
  thrown?: unknown
}

async function runWatch(target: Parameters<typeof watch>[0], timeoutMs?: number) {
  const notices: string[] = []
  const limit = timeoutMs === undefined ? undefined : {timeoutMs, deadlineMs: performance.now() + timeoutMs}
  const settings = {
    format: 'table' as const,
    quiet: false,
    limit,
    notice: (text: string | readonly string[]) => void notices.push([text].flat().join('\n')),
  }
  const ended: WatchEnd = await watch(target, settings).then(
    (result) => result as unknown as ItemResult<LooseTransaction>,
    (thrown: unknown) => ({thrown}),
  )
  return {...ended, notices: notices.map((line) => line.replace(/^\d\d:\d\d:\d\d UTC {2}/, ''))}
}

const id = transactionId(1)
const watchTransaction = (replies: readonly Reply[], reply?: LooseTransaction) => {
  const service = scriptReplies(replies)
  return {...service, target: createTransactionTarget(service.client, id, {}, reply)}
}

describe('watch', () => {
  it('reads after one second, then less often, down to every fifteen seconds, and more often after a change', async () => {
    const still = Array.from({length: 12}, () => transaction(1))
    const {target, readsMs} = watchTransaction([...still, transaction(1, 'SENT'), transaction(1, 'COMPLETED')])
    expect((await runWatch(target)).value).toEqual(transaction(1, 'COMPLETED'))
    const pauses = readsMs.slice(1).map((ms, index) => (ms - (readsMs[index] ?? 0)) / secondMs)
    const longest = [1, 1.5, 2.25, 3.375, 5.1, 7.6, 11.4, 15, 15, 15, 15, 15, 1]
    expect(pauses).toHaveLength(longest.length)
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeLessThanOrEqual(longest[index] ?? 0)
      expect(pause).toBeGreaterThanOrEqual((longest[index] ?? 0) * 0.79)
    }
    expect(new Set(pauses.slice(7, 12).map((pause) => pause.toFixed(3))).size).toBeGreaterThan(1)
  })

  it('reports changes of status, amounts and references, and nothing else', async () => {
    const source = {...transaction(1).source, sourceReferenceId: '0xabc'}
    const {target} = watchTransaction([
      transaction(1, 'CREATED'),
      transaction(1, 'CREATED', {updatedAt: '2026-11-01T12:00:09Z', riskTier: 'gold'}),
      {...transaction(1), transactionStatus: null},
      transaction(1, 'PROCESSING'),
      transaction(1, 'PROCESSING', {source: Object.fromEntries(Object.entries(source).toReversed())}),
      transaction(1, 'PROCESSING', {source}),
      transaction(1, 'COMPLETED', {source}),
    ])
    expect((await runWatch(target)).notices).toEqual([
      `${id} is CREATED`,
      'CREATED → (no status)',
      '(no status) → PROCESSING',
      'PROCESSING\n  FROM REFERENCE 0xabc',
      'PROCESSING → COMPLETED',
    ])
  })

  it('tolerates a service that does not answer, and says so once when it starts and once when it ends', async () => {
    const {target} = watchTransaction([
      transaction(1),
      unreachable(),
      unreachable(),
      transaction(1),
      unreachable(),
      transaction(1, 'COMPLETED'),
    ])
    expect((await runWatch(target)).notices.slice(1)).toEqual([
      'The service is silent; still trying.',
      'It can be read again.',
      'The service is silent; still trying.',
      'It can be read again.',
      'PROCESSING → COMPLETED',
    ])
  })

  // An item that the reply to its write named may be listed late, and is looked for among those of its customer.
  it.each([
    ['ten minutes of silence', 10, 6, [transaction(1), unreachable()], undefined],
    ['ten minutes of lists without it', 10, 5, [undefined], transaction(1, 'CREATED')],
  ] as const)('gives up after %s, with the failure itself', async (_, minutes, exitCode, replies, reply) => {
    const {target, readsMs} = watchTransaction(replies, reply)
    const startedMs = performance.now()
    expect((await runWatch(target)).thrown).toMatchObject({exitCode})
    expect((readsMs.at(-1) ?? 0) - startedMs).toBeGreaterThan(minutes * minuteMs)
    expect((readsMs.at(-1) ?? 0) - startedMs).toBeLessThan((minutes + 0.5) * minuteMs)
  })

  it.each(['refused', 'unauthenticated', 'notFound'] as const)('ends at once on an error of kind %s', async (kind) => {
    const refused = new SvcError({error: 'NO', kind, message: 'No', statusCode: 400})
    const {target, readsMs} = watchTransaction([transaction(1), refused])
    expect((await runWatch(target)).thrown).toBe(refused)
    expect(readsMs).toHaveLength(2)
  })

  it('ends with 8 when the time is up, after one last read, and says what it waited for', async () => {
    const {target, readsMs} = watchTransaction([transaction(1)])
    const startedMs = performance.now()
    const {value, failure} = await runWatch(target, 4 * secondMs)
    expect(value).toEqual(transaction(1))
    expect(failure).toMatchObject({
      error: 'PENDING',
      exitCode: 8,
      message: `Transaction ${id} is still PROCESSING after 4 s: the money is on its way`,
      hint: `Continue with \`svc transactions watch ${id}\``,
    })
    // Pauses differ by chance, so that a usual read may come within the last half second.
    const lastReadMs = (readsMs.at(-1) ?? 0) - startedMs
    expect(lastReadMs).toBeGreaterThanOrEqual(3.5 * secondMs)
    expect(lastReadMs).toBeLessThan(4 * secondMs)
  })

  it('finds a transaction that is listed late, among those of its customer', async () => {
    const late = watchTransaction([undefined, undefined, transaction(1, 'COMPLETED')], transaction(1, 'CREATED'))
    const {notices, value} = await runWatch(late.target)
    expect(value).toEqual(transaction(1, 'COMPLETED'))
    expect(notices[1]).toMatch(/not among the 0 transactions .*; still trying\.$/)
    expect(notices.slice(2)).toEqual(['It can be read again.', 'CREATED → COMPLETED'])
    expect(late.queries[0]).toEqual({customerId: customerId(1), pageSize: 100})
  })

  const needing = (updatedAt: unknown) =>
    customer(1, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION', verificationIssues: [], updatedAt})
  const reviewed = (updatedAt: unknown) => customer(1, {customerStatus: 'UNDER_REVIEW', updatedAt})

  it.each(['submission', 'finalStatus'] as const)('of a %s ignores reads older than the reply to it', async (kind) => {
    const old = needing('2026-11-01T11:59:59Z')
    const active = customer(1, {updatedAt: '2026-11-01T12:00:09.5Z'})
    const {client, readsMs} = scriptReplies([old, old, reviewed('2026-11-01T12:00:00.000Z'), active])
    const {notices, failure, value} = await runWatch(
      createCustomerTarget(kind, client, customerId(1), reviewed('2026-11-01T12:00:00.750Z')),
    )
    expect({failure, value}).toEqual({failure: undefined, value: active})
    expect(notices).toEqual([`${customerId(1)} is UNDER_REVIEW`, 'UNDER_REVIEW → ACTIVE'])
    expect(readsMs).toHaveLength(4)
  })

  it.each([
    ['equal to the second', '2026-11-01T12:00:00.750Z', '2026-11-01T12:00:00Z'],
    ['later', '2026-11-01T12:00:00Z', '2026-11-01T12:00:01Z'],
    ['missing', '2026-11-01T12:00:00Z', null],
    ['unreadable', '2026-11-01T12:00:00Z', 'yesterday'],
    ['missing in the reply to the write', undefined, '2026-11-01T12:00:00Z'],
  ])('accepts a read whose time is %s', async (_, written, read) => {
    const {client, readsMs} = scriptReplies([needing(read)])
    const {failure} = await runWatch(createCustomerTarget('submission', client, customerId(1), reviewed(written)))
    expect(failure).toMatchObject({exitCode: 11})
    expect(readsMs).toHaveLength(1)
  })

  it('accepts a read that stays older for more than a minute, because a clock may be wrong', async () => {
    const {client} = scriptReplies([needing('2026-11-01T11:00:00Z')])
    const startedMs = performance.now()
    const {failure} = await runWatch(
      createCustomerTarget('submission', client, customerId(1), reviewed('2026-11-01T12:00:00Z')),
    )
    expect(failure).toMatchObject({exitCode: 11})
    expect(performance.now() - startedMs).toBeGreaterThan(minuteMs)
    expect(performance.now() - startedMs).toBeLessThan(1.5 * minuteMs)
  })

  it.each([
    ['COMPLETED', undefined],
    ['FAILED', 'TRANSACTION_FAILED'],
    ['CANCELLED', 'TRANSACTION_CANCELLED'],
    ['EXPIRED', 'TRANSACTION_EXPIRED'],
  ])('for a transaction that is %s ends at once', async (status, error) => {
    const {target, readsMs} = watchTransaction([transaction(1, status)])
    const {failure, notices} = await runWatch(target)
    expect(readsMs).toHaveLength(1)
    expect(failure && {error: failure.error, exitCode: failure.exitCode}).toEqual(error && {error, exitCode: 11})
    expect(notices).toEqual(error ? [] : [`Transaction ${id} is already COMPLETED.`])
  })

  it('reports a customer’s new issues in any order, and warns once that nothing was submitted', async () => {
    const issue = (code: string) => ({code, message: `About ${code}`, timestamp: '2026-11-01T12:00:00Z'})
    const [first, second] = [issue('DOC_QUALITY_POOR'), issue('AML_MATCH')]
    const review = (verificationIssues?: unknown) => customer(1, {customerStatus: 'UNDER_REVIEW', verificationIssues})
    const {client} = scriptReplies([
      customer(1, {customerStatus: 'CREATED'}),
      customer(1, {customerStatus: 'CREATED'}),
      review(),
      review([]),
      review([first, second]),
      review([second, first]),
      review([null, second, {...first, timestamp: '2026-11-02T12:00:00Z'}]),
      customer(1, {customerStatus: 'REJECTED', verificationIssues: 'none'}),
    ])
    const {notices, failure} = await runWatch(createCustomerTarget('finalStatus', client, customerId(1)))
    expect(notices).toEqual([
      `${customerId(1)} is CREATED`,
      expect.stringContaining('Nothing happens until a person acts'),
      'CREATED → UNDER_REVIEW',
      'UNDER_REVIEW\n  DOC_QUALITY_POOR: About DOC_QUALITY_POOR\n  AML_MATCH: About AML_MATCH',
      'UNDER_REVIEW\n  DOC_QUALITY_POOR: About DOC_QUALITY_POOR',
      'UNDER_REVIEW → REJECTED',
    ])
    expect(failure).toMatchObject({error: 'CUSTOMER_REJECTED', exitCode: 11})
  })
})
