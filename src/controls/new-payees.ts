// Accounts that the journal never paid: those who approve see them, and the first payment to one may have to wait.
import {svc} from '../values/text.ts'
import {formatUtcTime} from '../values/time.ts'
import type {ApprovalFact} from './approvable.ts'
import type {Controls} from './decide.ts'
import {createRefusal} from './limits.ts'

// An account that payments of the journal go to.
export interface Payee {
  destination: string
  // Whether a transaction that went to it was made, and did not end badly.
  isPaid: boolean
  // When the first payment to it was recorded, made or not. Absent for one that was paid.
  firstSeenAt?: number | undefined
}

export interface PayeeJournal {
  // Those of these accounts that the journal knows.
  listPayees(serviceId: string, accounts: readonly string[]): Promise<readonly Payee[]>
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
}

// The payees of what was approved do not wait.
export const getCoolDownRules = (
  {coolDownMs = 0, binding}: Controls,
  {isApproved}: {isApproved: boolean},
): CoolDownRules => ({
  coolDownMs: isApproved ? 0 : coolDownMs,
  allowed: new Set(binding?.version?.policy.allow),
})

interface HeldPayee {
  destination: string
  until: number
}

// Those of the accounts that still wait. One that the journal has not seen waits from now on. The earlier of both clocks counts, so
// that neither of them can shorten the wait.
export async function findHeldPayees(
  {journal, clock}: {journal: PayeeJournal; clock: {earliest(): number}},
  serviceId: string,
  destinations: readonly string[],
  {coolDownMs, allowed}: CoolDownRules,
): Promise<HeldPayee[]> {
  const asked = [...new Set(destinations)].filter((destination) => !allowed.has(destination))
  if (coolDownMs === 0 || asked.length === 0) return []
  const nowMs = Math.min(Date.now(), clock.earliest())
  const known = new Map((await journal.listPayees(serviceId, asked)).map((payee) => [payee.destination, payee]))
  return asked.flatMap((destination) => {
    const payee = known.get(destination)
    if (payee?.isPaid) return []
    const until = Math.min(nowMs, payee?.firstSeenAt ?? nowMs) + coolDownMs
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
