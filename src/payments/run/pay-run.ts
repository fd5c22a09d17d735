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
import {type NamedSlot, createObjectionFinder, getCoolDownRules, getLatestTimeMs} from '../controls/objections.ts'
import type {Approval} from '../controls/require-approval.ts'
import type {Plan} from '../plan/plan.ts'
import {type ResolvedKey, type SlotTime, findSlotStepMs, resolveKey} from '../plan/slots.ts'
import {startProgress} from '../../cli/output/streams.ts'
import type {PaymentContext} from '../protocol/context.ts'
import type {PaymentOrder} from '../protocol/pay.ts'
import type {ServerClock} from '../protocol/service.ts'
import {changedNotice, settlingNotice, waitingNotice} from './notices.ts'
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
  // Whether a slot may be paid before it begins.
  allowsEarly: boolean
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
  afterRefusal: PaymentContext['afterRefusal']
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

// The slot of a key that was named with --slot, unless it may be paid before its time.
export function findNamedSlot({plan, slot, allowsEarly}: PayRun, key: ResolvedKey): NamedSlot | undefined {
  const atMs = toInstantMs(key.slot)
  return allowsEarly || atMs === undefined ? undefined : {template: plan.key, time: {...slot, atMs}}
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
      earlySlot: findNamedSlot(payRun, key),
      duplicateWindowMs,
      coolDown: getCoolDownRules(caller, approval),
      approval,
    }),
  }
}

// `timeoutMs` limits the requests and the waits of this context. A context in which a person is asked has no limit.
export async function openRunContext(
  {caller, traits, clock, terminal, connections, afterRefusal}: PayRun,
  timeoutMs: number | undefined,
): Promise<OpenPaymentContext> {
  const progress = startProgress()
  const context = await openPaymentContext({
    controls: caller,
    traits,
    connect: (onReply) => connections.connect(onReply, timeoutMs),
    openJournal: (waitMs) => connections.openJournal(waitMs),
    onUnknown: () => terminal.notice(settlingNotice),
    onHeld: (payment, holder) => terminal.notice(waitingNotice(payment, holder)),
    onContentChanged: (payment, changes) => terminal.alert(changedNotice(payment, changes)),
    onListProgress: (count) => progress.report(`${count} of the customer’s transactions read…`),
    afterRefusal,
    timeoutMs,
    clock,
  })
  const close = async () => {
    progress.end()
    await context.close()
  }
  return {...context, close}
}

// Finds and names the slots of a schedule for which no payment was made, so that they can be paid later.
interface MissedSlots {
  // The key of the last slot that was made before them.
  since: string
  // Oldest first.
  slots: ResolvedKey[]
  // Whether there are more than svc lists.
  isCut: boolean
}

const missedMax = 1_000

// Returns the slots between the last one that was made and this one, without a transaction of their own. Only those that are over
// were missed, if this one has not come. Undefined if there are none, or if no earlier slot was made.
async function findMissedSlots(
  {journal, clock}: Pick<PaymentContext, 'journal' | 'clock'>,
  serviceId: string,
  keyTemplate: string,
  present: SlotTime,
): Promise<MissedSlots | undefined> {
  const {key: presentKey, template, slot: presentSlot = ''} = resolveKey(keyTemplate, present)
  const stepMs = findSlotStepMs(keyTemplate)
  if (template === undefined || stepMs === undefined) return undefined
  // An earlier run of the present slot may be one of the two.
  const lastSlots = {before: presentSlot, count: 2}
  const made = await journal.list({serviceId, template, states: ['CREATED'], lastSlots})
  const last = made
    .filter(({key}) => key !== presentKey)
    .toSorted(({slot: one = ''}, {slot: other = ''}) => (one < other ? -1 : 1))
    .at(-1)
  const lastMs = toInstantMs(last?.slot)
  if (!last || lastMs === undefined) return undefined
  const missed = new Map<string, ResolvedKey>()
  const nowMs = getLatestTimeMs(clock)
  const untilMs = Math.min(present.atMs, nowMs)
  const notOver = new Set([last.key, presentKey, resolveKey(keyTemplate, {...present, atMs: nowMs}).key])
  for (let atMs = lastMs; atMs < untilMs && missed.size <= missedMax; atMs += stepMs) {
    const slot = resolveKey(keyTemplate, {...present, atMs})
    if (notOver.has(slot.key) || missed.has(slot.key)) continue
    // A slot may have been paid under the same key in another zone.
    if ((await journal.find(serviceId, slot.key))?.state !== 'CREATED') missed.set(slot.key, slot)
  }
  const slots = [...missed.values()]
  if (slots.length === 0) return undefined
  return {since: last.key, slots: slots.slice(0, missedMax), isCut: slots.length > missedMax}
}

const namedMax = 5

function nameSlots(slots: readonly ResolvedKey[], isCut: boolean): string {
  const names = slots.slice(0, namedMax).map(({key}) => key)
  const rest = slots.length - names.length
  if (rest === 0) return names.join(', ')
  return `${names.join(', ')} and ${isCut ? 'more than ' : ''}${rest} more`
}

const formatSlot = ({slot = ''}: ResolvedKey) => slot.replace(/\.\d+Z$/, 'Z')

// Says which missed slots this run pays first: the oldest `caughtUp` of them.
function describeCaughtUp({since, slots}: MissedSlots, caughtUp: number): string | undefined {
  const paid = slots.slice(0, caughtUp)
  return paid.length > 0 ? `Missed since ${since}, to be paid first: ${nameSlots(paid, false)}.` : undefined
}

// Says which missed slots stay unpaid, and how to pay them: a sentence without the full stop.
function describeMissed({since, slots, isCut}: MissedSlots, caughtUp: number): string | undefined {
  const left = slots.slice(caughtUp)
  const [first] = left
  if (!first) return undefined
  return caughtUp > 0
    ? `Missed, and not paid now: ${nameSlots(left, isCut)}. Pay the first with --slot ${formatSlot(first)}`
    : `Missed since ${since}: ${nameSlots(left, isCut)}. Pay them with --catch-up ${left.length}, oldest first`
}

// Names the missed slots, and returns those that this run pays first.
export async function announceMissedSlots(
  context: PaymentContext,
  {traits, plan, slot, catchUp = 0, terminal}: PayRun,
): Promise<ResolvedKey[]> {
  const missed = await findMissedSlots(context, traits.serviceId, plan.key, slot)
  if (!missed) return []
  const caughtUp = describeCaughtUp(missed, catchUp)
  if (caughtUp !== undefined) terminal.notice(caughtUp)
  // Shown even with --quiet, with which cron jobs run.
  const unpaid = describeMissed(missed, catchUp)
  if (unpaid !== undefined) terminal.alert(unpaid)
  return missed.slots.slice(0, catchUp)
}
