// One run of `svc pay`: who pays what, for which slot, what the run may do, and how it reports.
import type {AddNames} from '../../accounts/name-columns.ts'
import type {PaymentReview} from '../../cli/config.ts'
import type {Result} from '../../cli/output/result.ts'
import type {WatchTarget} from '../../cli/watch/watch-target.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import type {Caller} from '../../profiles/caller.ts'
import {toInstantMs} from '../../values/time.ts'
import {createObjectionFinder, getCoolDownRules, getLatestTimeMs} from '../controls/objections.ts'
import type {Approval} from '../controls/require-approval.ts'
import type {Plan} from './plan.ts'
import {type ResolvedKey, type SlotTime, listSlotsBetween, resolveKey} from './slots.ts'
import {startProgress} from '../../cli/output/streams.ts'
import type {PaymentContext} from '../protocol/context.ts'
import type {PaymentOrder} from '../protocol/pay.ts'
import type {ServerClock} from '../protocol/service.ts'
import {changedNotice, describeSettling, waitingNotice} from './notices.ts'
import {type OpenPaymentContext, type RunConnections, openPaymentContext} from './open-context.ts'

export interface PayTerminal {
  isInteractive: boolean
  // Present if svc pays for a program, which has a person approve the price.
  review?: PaymentReview | undefined
  notice: (text: string) => void
  // Shown even with --quiet.
  alert: (text: string) => void
  // Names the payee in what a person reads on a screen.
  addNames: AddNames
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
      approval,
    }),
  }
}

// `timeoutMs` limits the requests and the waits of this context. A context in which a person is asked has no limit.
export async function openRunContext(
  {caller, traits, wait, clock, terminal, connections}: PayRun,
  timeoutMs: number | undefined,
): Promise<OpenPaymentContext> {
  const progress = startProgress()
  const context = await openPaymentContext({
    controls: caller,
    traits,
    connect: (onReply) => connections.connect(onReply, timeoutMs),
    openJournal: (waitMs) => connections.openJournal(waitMs),
    onUnknown: () => terminal.notice(describeSettling(wait)),
    onHeld: (payment, holder) => terminal.notice(waitingNotice(payment, holder)),
    onContentChanged: (payment, changes) => terminal.alert(changedNotice(payment, changes)),
    onListProgress: (count) => progress.report(`${count} of the customer’s transactions read…`),
    timeoutMs,
    waits: wait,
    clock,
  })
  const close = async () => {
    progress.end()
    await context.close()
  }
  return {...context, close}
}

const missedMax = 1_000
const namedMax = 5

// Names the slots between the last one that was made and this one which have no transaction, so that they can be paid later. Shown
// even with --quiet, with which cron jobs run.
export async function announceMissedSlots(
  {journal, clock}: PaymentContext,
  {traits: {serviceId}, plan, slot: present, terminal}: PayRun,
): Promise<void> {
  const {key: presentKey, template, slot: presentSlot = ''} = resolveKey(plan.key, present)
  if (template === undefined) return
  // An earlier run of the present slot may be one of the two.
  const lastSlots = {before: presentSlot, count: 2}
  const made = await journal.list({serviceId, template, states: ['CREATED'], lastSlots})
  const last = made
    .filter(({key}) => key !== presentKey)
    .toSorted(({slot: one = ''}, {slot: other = ''}) => (one < other ? -1 : 1))
    .at(-1)
  const lastMs = toInstantMs(last?.slot)
  if (!last || lastMs === undefined) return
  const untilMs = Math.min(present.atMs, getLatestTimeMs(clock))
  const missed: Array<{key: string; name: string}> = []
  for (const slot of listSlotsBetween(plan.key, present, lastMs, untilMs, missedMax)) {
    if (slot.key === last.key || slot.key === presentKey) continue
    // A slot may have been paid under the same key in another zone.
    if ((await journal.find(serviceId, slot.key))?.state !== 'CREATED') missed.push(slot)
  }
  const [first] = missed
  if (!first) return
  const names = missed.slice(0, namedMax).map(({key}) => key)
  const more = missed.length > namedMax ? ` and ${missed.length - namedMax} more` : ''
  terminal.alert(`Missed since ${last.key}: ${names.join(', ')}${more}. Pay the first with --slot ${first.name}`)
}
