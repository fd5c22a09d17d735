// The run of a batch: what is on disk before something is sent, what is read once, and how a failing service is handled.
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {SvcError} from '../../../src/errors.ts'
import {createServerClock} from '../../../src/payments/protocol/clock.ts'
import type {PaymentContext} from '../../../src/payments/protocol/context.ts'
import {deriveCorrelationId} from '../../../src/payments/protocol/payment.ts'
import type {Service} from '../../../src/payments/protocol/service.ts'
import {type Journal, JournalUnusable} from '../../../src/payments/journal/journal.ts'
import {describeThisProcess} from '../../../src/payments/journal/owner.ts'
import {Halt, createFailureBudget, waitForRetryAfter} from '../../../src/payouts/run/halt.ts'
import {Throttle} from '../../../src/payments/pay/throttle.ts'
import {type PayoutResult, readPayments, tellOutcome} from '../../../src/payouts/run/result.ts'
import type {PayoutRow} from '../../../src/payouts/file/rows.ts'
import type {OpenRun} from '../../../src/payouts/run/run.ts'
import {runSession} from '../../../src/payouts/run/session.ts'
import {openSqliteJournal} from '../../../src/payments/journal/open-journal.ts'
import {customerId} from '../../support/service.ts'
import {temporaryFolder} from '../../support/svc.ts'

const serviceId = 'https://service.example'

const createRow = (index: number, amount = '10'): PayoutRow => ({
  line: index + 2,
  key: `row-${index}`,
  content: {
    customerId: customerId(1),
    source: {
      sourcePaymentAccountId: 'wallet',
      sourceCurrency: 'USDC',
      sourcePaymentMethod: 'BASE',
      sourceAmount: amount,
    },
    destination: {
      destinationPaymentAccountId: 'bank',
      destinationPaymentMethod: 'ACH',
      destinationCurrency: 'USD',
    },
  },
  limits: {},
  isGuaranteed: false,
})

const createRows = (count: number) => Array.from({length: count}, (_, index) => createRow(index))

// A service that creates every transaction, and records it in `events`.
function createScriptedService(events: string[], more: Partial<Service> = {}): Service {
  let quotes = 0
  return {
    async quote() {
      const fee = {feeAmount: '0.10', feeUSDAmount: '0.10'}
      return {
        quoteId: `quote-${++quotes}`,
        expiresAt: new Date(Date.now() + 300_000).toISOString(),
        estimatedExchangeRate: '1',
        destinationAmount: '9.90',
        fees: {feeCurrency: {label: 'USDC'}, svcFee: fee, developerFee: {...fee, feeAmount: '0'}},
      }
    },
    async send(bytes) {
      const {quoteId, correlationId} = JSON.parse(bytes) as {quoteId: string; correlationId: string}
      events.push(`send ${correlationId}`)
      return {transactionId: `made-${quoteId}`, quoteId, correlationId, transactionStatus: 'CREATED'}
    },
    async *transactions() {
      events.push('list')
      yield []
    },
    ...more,
  }
}

// The real journal, which records in `events` when a commit is asked for and when it is written.
function openRecordedJournal(events: string[]): Journal {
  const journal = openSqliteJournal(path.join(temporaryFolder(), 'journal.sqlite'))
  onTestFinished(() => journal.close())
  return new Proxy(journal, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown
      return async (...args: unknown[]) => {
        const result = await method.apply(target, args)
        if (name === 'commit') {
          const {key, state} = args[1] as {key: string; state: string}
          events.push(`${state} ${deriveCorrelationId(serviceId, key)}`)
        }
        return result
      }
    },
  })
}

// Its commits of this state fail.
const breakCommits = (journal: Journal, state: string, error: Error): Journal =>
  new Proxy(journal, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown
      if (name !== 'commit') return method
      return (...args: unknown[]) =>
        (args[1] as {state: string}).state === state ? Promise.reject(error) : method.apply(target, args)
    },
  })

const createContext = (
  service: Service,
  journal: Journal,
  spending: PaymentContext['controls']['spending'] = {},
): PaymentContext => ({
  service,
  journal,
  clock: createServerClock(),
  owner: describeThisProcess(),
  controls: {spending},
  mayResend: true,
  areKeysHonoured: true,
  listLagMaxMs: 6 * 60_000,
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  remainingMs: () => 60_000,
})

async function runRows(
  context: PaymentContext,
  rows: readonly PayoutRow[],
  {
    halt = new Halt(),
    concurrency = 4,
    onEnd,
  }: {halt?: Halt; concurrency?: number; onEnd?: (result: PayoutResult) => void} = {},
) {
  const failureBudget = createFailureBudget(halt)
  const known = await readPayments(context.journal, serviceId, rows)
  const told = new Map(rows.map((row) => [row.key, tellOutcome(row, known.get(row.key))]))
  const run = {context: context as OpenRun['context'], serviceId, rows, known, told, problems: [], halt}
  const {results} = await runSession(
    {...run, failureBudget, concurrency},
    {
      stopped: [],
      resultFile: undefined,
      notifier: undefined,
      progress: {isQuiet: true, notice: () => {}},
      isSilent: false,
      timeoutMs: undefined,
      wait: undefined,
      onResult: onEnd,
      alert: () => {},
    },
  )
  return {results, halt}
}

