// Makes the world of a run of payments out of a caller's client: the journal first, then the service and its clock.
import type {Connection} from '../client/connection.ts'
import type {Client} from '../client/client.ts'
import {journalFile} from '../storage/folders.ts'
import type {SpendingLimits} from './limits.ts'
import {describeThisProcess} from './lease-owner.ts'
import {createRetryAfterGate, waitWithinLimit} from './retry-after.ts'
import {createServerClock} from './server-clock.ts'
import {createService} from './service.ts'
import {openJournal} from './journal/sqlite-journal.ts'
import type {Checkpoint, PaymentContext} from './context.ts'

// How long a run goes on settling, or waits for another process, unless --timeout says otherwise.
const waitDefaultMs = 60_000

export interface PaymentContextSettings {
  // Connects to the service. Every reply has to be shown to `onReply`, since its Date is the service's clock.
  connect: (onReply: NonNullable<Connection['onReply']>) => Promise<Client>
  spending?: SpendingLimits | undefined
  mayResend?: boolean | undefined
  // What --timeout says.
  timeoutMs?: number | undefined
  findListed?: PaymentContext['findListed']
  onHeld?: PaymentContext['onHeld']
  // Told once, when it is not known whether something was paid and that begins to be settled, which may take a while.
  onUnknown?: (() => void) | undefined
  // How it is waited where the service asks to be left alone.
  waitForRetry?: ((ms: number) => Promise<void>) | undefined
  // Whether the journal is written through for many payments at once (see Journal.flush).
  isGrouped?: boolean | undefined
}

export interface OpenPaymentContext extends PaymentContext {
  client: Client
  close(): void
}

// A journal that cannot be used is told before anything is asked of the service.
export async function openPaymentContext(settings: PaymentContextSettings): Promise<OpenPaymentContext> {
  const {connect, spending, mayResend, timeoutMs, findListed, onHeld, onUnknown, isGrouped} = settings
  const retryAfter = createRetryAfterGate()
  const journal = openJournal(journalFile(), Date.now, {isGrouped})
  const clock = createServerClock()
  let isNotified = false
  const notifyOnce = (point: Checkpoint) => {
    if (isNotified || (point !== 'unknown' && point !== 'scanned')) return
    isNotified = true
    onUnknown?.()
  }
  const endsAt = performance.now() + (timeoutMs ?? waitDefaultMs)
  const remainingMs = () => Math.max(0, endsAt - performance.now())
  try {
    const client = await connect((reply) => {
      clock.observeDate(reply.headers.get('date'))
      retryAfter.observe(reply)
    })
    return {
      client,
      service: retryAfter.wrap(createService(client), settings.waitForRetry ?? waitWithinLimit(remainingMs)),
      journal,
      clock,
      owner: describeThisProcess(),
      spending: spending ?? {},
      mayResend: mayResend ?? true,
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      remainingMs,
      checkpoint: (point) => notifyOnce(point),
      findListed,
      onHeld,
      close: () => journal.close(),
    }
  } catch (error) {
    journal.close()
    throw error
  }
}

// Opened for some work, and closed whatever comes of it.
export async function withPaymentContext<T>(
  settings: PaymentContextSettings,
  work: (context: OpenPaymentContext) => Promise<T>,
): Promise<T> {
  const context = await openPaymentContext(settings)
  try {
    return await work(context)
  } finally {
    context.close()
  }
}
