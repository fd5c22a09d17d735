// Probes a scripted service on its own clock: nothing waits in real time, and a run can be stopped at any moment.
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {createClient} from '../../src/client/client.ts'
import {createWireFetch} from '../../src/client/http.ts'
import type {PaymentContent} from '../../src/payments/protocol/payment.ts'
import type {Checkpoint} from '../../src/probe/context.ts'
import {type ProbeFindings, buildFindings} from '../../src/probe/report.ts'
import {openProbe} from '../../src/probe/open-probe.ts'
import {type ProbeState, createProbeState} from '../../src/probe/probe-state.ts'
import {runProbe} from '../../src/probe/run-probe.ts'
import type {SpendingLimits} from '../../src/controls/limits.ts'
import {type PaymentService, servePayments} from '../support/scripted-service.ts'
import {temporaryFolder} from '../support/svc.ts'
import {seeded} from '../support/transactions.ts'

const latencyMs = 20

// No test loses a reply by silence, so nothing waits for this, however busy the machine is.
const requestTimeoutMs = 600_000

const serviceId = 'https://api.example.com'

const content = {
  customerId: seeded.customer,
  source: {
    sourcePaymentAccountId: seeded.wallet,
    sourceCurrency: 'USDC',
    sourcePaymentMethod: 'SOLANA',
    sourceAmount: '1.00',
  },
  destination: {
    destinationPaymentAccountId: seeded.externalWallet,
    destinationCurrency: 'USDC',
    destinationPaymentMethod: 'SOLANA',
  },
} as PaymentContent

// Stands for kill -9: nothing after it runs.
export class Killed extends Error {
  override name = 'Killed'
}

interface RunOptions {
  isQuick?: boolean
  timeoutMs?: number
  spending?: SpendingLimits
  checkpoint?: (name: Checkpoint) => void
}

export interface Stage {
  service: PaymentService
  journalFile: string
  // The state as it is on disk.
  saved: () => ProbeState | undefined
  run: (options?: RunOptions) => Promise<ProbeFindings>
  listSpent: () => string[]
}

// A stopped clock is that of a service whose quotes never expire.
export async function createStage(
  changes: Parameters<typeof servePayments>[0] = {},
  {isClockStopped = false} = {},
): Promise<Stage> {
  const service = await servePayments(changes)
  service.clock.freeze()
  // The Date header has whole seconds, so what is measured of it depends on when in a second the probe begins.
  service.clock.advance(1_000 - (service.clock.now() % 1_000))
  const journalFile = path.join(temporaryFolder(), 'journal.sqlite')
  let saved: string | undefined
  let aheadMs = 0
  const time = {
    now: () => service.clock.now() + aheadMs,
    async sleep(ms: number) {
      if (isClockStopped) aheadMs += ms
      else service.clock.advance(ms)
    },
  }
  const getSaved = () => (saved === undefined ? undefined : (JSON.parse(saved) as ProbeState))
  return {
    service,
    journalFile,
    saved: getSaved,
    listSpent: () => {
      const database = new DatabaseSync(journalFile, {readOnly: true})
      const rows = database.prepare('select amount from reservations where serviceId = ?').all(serviceId)
      database.close()
      return rows.map(({amount}) => String(amount))
    },
    async run({isQuick = false, timeoutMs, spending, checkpoint} = {}) {
      const state = getSaved() ?? createProbeState(serviceId, content, time.now())
      const context = await openProbe({
        journal: {text: journalFile},
        connect: async (onReply) =>
          createClient({
            baseUrl: service.url,
            fetch: createWireFetch({}),
            credential: async () => 'test-key',
            renewable: false,
            callerLabel: 'a test',
            userAgent: 'svc/test',
            requestTimeoutMs,
            gate: {enforce: () => {}},
            retriesReads: false,
            onReply(reply) {
              // Each request takes its time.
              if (!isClockStopped) service.clock.advance(latencyMs)
              onReply(reply)
            },
          }),
        file: {save: (value) => void (saved = JSON.stringify(value))},
        state,
        controls: {spending},
        isQuick,
        timeoutMs,
        checkpoint,
        time,
      })
      try {
        await runProbe(context)
        return buildFindings(state, time.now(), context.obstacles)
      } finally {
        await context.close()
      }
    },
  }
}
