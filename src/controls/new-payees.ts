// Accounts that the journal never paid: those who approve see them, and the first payment to one may have to wait.
import {svc} from '../values/text.ts'
import {formatUtcTime} from '../values/time.ts'
import type {ApprovalFact} from './approvable.ts'
import {type BothClocks, readEarlier, readLater} from './both-clocks.ts'
import type {Controls} from './decide.ts'
import type {DecisionJournal, RecordedDecision} from './decisions.ts'
import {createRefusal} from './limits.ts'
import {describeOperator} from './operator.ts'

// An account that payments of the journal go to.
export interface Payee {
  destination: string
  // Whether a transaction that went to it was made, and did not end badly.
  isPaid: boolean
  // When it was first asked to pay it and had to wait.
  firstSeenAt?: number | undefined
}

export interface PayeeJournal {
  // Those of these accounts that the journal knows.
  listPayees(serviceId: string, accounts: readonly string[]): Promise<readonly Payee[]>
}

const payeeSeen = 'PAYEE_SEEN'

// The lines of one account are apart from other decisions, because they are read before each
// payment to it.
export const toPayeeSubject = (destination: string) => ({serviceId: '', key: `payee ${destination}`})

interface SeenPayee {
  destination: string
  seenBy: string
  seenAt: number
}

// When each account was first seen for this service.
export function readSeenPayees(serviceId: string, lines: readonly RecordedDecision[]): Map<string, number> {
  const firstSeen = new Map<string, number>()
  for (const {detail} of lines) {
    if (detail?.['kind'] !== payeeSeen) continue
    const {destination, seenBy, seenAt} = detail['data'] as SeenPayee
    if (seenBy === serviceId) firstSeen.set(destination, Math.min(seenAt, firstSeen.get(destination) ?? Infinity))
  }
  return firstSeen
}

// One of the items for each account that the journal has never paid.
export async function listNewPayees<T>(
  {serviceId, journal}: {serviceId: string; journal: PayeeJournal},
  items: readonly T[],
  getAccount: (item: T) => string,
): Promise<T[]> {
  const byAccount = new Map(items.map((item) => [getAccount(item), item]))
  const known = await journal.listPayees(serviceId, [...byAccount.keys()])
  for (const {destination, isPaid} of known) if (isPaid) byAccount.delete(destination)
  return [...byAccount.values()]
}

export const describePayees = (count: number, newPayees: readonly string[]): ApprovalFact[] => [
  {label: 'Payees', lines: [`${count} (${newPayees.length} new to this journal)`]},
  {label: 'New payees', lines: newPayees, noun: 'new payee'},
]

// Lets payees that were never paid wait: the first payment to an account is held for some time after the journal has first seen it.
export interface CoolDownRules {
  // 0 if nobody waits.
  coolDownMs: number
  // Accounts that the policy names, which do not wait.
  allowed: ReadonlySet<string>
  // A dry run leaves no trace.
  isDryRun: boolean
}

// The payees of what was approved do not wait.
export const getCoolDownRules = (
  {coolDownMs = 0, binding}: Controls,
  {isApproved}: {isApproved: boolean},
  isDryRun = false,
): CoolDownRules => ({
  coolDownMs: isApproved ? 0 : coolDownMs,
  allowed: new Set(binding?.version?.policy.allow),
  isDryRun,
})

interface HeldPayee {
  destination: string
  until: number
}

// The accounts that still wait. The wait of one that the journal has not seen begins now, whoever
// asks, and is recorded.
export async function findHeldPayees(
  {journal, clock}: {journal: PayeeJournal & Pick<DecisionJournal, 'recordDecision'>; clock: BothClocks},
  serviceId: string,
  destinations: readonly string[],
  {coolDownMs, allowed, isDryRun}: CoolDownRules,
): Promise<HeldPayee[]> {
  const asked = [...new Set(destinations)].filter((destination) => !allowed.has(destination))
  if (coolDownMs === 0 || asked.length === 0) return []
  const known = new Map((await journal.listPayees(serviceId, asked)).map((payee) => [payee.destination, payee]))
  const unpaid = asked.filter((destination) => !known.get(destination)?.isPaid)

  const seenAt = readLater(clock)
  const unseen = unpaid.filter((destination) => known.get(destination)?.firstSeenAt === undefined)
  const record = (destination: string) =>
    journal.recordDecision({
      kind: payeeSeen,
      about: toPayeeSubject(destination),
      who: describeOperator(),
      data: {destination, seenBy: serviceId, seenAt} satisfies SeenPayee,
    })
  if (!isDryRun) await Promise.all(unseen.map(record))

  const nowMs = readEarlier(clock)
  return unpaid.flatMap((destination) => {
    const until = (known.get(destination)?.firstSeenAt ?? seenAt) + coolDownMs
    return until > nowMs ? [{destination, until}] : []
  })
}

export const describeHeld = ({destination, until}: HeldPayee) =>
  `the account ${destination} was never paid before, and waits until ${formatUtcTime(until)}`

export const adviseHeld = () =>
  `Run it again then, or have the file approved with ${svc`approve FILE`} by somebody who may`

// `what` is not sent, such as a payment or a batch.
export const createPayeeWaitsError = (what: string, held: HeldPayee, hint = adviseHeld()) =>
  createRefusal('PAYEE_WAITS', `${what} was not sent: ${describeHeld(held)}`, hint)
