// One run of `svc pay`: who pays, what the run may do, and how it speaks to a person.
import type {AddNames} from '../../accounts/name-columns.ts'
import type {PaymentReview} from '../../cli/config.ts'
import type {Result} from '../../cli/output/result.ts'
import {startProgress} from '../../cli/output/streams.ts'
import type {WatchTarget} from '../../cli/watch/watch-target.ts'
import type {Client} from '../../client/client.ts'
import type {Connection} from '../../client/connection.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import type {Journal} from '../journal/journal.ts'
import {openJournal} from '../journal/open-journal.ts'
import {type OpenPaymentContext, createJournalWait, openPaymentContext, waitDefaultMs} from './open-context.ts'
import type {SlotTime} from './slots.ts'

interface PayFlags {
  file?: string | undefined
  'write-plan'?: string | undefined
  'on-result'?: string | undefined
  'dry-run': boolean
  'allow-duplicates': boolean
  guarantee?: boolean | undefined
  timeout?: number | undefined
  wait: boolean
  yes: boolean
}

interface RunSettings {
  // Bound to the policy.
  caller: Caller
  traits: ServiceTraits
  flags: PayFlags
  slot: SlotTime
  isInteractive: boolean
  // Present if svc pays for a program, which has a person approve the price.
  review?: PaymentReview | undefined
  notice: (text: string) => void
  // Shown even with --quiet.
  alert: (text: string) => void
  // Names the payee in what a person reads on a screen.
  addNames: AddNames
  watch: (target: WatchTarget<object>, deadlineMs: number | undefined) => Promise<Result>
  // Lets the payment pass the gate for writes, after a person or --yes said so.
  authorize: (yes: boolean) => Promise<void>
  createClient: (options: {
    onReply: NonNullable<Connection['onReply']>
    deadline: {readonly atMs?: number | undefined}
  }) => Promise<Client>
}

export interface Run extends RunSettings {
  // By when requests must have their answers.
  deadline: {atMs?: number | undefined}
  openJournal(this: void): Promise<Journal>
  // From now on --timeout counts anew. While a person is asked it does not count: they may take longer than the service is given.
  open(this: void, options?: {isAsking?: boolean}): Promise<OpenPaymentContext>
  close(this: void): Promise<void>
}

// The journal and the service are opened once, when they are first needed.
export function createRun(settings: RunSettings): Run {
  const {caller, traits, flags, notice, alert, createClient} = settings
  const deadline: Run['deadline'] = {}
  const progress = startProgress()
  let waitEndsAt = 0
  let journal: Promise<Journal> | undefined
  let context: Promise<OpenPaymentContext> | undefined
  const remainingMs = () => Math.max(0, waitEndsAt - performance.now())
  const openRunJournal = () => (journal ??= openJournal(traits.journal, {waitMs: createJournalWait(remainingMs)}))
  const connect = async () =>
    openPaymentContext({
      controls: caller,
      traits,
      timeoutMs: flags.timeout,
      waits: flags.wait,
      connect: (onReply) => createClient({onReply, deadline}),
      journal: await openRunJournal(),
      remainingMs,
      onUnknown: notice,
      onHeld: ({key}, {pid, host}) =>
        notice(`Another process (${pid} on ${host}) is working on the payment ${key}; waiting for it.`),
      // The key now stands for another payment than before.
      onContentChanged: ({key}, changes) =>
        alert(
          `The payment ${key} is not as in an earlier run, which paid nothing for it (${changes.join('; ')}); svc pays it as it is now`,
        ),
      onListProgress: (count) => progress.report(`${count} of the customer’s transactions read…`),
    })
  return {
    ...settings,
    deadline,
    openJournal: openRunJournal,
    open({isAsking = false} = {}) {
      const limitMs = isAsking ? undefined : flags.timeout
      deadline.atMs = limitMs && performance.now() + limitMs
      waitEndsAt = performance.now() + (limitMs ?? waitDefaultMs)
      context ??= connect()
      return context
    },
    async close() {
      progress.end()
      const opened = await journal?.catch(() => undefined)
      await opened?.close()
    },
  }
}
