// Finds and names the slots of a schedule for which no payment was made, so that they can be paid later.
import {hourMs, minuteMs, toInstantMs} from '../../values/time.ts'
import type {PaymentContext} from '../protocol/context.ts'
import type {PayRun} from '../run/pay-run.ts'
import {type ResolvedKey, type SlotTime, resolveKey} from './slots.ts'

interface MissedSlots {
  // The key of the last slot that was made before them.
  since: string
  // Oldest first.
  slots: ResolvedKey[]
  // Whether there are more than svc lists.
  isCut: boolean
}

// Shorter than any slot, also where the clocks change, so that none is stepped over. The finest placeholder decides.
const stepsMs: ReadonlyArray<readonly [placeholder: string, stepMs: number]> = [
  ['{hour}', 15 * minuteMs],
  ['{date}', 6 * hourMs],
  ['{month}', 24 * hourMs],
]

const missedMax = 1_000

// Returns the slots between the last one that was made and this one, without a transaction of their own. Undefined if there
// are none, or if no earlier slot was made.
async function findMissedSlots(
  {journal}: Pick<PaymentContext, 'journal'>,
  serviceId: string,
  keyTemplate: string,
  present: SlotTime,
): Promise<MissedSlots | undefined> {
  const {key: presentKey, template, slot: presentSlot = ''} = resolveKey(keyTemplate, present)
  const [, stepMs] = stepsMs.find(([placeholder]) => keyTemplate.includes(placeholder)) ?? []
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
  for (let atMs = lastMs; atMs < present.atMs && missed.size <= missedMax; atMs += stepMs) {
    const slot = resolveKey(keyTemplate, {...present, atMs})
    if (slot.key === last.key || slot.key === presentKey || missed.has(slot.key)) continue
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
