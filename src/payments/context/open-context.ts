// Opens the context of a run of payments: the journal first, then the service and its clock.
import {setTimeout as sleep} from 'node:timers/promises'
import type {AddNames} from '../../accounts/name-columns.ts'
import type {PaymentReview} from '../../cli/config.ts'
import type {Result} from '../../cli/output/result.ts'
import {startProgress} from '../../cli/output/streams.ts'
import type {WatchTarget} from '../../cli/watch/watch.ts'
import type {Client} from '../../client/client.ts'
import type {Connection} from '../../client/connection.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import type {Journal} from '../journal/journal.ts'
import {openJournal} from '../journal/open-journal.ts'
import {describeThisProcess} from '../journal/owner.ts'
import {createServerClock} from '../protocol/clock.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {CustomerLists} from '../protocol/lists.ts'
import {getLastAttempt} from '../protocol/payment.ts'
import {createService, waitWithinLimit} from '../protocol/service.ts'
import type {SlotTime} from '../pay/slots.ts'
import {Throttle} from './throttle.ts'

// The time that a run waits for another process, or for a payment to settle, without --timeout.
const waitDefaultMs = 60_000
// Requests that were sent must be recorded, so a database that broke the connection is waited for
// even if --timeout is over.
const journalWaitMinMs = 10_000

// The time that a run may take: the value of --timeout, or a default without which nothing would
// end.
class Deadline {
  // The time by which requests must have their answers, as performance.now() counts.
  atMs: number | undefined
  #endsAtMs = 0
  readonly #timeoutMs: number | undefined
  readonly #signal: AbortSignal | undefined

  // A signal ends the time at once. A request that is under way gets its answer.
  constructor(timeoutMs: number | undefined, signal: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs
    this.#signal = signal
    this.restart()
    signal?.addEventListener('abort', () => this.restart(), {once: true})
  }

  // Starts the time anew.
  restart(): void {
    this.#set(this.#timeoutMs)
  }

  // Stops the time while a person is asked, who may take longer than the service is given.
  suspend(): void {
    this.#set(undefined)
  }

  leftMs(): number {
    return Math.max(0, this.#endsAtMs - performance.now())
  }

  #set(timeoutMs: number | undefined): void {
    const limitMs = this.#signal?.aborted ? 0 : timeoutMs
    this.atMs = limitMs === undefined ? undefined : performance.now() + limitMs
    this.#endsAtMs = performance.now() + (limitMs ?? waitDefaultMs)
  }
}

export interface PaymentContextSettings {
  // Connects to the service. Every reply must be passed to `onReply`, because its Date header is
  // the service's clock.
  connect: (onReply: NonNullable<Connection['onReply']>, deadline?: Deadline) => Promise<Client>
  traits: ServiceTraits
  controls?: PaymentContext['controls'] | undefined
  // Called with the journal before the service is connected to. Throws if nothing may be sent.
  bind?: ((journal: Journal) => Promise<void>) | undefined
  // The value of --timeout.
  timeoutMs?: number | undefined
  // The value of --wait: without --timeout, a payment whose outcome is unknown is waited for until
  // it is settled.
  waits?: boolean | undefined
  // Ends the time for requests at once. A request that is under way gets its answer.
  signal?: AbortSignal | undefined
  // Tells a person what the run does. An alert is shown even with --quiet.
  notice?: ((text: string) => void) | undefined
  alert?: ((text: string) => void) | undefined
  // Waits for the time that the service asked for with Retry-After.
  waitForRetry?: ((ms: number) => Promise<void>) | undefined
  // Called with the number of transactions that were read of a list so far.
  onListProgress?: ((count: number) => void) | undefined
}

export interface OpenPaymentContext extends PaymentContext {
  client: Client
  deadline: Deadline
  close(): Promise<void>
}

