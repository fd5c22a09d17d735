// What may be probed: a test environment after a yes, a live one only with --live and --yes.
import {badUsage} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import type {ProbePlan} from './plan.ts'

export function rejectLiveProbe(caller: Caller, {live, yes}: {live: boolean; yes: boolean}): void {
  if (caller.environment !== 'live' || (live && yes)) return
  const why = caller.profileName === undefined ? 'credentials from the environment count as live' : 'it is live'
  throw badUsage(
    `A probe makes transactions, and ${caller.label} may move real money: ${why}`,
    'Probe a test environment; or say --live and --yes if you mean it. Nothing was sent',
  )
}

export const createUnconfirmedProbeError = ({transactionsMax, amount, total, currency}: ProbePlan) =>
  badUsage(
    `A probe makes up to ${transactionsMax} transactions of ${amount} ${currency} (${total} ${currency} in all) and needs a yes`,
    'Say --yes if you mean it; nothing was sent',
  )