describe('a batch', () => {
  it('sends nothing before the armed row is written, and reports nothing before the created row is', async () => {
    const events: string[] = []
    const context = createContext(createScriptedService(events), openRecordedJournal(events))
    const {results} = await runRows(context, createRows(40), {
      onEnd: ({key}) => void events.push(`end ${deriveCorrelationId(serviceId, key)}`),
    })
    expect(results).toHaveLength(40)
    for (const key of createRows(40).map((row) => deriveCorrelationId(serviceId, row.key))) {
      const steps = events.flatMap((event) => (event.endsWith(` ${key}`) ? [event.split(' ')[0]] : []))
      expect(steps).toEqual(['QUOTED', 'ARMED', 'send', 'CREATED', 'end'])
    }
  })

  it('sends nothing if the journal cannot be written, and ends', async () => {
    const events: string[] = []
    const unusable = new JournalUnusable('The journal cannot be written', 'Repair it')
    const broken = breakCommits(openRecordedJournal(events), 'ARMED', unusable)
    const {results, halt} = await runRows(createContext(createScriptedService(events), broken), createRows(12))
    expect(halt.reason).toBe('journal')
    expect(events.filter((event) => event.startsWith('send '))).toEqual([])
    expect(new Set(results.map(({state}) => state))).toEqual(new Set(['FAILED', 'NOT_TRIED']))
  })

  it.each([undefined, 'busy'] as const)(
    'calls rows unknown that were made but cannot be recorded: %s',
    async (problem) => {
      const unusable = new JournalUnusable('The journal cannot be written', 'Repair it', undefined, {problem})
      const broken = breakCommits(openRecordedJournal([]), 'CREATED', unusable)
      const {results, halt} = await runRows(createContext(createScriptedService([]), broken), createRows(1))
      expect(halt.reason).toBe('journal')
      expect(results).toEqual([
        expect.objectContaining({
          state: 'UNKNOWN',
          transaction: expect.any(String) as string,
          error: {
            error: 'OUTCOME_UNKNOWN',
            message: expect.stringContaining(
              'but the journal could not record it: The journal cannot be written',
            ) as string,
          },
        }),
      ])
    },
  )

  it('reads the list of a customer again only if it could not be read', async () => {
    const events: string[] = []
    let isFirst = true
    const service = createScriptedService(events, {
      async *transactions() {
        events.push('list')
        if (isFirst) {
          isFirst = false
          throw new SvcError({error: 'X', kind: 'unreachable', message: 'not now'})
        }
        yield []
      },
    })
    const {results} = await runRows(createContext(service, openRecordedJournal(events)), createRows(6), {
      concurrency: 1,
    })
    expect(results.map(({state}) => state)).toEqual(['UNKNOWN', ...Array.from({length: 5}, () => 'CREATED')])
    expect(events.filter((event) => event === 'list')).toHaveLength(2)
  })

  it('reports earlier payments from the journal, whether or not the service answers', async () => {
    const events: string[] = []
    const journal = openRecordedJournal(events)
    await runRows(createContext(createScriptedService(events), journal), createRows(3))
    const silent = createScriptedService(events, {
      transactions: () => ({
        [Symbol.asyncIterator]: () => ({
          next() {
            events.push('silent')
            return Promise.reject(new SvcError({error: 'X', kind: 'unreachable', message: 'not now'}))
          },
        }),
      }),
    })
    const {results} = await runRows(createContext(silent, journal), createRows(3), {concurrency: 1})
    expect(results.map(({state, fee}) => [state, fee])).toEqual(Array.from({length: 3}, () => ['CREATED', '0.10']))
    expect(events.filter((event) => event === 'silent')).toHaveLength(1)
  })

  it('applies the limits of the profile to all rows together', async () => {
    const context = createContext(createScriptedService([]), openRecordedJournal([]), {dayMax: {USDC: '35'}})
    const {results} = await runRows(context, createRows(6))
    expect(results.filter(({state}) => state === 'CREATED')).toHaveLength(3)
    expect(results.filter(({state}) => state === 'STOPPED')).toHaveLength(3)
  })

  it('waits as long as Retry-After asks', async () => {
    const gate = new Throttle()
    const service = gate.wrap(createScriptedService([]), waitForRetryAfter(new Halt()))
    gate.observe({status: 429, headers: {get: (name) => (name === 'retry-after' ? '1' : null)}})
    const startedAt = performance.now()
    await service.quote(createRow(1).content, false)
    expect(performance.now() - startedAt).toBeGreaterThan(950)
  })
})
