// Lets payees that were never paid wait: the first payment to an account is held for some time after the journal has first seen it.
import {SvcError} from '../../errors.ts'
import {formatUtcTime} from '../../values/time.ts'
import type {Journal} from '../journal/journal.ts'
import type {ServerClock} from '../protocol/server-clock.ts'

export interface CoolDownRules {
  // 0 if nobody waits.
  coolDownMs: number
  // Accounts that people approved, which do not wait.
  approved: ReadonlySet<string>
}

export interface HeldPayee {
  destination: string
  until: number
}

interface CoolDownContext {
  journal: Pick<Journal, 'listPayees'>
  clock: Pick<ServerClock, 'earliest'>
}

// The earlier of both clocks counts, so that neither of them can shorten the wait.
const readEarliest = ({clock}: CoolDownContext) => Math.min(Date.now(), clock.earliest())

// Those of the accounts that still wait. One that the journal has not seen waits from now on.
export async function findHeldPayees(
  context: CoolDownContext,
  serviceId: string,
  destinations: readonly string[],
  {coolDownMs, approved}: CoolDownRules,
): Promise<HeldPayee[]> {
  const asked = [...new Set(destinations)].filter((destination) => !approved.has(destination))
  if (coolDownMs === 0 || asked.length === 0) return []
  const nowMs = readEarliest(context)
  const payees = await context.journal.listPayees(serviceId, asked)
  // Under former ids of the service, one account may be known several times.
  const paid = new Set(payees.filter(({isPaid}) => isPaid).map(({destination}) => destination))
  return asked.flatMap((destination) => {
    if (paid.has(destination)) return []
    const seen = payees.flatMap((payee) => (payee.destination === destination ? (payee.firstSeenAt ?? []) : []))
    const until = Math.min(nowMs, ...seen) + coolDownMs
    return until > nowMs ? [{destination, until}] : []
  })
}

export const describeHeld = ({destination, until}: HeldPayee) =>
  `the account ${destination} was never paid before, and waits until ${formatUtcTime(until)}`

export const waitHint = 'Run it again then, or have the file approved with `svc approve FILE` by somebody who may'

export const heldPayee = (key: string, held: HeldPayee) =>
  new SvcError({
    error: 'PAYEE_WAITS',
    kind: 'limit',
    message: `The payment ${key} was not sent: ${describeHeld(held)}`,
    hint: waitHint,
  })
