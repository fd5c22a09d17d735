// One run of `svc pay`: who pays what, for which slot, what the run may do, and how it reports.
import type {LooseQuote} from '../../contract/loose.ts'
import type {Result} from '../../cli/output/result.ts'
import type {WatchTarget} from '../../cli/watch/watch-target.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {createObjectionFinder, getCoolDownRules} from '../controls/objections.ts'
import {changedNotice, settlingNotice, waitingNotice} from './notices.ts'
import {type OpenPaymentContext, type RunConnections, openPaymentContext} from './open-context.ts'
import type {PaymentOrder} from '../protocol/pay.ts'
import type {Plan} from '../plan/plan.ts'
import type {Approval} from '../controls/require-approval.ts'
import type {ServerClock} from '../protocol/service.ts'
import type {ResolvedKey, SlotTime} from '../plan/slots.ts'

export interface PayTerminal {
  isInteractive: boolean
  notice: (text: string) => void
  // Shown even with --quiet.
  alert: (text: string) => void
  watch: (target: WatchTarget<object>) => Promise<Result>
}

export interface PayRun {
  caller: Caller
  traits: ServiceTraits
  plan: Plan
  slot: SlotTime
  // Whether the slot was taken from this machine's clock.
  isSlotFromClock: boolean
  allowsDuplicates: boolean
  // Who approved it, where approvals are wanted.
  approval: Approval
  // How many missed slots are paid first. Undefined without --catch-up.
  catchUp: number | undefined
  // Whether a person has to approve the price.
  needsYes: boolean
  // Whether the person answered questions, and can go back to them.
  canGoBack: boolean
  // The quote that the wizard requested.
  quote: LooseQuote | undefined
  wait: boolean
  timeoutMs: number | undefined
  // The service's clock, kept while a person answers.
  clock: ServerClock
  terminal: PayTerminal
  // Who is told what needs a person, if anybody is.
  notifier?: Notifier | undefined
  connections: RunConnections
  // Lets the payment pass the gate for writes, after a person said yes.
  authorize: () => Promise<void>
}

export function buildOrder(payRun: PayRun, key: ResolvedKey): PaymentOrder {
  const {caller, traits, plan, isSlotFromClock, allowsDuplicates, approval} = payRun
  const {content, limits, isGuaranteed} = plan
  const duplicateWindowMs = allowsDuplicates ? 0 : caller.duplicateWindowMs
  return {
    intent: {serviceId: traits.serviceId, ...key, content},
    limits,
    isGuaranteed,
    findObjection: createObjectionFinder({
      isSlotFromClock,
      duplicateWindowMs,
      coolDown: getCoolDownRules(caller, approval),
    }),
  }
}

// `timeoutMs` limits the requests and the waits of this context. A context in which a person is asked has no limit.
export function openRunContext(
  {caller, traits, clock, terminal, connections}: PayRun,
  timeoutMs: number | undefined,
): Promise<OpenPaymentContext> {
  return openPaymentContext({
    spending: caller.spending,
    traits,
    connect: (onReply) => connections.connect(onReply, timeoutMs),
    openJournal: (waitMs) => connections.openJournal(waitMs),
    onUnknown: () => terminal.notice(settlingNotice),
    onHeld: (payment, holder) => terminal.notice(waitingNotice(payment, holder)),
    onContentChanged: (payment, changes) => terminal.alert(changedNotice(payment, changes)),
    timeoutMs,
    clock,
  })
}
