// Makes the world of a run of payments out of a caller's client: the journal first, then the service and its clock.
import type {Connection} from '../client/send-request.ts'
import type {Client} from '../client/client.ts'
import {journalFile} from '../storage/folders.ts'
import type {SpendingLimits} from './limits.ts'
import {thisProcess} from './owner.ts'
import {quietOf, waitOrTell} from './retry-after.ts'
import {serverClock} from './server-clock.ts'
import {serviceOf} from './service.ts'
import {openJournal} from './journal/sqlite.ts'
import type {Point, PaymentContext} from './context.ts'

// How long a run goes on settling, or waits for another process, unless --timeout says otherwise.
const patienceDefaultMs = 60_000

export interface WorldSettings {
  // Connects to the service. Every reply has to be shown to `onReply`, since its Date is the service's clock.
  connect: (onReply: NonNullable<Connection['onReply']>) => Promise<Client>
  spending?: SpendingLimits | undefined
  mayResend?: boolean | undefined
  // What --timeout says.
  timeoutMs?: number | undefined
  listed?: PaymentContext['listed']
  onHeld?: PaymentContext['onHeld']
  // Told once, when it is not known whether something was paid and that begins to be settled, which may take a while.
  onUnknown?: (() => void) | undefined
  // How it is waited where the service asks to be left alone.
  waitQuietly?: ((ms: number) => Promise<void>) | undefined
  // Whether the journal is written through for many payments at once (see Journal.flush).
  isGrouped?: boolean | undefined
}

export interface OpenWorld extends PaymentContext {
  client: Client
  close(): void
}

// A journal that cannot be used is told before anything is asked of the service.
export async function openWorld(settings: WorldSettings): Promise<OpenWorld> {
  const {connect, spending, mayResend, timeoutMs, listed, onHeld, onUnknown, isGrouped} = settings
  const quiet = quietOf()
  const journal = openJournal(journalFile(), Date.now, {isGrouped})
  const clock = serverClock()
  let isTold = false
  const tellOnce = (point: Point) => {
    if (isTold || (point !== 'unknown' && point !== 'scanned')) return
    isTold = true
    onUnknown?.()
  }
  const patienceEndsAt = performance.now() + (timeoutMs ?? patienceDefaultMs)
  const patienceMs = () => Math.max(0, patienceEndsAt - performance.now())
  try {
    const client = await connect((reply) => {
      clock.hear(reply.headers.get('date'))
      quiet.hear(reply)
    })
    return {
      client,
      service: quiet.around(serviceOf(client), settings.waitQuietly ?? waitOrTell(patienceMs)),
      journal,
      clock,
      owner: thisProcess(),
      spending: spending ?? {},
      mayResend: mayResend ?? true,
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      patienceMs,
      at: (point) => tellOnce(point),
      listed,
      onHeld,
      close: () => journal.close(),
    }
  } catch (error) {
    journal.close()
    throw error
  }
}

// Opened for some work, and closed whatever comes of it.
export async function withWorld<T>(settings: WorldSettings, work: (world: OpenWorld) => Promise<T>): Promise<T> {
  const world = await openWorld(settings)
  try {
    return await work(world)
  } finally {
    world.close()
  }
}
