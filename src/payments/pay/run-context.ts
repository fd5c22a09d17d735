// One run of `svc pay`: who pays, what the run may do, how it speaks to a person, and what it pays with.
import type {AddNames} from '../../accounts/name-columns.ts'
import type {PaymentReview} from '../../cli/config.ts'
import type {Result} from '../../cli/output/result.ts'
import {startProgress} from '../../cli/output/streams.ts'
import type {WatchTarget} from '../../cli/watch/watch-target.ts'
import type {Client} from '../../client/client.ts'
import type {Connection} from '../../client/connection.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import type {Body} from '../../values/body-paths.ts'
import type {Journal} from '../journal/journal.ts'
import {openJournal} from '../journal/open-journal.ts'
import {type OpenPaymentContext, createJournalWait, openPaymentContext, waitDefaultMs} from './open-context.ts'
import type {SlotTime} from './slots.ts'

// What the command knows.
export interface RunSettings {
  caller: Caller
  traits: ServiceTraits
  flags: {
    file?: string | undefined
    'dry-run': boolean
    'allow-duplicates': boolean
    guarantee?: boolean | undefined
    timeout?: number | undefined
    wait: boolean
    yes: boolean
  }
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
  // Binds the caller to the policy in the journal, and throws if it may not pay, before the service is asked for anything.
  bind: (journal: Journal) => Promise<void>
  // Lets the payment pass the gate for writes, after a person or --yes said so.
  authorize: (yes: boolean) => Promise<void>
  createClient: (options: {
    onReply: NonNullable<Connection['onReply']>
    deadline: {readonly atMs?: number | undefined}
  }) => Promise<Client>
}

export interface Run extends RunSettings {
  context: OpenPaymentContext
  // By when requests must have their answers.
  deadline: {atMs?: number | undefined}
  // From now on --timeout counts anew. While a person is asked it does not count: they may take longer than the service is given.
  restartTimeout(this: void, isAsking: boolean): void
}

export async function withRun(settings: RunSettings, work: (run: Run) => Promise<Result>): Promise<Result> {
  const {caller, traits, flags, isInteractive, notice, alert, createClient} = settings
  const deadline: Run['deadline'] = {}
  let waitEndsAt = 0
  const restartTimeout = (isAsking: boolean) => {
    const limitMs = isAsking ? undefined : flags.timeout
    deadline.atMs = limitMs && performance.now() + limitMs
    waitEndsAt = performance.now() + (limitMs ?? waitDefaultMs)
  }
  restartTimeout(isInteractive)
  const remainingMs = () => Math.max(0, waitEndsAt - performance.now())
  const progress = startProgress()
  const journal = await openJournal(traits.journal, {waitMs: createJournalWait(remainingMs)})
  try {
    await settings.bind(journal)
    const context = await openPaymentContext({
      controls: caller,
      traits,
      timeoutMs: flags.timeout,
      waits: flags.wait,
      connect: (onReply) => createClient({onReply, deadline}),
      journal,
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
    return await work({...settings, context, deadline, restartTimeout})
  } finally {
    progress.end()
    await journal.close()
  }
}

// What is to be paid, when nothing is missing.
export interface CompletedPlan {
  fields: Body
  // The quote of a person's answers. Absent if the service could not be reached.
  quote?: LooseQuote | undefined
  // Asks the last question again, with the answers so far. Absent if nothing was asked.
  askAgain?: (() => Promise<CompletedPlan>) | undefined
}
