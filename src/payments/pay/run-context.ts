// One run of `svc pay`: who pays, what the run may do, how it speaks to a person, and what it pays with.
import type {AddNames} from '../../accounts/name-columns.ts'
import type {PaymentReview} from '../../cli/config.ts'
import type {Result} from '../../cli/output/result.ts'
import {startProgress} from '../../cli/output/streams.ts'
import type {WatchTarget} from '../../cli/watch/watch.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {Body} from '../../values/body-paths.ts'
import {type OpenPaymentContext, type PaymentContextSettings, withPaymentContext} from './open-context.ts'
import type {SlotTime} from './slots.ts'

// What the command knows.
export interface RunSettings extends Pick<PaymentContextSettings, 'bind' | 'connect' | 'traits'> {
  caller: Caller
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
  // Lets the payment pass the gate for writes, after a person or --yes said so.
  authorize: (yes: boolean) => Promise<void>
}

export interface Run extends RunSettings {
  context: OpenPaymentContext
}

// What is to be paid, when nothing is missing.
export interface CompletedPlan {
  fields: Body
  // The quote of a person's answers. Absent if the service could not be reached.
  quote?: LooseQuote | undefined
  // Whether a person was asked for some of it.
  wasAsked?: boolean
}

export async function withRun(settings: RunSettings, work: (run: Run) => Promise<Result>): Promise<Result> {
  const {caller, flags, isInteractive, notice, alert, bind, connect, traits} = settings
  const progress = startProgress()
  const opening: PaymentContextSettings = {
    bind,
    connect,
    traits,
    controls: caller,
    timeoutMs: flags.timeout,
    waits: flags.wait,
    onUnknown: notice,
    onHeld: ({key}, {pid, host}) =>
      notice(`Another process (${pid} on ${host}) is working on the payment ${key}; waiting for it.`),
    // The key now stands for another payment than before.
    onContentChanged: ({key}, changes) =>
      alert(
        `The payment ${key} is not as in an earlier run, which paid nothing for it (${changes.join('; ')}); svc pays it as it is now`,
      ),
    onListProgress: (count) => progress.report(`${count} of the customer’s transactions read…`),
  }
  try {
    return await withPaymentContext(opening, (context) => {
      context.restartTimeout(isInteractive)
      return work({...settings, context})
    })
  } finally {
    progress.end()
  }
}
