// Opens the context of a run of payments: the journal first, then the service and its clock.
import {setTimeout as sleep} from 'node:timers/promises'
import type {Connection} from '../../client/connection.ts'
import type {Client} from '../../client/client.ts'
import {describeThisProcess} from '../journal/owner.ts'
import {createServerClock} from '../protocol/clock.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {createService, waitWithinLimit} from '../protocol/service.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import {openJournal} from '../journal/open-journal.ts'
import {Throttle} from './throttle.ts'

// How long a run waits for another process, or for a payment to settle, without --timeout.
export const waitDefaultMs = 60_000
// What was sent must be recorded, so a database that broke the connection is waited for even if --timeout is over.
const journalWaitMinMs = 10_000

// How long the journal may take, in a run that may wait for so long.
export const createJournalWait = (remainingMs: () => number) => () => Math.max(journalWaitMinMs, remainingMs())

// A journal that is given is closed by whoever opened it. Without `remainingMs`, the run may wait for --timeout from now on.
type OwnParts = 'controls' | 'journal' | 'remainingMs' | 'onListProgress' | 'onHeld' | 'onContentChanged'

export type PaymentContextSettings = {[Part in OwnParts]?: PaymentContext[Part] | undefined} & {
  // Connects to the service. Every reply must be passed to `onReply`, because its Date header is the service's clock.
  connect: (onReply: NonNullable<Connection['onReply']>) => Promise<Client>
  traits: ServiceTraits
  // The value of --timeout.
  timeoutMs?: number | undefined
  // The value of --wait: without --timeout, a payment whose outcome is unknown is waited for until it is settled.
  waits?: boolean | undefined
  // Told once that svc starts to settle an unknown payment, which may take a while.
  onUnknown?: ((text: string) => void) | undefined
  // Waits for the time that the service asked for with Retry-After.
  waitForRetry?: ((ms: number) => Promise<void>) | undefined
}

export interface OpenPaymentContext extends PaymentContext {
  client: Client
  close(): Promise<void>
}

// An unusable journal is reported before any request is sent.
export async function openPaymentContext(settings: PaymentContextSettings): Promise<OpenPaymentContext> {
  const {connect, controls = {}, traits, timeoutMs, onListProgress, onHeld, onContentChanged} = settings
  const {profileName, areKeysHonoured, listLagMaxMs} = traits
  const endsAt = performance.now() + (timeoutMs ?? waitDefaultMs)
  const {remainingMs = () => Math.max(0, endsAt - performance.now())} = settings
  const waitMs = createJournalWait(remainingMs)
  const journal = settings.journal ?? (await openJournal(traits.journal, {waitMs}))
  const close = async () => {
    if (!settings.journal) await journal.close()
  }
  const clock = createServerClock()
  const throttle = new Throttle()
  let {onUnknown} = settings
  const onAction: PaymentContext['onAction'] = (_, {state}) => {
    if (state !== 'UNKNOWN') return
    onUnknown?.(
      `The outcome of the payment is unknown; svc looks for it at the service ${settings.waits ? 'until it is known' : 'for a minute'}, or for --timeout.`,
    )
    onUnknown = undefined
  }
  try {
    const client = await connect((reply) => {
      clock.observeDate(reply.headers.get('date'))
      throttle.observe(reply)
    })
    return {
      client,
      service: throttle.wrap(createService(client), settings.waitForRetry ?? waitWithinLimit(remainingMs)),
      journal,
      clock,
      owner: describeThisProcess(),
      controls,
      profileName,
      mayResend: areKeysHonoured,
      areKeysHonoured,
      listLagMaxMs,
      onListProgress,
      pause: (ms) => sleep(ms),
      remainingMs,
      waitsToSettle: settings.waits === true && timeoutMs === undefined,
      onAction,
      onHeld,
      onContentChanged,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

export async function withPaymentContext<T>(
  settings: PaymentContextSettings,
  work: (context: OpenPaymentContext) => Promise<T>,
): Promise<T> {
  const context = await openPaymentContext(settings)
  try {
    return await work(context)
  } finally {
    await context.close()
  }
}