// The knowledge of a run of `svc pay`: who pays, what the run may do, and how it speaks to a
// person.
export interface PayRun extends OpenPaymentContext {
  caller: Caller
  traits: ServiceTraits
  flags: {
    file?: string | undefined
    'dry-run': boolean
    'allow-duplicates': boolean
    guarantee?: boolean | undefined
    wait: boolean
    yes: boolean
  }
  slot: SlotTime
  isInteractive: boolean
  // Present if svc pays for a program, which has a person approve the price.
  review?: PaymentReview | undefined
  notice: (text: string) => void
  alert: (text: string) => void
  // Names the payee in what a person reads on a screen.
  addNames: AddNames
  watch: (target: WatchTarget<object>, deadlineMs: number | undefined) => Promise<Result>
  // Lets the payment pass the gate for writes, after a person or --yes said so.
  authorize: (yes: boolean) => Promise<void>
}

// Says once that svc starts to settle an unknown payment, which may take a while. A refusal is also
// looked up in the list before it is believed, but is reported as a refusal.
function createUnknownNotice({notice, waits}: PaymentContextSettings): PaymentContext['onAction'] {
  let isTold = false
  return (_, payment) => {
    if (isTold || payment.state !== 'UNKNOWN' || getLastAttempt(payment)?.refused?.isConfirmed === false) return
    const until = waits ? 'until it is known' : 'for up to a minute'
    notice?.(`Whether it was paid is unknown; svc looks for it ${until}, or --timeout.`)
    isTold = true
  }
}

// An unusable journal is reported before any request is sent.
export async function openPaymentContext(settings: PaymentContextSettings): Promise<OpenPaymentContext> {
  const {traits, timeoutMs, signal, notice, alert} = settings
  const {profileName, areKeysHonoured, listLagMaxMs} = traits
  const deadline = new Deadline(timeoutMs, signal)
  const remainingMs = () => deadline.leftMs()
  const journal = await openJournal(traits.journal, {waitMs: () => Math.max(journalWaitMinMs, remainingMs())})
  const clock = createServerClock()
  const throttle = new Throttle()

  try {
    await settings.bind?.(journal)

    const client = await settings.connect((reply) => {
      clock.observeDate(reply.headers.get('date'))
      throttle.observe(reply)
    }, deadline)
    const service = throttle.wrap(createService(client), settings.waitForRetry ?? waitWithinLimit(remainingMs))
    const {onListProgress} = settings

    return {
      client,
      service,
      lists: new CustomerLists({service, journal, memory: journal, clock, listLagMaxMs, onListProgress}),
      journal,
      clock,
      owner: describeThisProcess(),
      controls: settings.controls ?? {},
      profileName,
      mayResend: areKeysHonoured,
      areKeysHonoured,
      listLagMaxMs,
      onListProgress,
      pause: (ms) => sleep(ms),
      remainingMs,
      waitsToSettle: settings.waits === true && timeoutMs === undefined,
      onAction: createUnknownNotice(settings),
      onHeld: ({key}, {pid, host}) =>
        notice?.(`Another process (${pid} on ${host}) is working on the payment ${key}; waiting for it.`),
      // The key now stands for another payment than before.
      onContentChanged: ({key}, changes) =>
        alert?.(
          `The payment ${key} is not as in an earlier run, which paid nothing for it (${changes.join('; ')}); svc pays it as it is now`,
        ),
      deadline,
      close: () => journal.close(),
    }
  } catch (error) {
    await journal.close()
    throw error
  }
}

// Opens the context for one command, with a line that shows how far a long list was read.
export async function withPaymentContext<T>(
  settings: PaymentContextSettings,
  work: (context: OpenPaymentContext) => Promise<T>,
): Promise<T> {
  const progress = startProgress()
  const onListProgress = (count: number) => progress.report(`${count} transactions read…`)
  const context = await openPaymentContext({...settings, onListProgress})
  try {
    return await work(context)
  } finally {
    progress.end()
    await context.close()
  }
}
