// A run of a file whose journal breaks at one step: what was not armed is not sent, and what was made and is not recorded is unknown.
import path from 'node:path'
import {expect, it, onTestFinished} from 'vitest'
import {createServerClock} from '../../../../src/payments/protocol/clock.ts'
import type {Service} from '../../../../src/payments/protocol/service.ts'
import {type Journal, JournalUnusable} from '../../../../src/payments/journal/journal.ts'
import {openSqliteJournal} from '../../../../src/payments/journal/open-journal.ts'
import {describeThisProcess} from '../../../../src/payments/journal/owner.ts'
import {Halt, createFailureBudget} from '../../../../src/payouts/run/halt.ts'
import type {PayoutRow} from '../../../../src/payouts/file/rows.ts'
import type {OpenRun} from '../../../../src/payouts/run/run.ts'
import {runSession} from '../../../../src/payouts/run/session.ts'
import {customerId} from '../../../support/service.ts'
import {temporaryFolder} from '../../../support/svc.ts'

const createRow = (index: number): PayoutRow => ({
  line: index + 2,
  key: `row-${index}`,
  content: {
    customerId: customerId(1),
    source: {
      sourcePaymentAccountId: 'wallet',
      sourceCurrency: 'USDC',
      sourcePaymentMethod: 'BASE',
      sourceAmount: '10',
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

// Creates every transaction.
function createScriptedService(sent: string[]): Service {
  let quotes = 0
  const fee = {feeAmount: '0.10', feeUSDAmount: '0.10'}
  return {
    quote: async () => ({
      quoteId: `quote-${++quotes}`,
      expiresAt: new Date(Date.now() + 300_000).toISOString(),
      estimatedExchangeRate: '1',
      destinationAmount: '9.90',
      fees: {feeCurrency: {label: 'USDC'}, svcFee: fee, developerFee: fee},
    }),
    async send(bytes) {
      const {quoteId, correlationId} = JSON.parse(bytes) as {quoteId: string; correlationId: string}
      sent.push(correlationId)
      return {transactionId: `made-${quoteId}`, quoteId, correlationId, transactionStatus: 'CREATED'}
    },
    async *transactions() {
      yield []
    },
  }
}

// A journal whose commits of this state fail.
function openBrokenJournal(state: string, error: Error): Journal {
  const journal = openSqliteJournal(path.join(temporaryFolder(), 'journal.sqlite'))
  onTestFinished(() => journal.close())
  return new Proxy(journal, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown
      return (...args: unknown[]) =>
        name === 'commit' && (args[1] as {state: string}).state === state
          ? Promise.reject(error)
          : method.apply(target, args)
    },
  })
}

async function runRows(journal: Journal, service: Service) {
  const halt = new Halt()
  const context = {
    service,
    journal,
    clock: createServerClock(),
    owner: describeThisProcess(),
    controls: {spending: {}},
    mayResend: true,
    areKeysHonoured: true,
    listLagMaxMs: 6 * 60_000,
    pause: async () => {},
    remainingMs: () => 60_000,
  } as unknown as OpenRun['context']
  const rows = Array.from({length: 12}, (_, index) => createRow(index))
  const run = {context, serviceId: 's', rows, problems: [], known: new Map(), told: new Map(), halt, concurrency: 4}
  const settings = {stopped: [], duplicateWindowMs: 0, resultFile: undefined, notifier: undefined, timeoutMs: undefined}
  const {results} = await runSession(
    {...run, failureBudget: createFailureBudget(halt)},
    {
      ...settings,
      approval: {},
      progress: {isQuiet: true, notice: () => {}},
      isAwaited: false,
      isSandbox: false,
      alert: () => {},
    },
  )
  return {results, reason: halt.reason}
}

it.each([undefined, 'busy'] as const)('stops the run, and says of no row more than is known: %s', async (problem) => {
  const unusable = new JournalUnusable('The journal cannot be written', 'Repair it', undefined, problem)
  const sent: string[] = []
  const unarmed = await runRows(openBrokenJournal('ARMED', unusable), createScriptedService(sent))
  expect([unarmed.reason, sent]).toEqual(['journal', []])
  expect(unarmed.results.every(({state}) => state === 'FAILED' || state === 'NOT_TRIED')).toBe(true)
  const unrecorded = await runRows(openBrokenJournal('CREATED', unusable), createScriptedService(sent))
  expect([unrecorded.reason, sent.length > 0]).toEqual(['journal', true])
  const unknown = unrecorded.results.filter(({state}) => state === 'UNKNOWN')
  expect(unknown).toHaveLength(sent.length)
  for (const row of unknown) {
    expect(row).toMatchObject({transaction: expect.any(String) as string, error: {error: 'OUTCOME_UNKNOWN'}})
    expect(row.error?.message).toContain('but the journal could not record it')
  }
})
