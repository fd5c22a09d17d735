// One run of `svc pay`: who pays what, for which slot, what the run may do, and how it reports.
import type {AddNames} from '../../accounts/name-columns.ts'
import type {PaymentReview} from '../../cli/config.ts'
import type {Result} from '../../cli/output/result.ts'
import type {WatchTarget} from '../../cli/watch/watch-target.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import type {Caller} from '../../profiles/caller.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {createObjectionFinder, getCoolDownRules, getLatestTimeMs} from './objections.ts'
import type {Approval} from '../controls/require-approval.ts'
import type {PaymentContext} from '../protocol/context.ts'
import type {PaymentOrder} from '../protocol/pay.ts'
import type {CheckedPlan, Plan} from './plan.ts'
import type {RunContext} from './run-context.ts'
import {type ResolvedKey, type SlotTime, findMissedSlots} from './slots.ts'

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

// What the command lends to the run.
export interface PayTerminal {
  isInteractive: boolean
  // Present if svc pays for a program, which has a person approve the price.
  review?: PaymentReview | undefined
  notice: (text: string) => void
  // Shown even with --quiet.
  alert: (text: string) => void
  // Names the payee in what a person reads on a screen.
  addNames: AddNames
  show: (result: Result) => Promise<void>
  watch: (target: WatchTarget<object>, deadlineMs: number | undefined) => Promise<Result>
  // Lets the payment pass the gate for writes, after a person or --yes said so.
  authorize: (yes: boolean) => Promise<void>
  finishWrite: (result: Result) => Result
}

// A run before its plan is complete.
export interface PayCommand {
  // Bound to the policy.
  caller: Caller
  traits: ServiceTraits
  flags: PayFlags
  slot: SlotTime
  checkedPlan: CheckedPlan
  // Whether a person is asked for what is missing.
  usesWizard: boolean
  terminal: PayTerminal
  context: RunContext
}

export interface PayRun extends PayCommand {
  plan: Plan
  key: ResolvedKey
  // The quote that the wizard requested.
  quote: LooseQuote | undefined
  // Whether a person has to approve the price.
  needsYes: boolean
  // Whether the person answered questions, and can go back to them.
  canGoBack: boolean
  // Who approved it, where approvals are wanted.
  approval: Approval
  // Who is told what needs a person, if anybody is.
  notifier: Notifier | undefined
}

// Whether the slot was taken from this machine's clock. That of the embedded sandbox may be moved, and is no reason to doubt it.
export const isSlotFromClock = ({key, slot, caller}: PayRun): boolean =>
  key.template !== undefined && !slot.named && caller.baseUrl !== sandboxAddress

export function buildOrder(payRun: PayRun, allowsDuplicates = payRun.flags['allow-duplicates']): PaymentOrder {
  const {caller, traits, plan, key, approval} = payRun
  const {content, limits, isGuaranteed} = plan
  return {
    intent: {serviceId: traits.serviceId, ...key, content},
    limits,
    isGuaranteed,
    findObjection: createObjectionFinder({
      isSlotFromClock: isSlotFromClock(payRun),
      duplicateWindowMs: allowsDuplicates ? 0 : caller.duplicateWindowMs,
      coolDown: getCoolDownRules(caller, approval),
      approval,
    }),
  }
}

const namedMax = 5

// Shown even with --quiet, with which cron jobs run.
export async function announceMissedSlots(context: PaymentContext, payRun: PayRun): Promise<void> {
  const {traits, key, slot, terminal} = payRun
  const untilMs = Math.min(slot.atMs, getLatestTimeMs(context.clock))
  const {last, missed = []} = (await findMissedSlots(context, traits.serviceId, key, {zone: slot.zone, untilMs})) ?? {}
  const [first] = missed
  if (!first) return
  const names = missed.slice(0, namedMax).map((each) => each.key)
  const more = missed.length > namedMax ? ` and ${missed.length - namedMax} more` : ''
  terminal.alert(`Missed since ${last}: ${names.join(', ')}${more}. Pay the first with --slot ${first.name}`)
}
