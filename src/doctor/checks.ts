// The checks of `svc doctor`, in the order in which they run.
import fs from 'node:fs'
import {getOutboxFile, openOutbox} from '../notifications/outbox.ts'
import {describeTrust} from '../controls/trust.ts'
import {readJournalPolicies} from '../payments/context/propose-policy.ts'
import {openJournal} from '../payments/journal/open-journal.ts'
import {getJournalAddress} from '../profiles/journal.ts'
import {isDatabase} from '../storage/journal-address.ts'
import {readServiceTraits} from '../transport.ts'
import {svc} from '../values/text.ts'
import {checkAccepted, checkClock, checkReachable} from './service-checks.ts'
import {checkCredential, checkProfile, checkSandbox, checkSettings, requireCaller} from './local-checks.ts'
import {type Check, type CheckContext, type CheckResult, ok, warning} from './run-checks.ts'

const countNotifications = (count: number) => (count === 1 ? '1 notification waits' : `${count} notifications wait`)

// Whether notifications wait that the notify command did not accept. It is not run: a check is nothing to tell people.
function checkNotify(context: CheckContext): CheckResult | undefined {
  const caller = requireCaller(context)
  const file = getOutboxFile(getJournalAddress(caller))
  const command = caller.notify?.command
  if (!fs.existsSync(file)) return command === undefined ? undefined : ok('the command was not needed yet')
  const outbox = openOutbox(file)
  try {
    const {waiting, failure, attempts} = outbox.describe(caller.profileName ?? '')
    if (failure !== null) {
      const tries = attempts === 1 ? '' : ` (tried ${attempts} times)`
      return warning(
        `The notify command ${failure}${tries}; ${countNotifications(waiting)}`,
        'Run it by hand with a line of JSON on standard input; the next payment or payout run tries again',
      )
    }
    if (command === undefined && waiting === 0) return undefined
    return ok(waiting === 0 ? 'everything was delivered' : `${countNotifications(waiting)} for the next run`)
  } finally {
    outbox.close()
  }
}

// Whether a journal in a database is reached, and has the schema of this svc. A file is created when the first payment needs it.
async function checkJournal(context: CheckContext): Promise<CheckResult | undefined> {
  const address = getJournalAddress(requireCaller(context))
  if (!isDatabase(address)) return undefined
  const journal = await openJournal(address)
  await journal.close()
  const [{hasLateStandby}, {replicationWarning}] = await Promise.all([
    import('../payments/journal/postgres/open-postgres-journal.ts'),
    import('../storage/postgres/schema-parts.ts'),
  ])
  if (!(await hasLateStandby(address))) return ok(address.text)
  return warning(replicationWarning, 'Set synchronous_standby_names; see `svc docs postgres`')
}

// Says where the trust in the policy comes from. A journal without one needs none.
async function checkPolicy(context: CheckContext): Promise<CheckResult | undefined> {
  const {serviceId, journal} = await readServiceTraits(requireCaller(context))
  const {policies, role} = await readJournalPolicies(journal)
  if (!policies.findJudges(serviceId)) return undefined
  const trust = describeTrust(journal, {serviceId, digest: policies.inForce.get(serviceId)?.digest}, role)
  if (!policies.inForce.has(serviceId)) {
    return warning(`The journal has policies, and none for ${serviceId}`, `Set one with ${svc`policy set FILE`}`)
  }
  return trust.startsWith('none') ? warning(`The trust in the policy: ${trust}`, 'See `svc docs approvals`') : ok(trust)
}

export const checks: readonly Check[] = [
  {name: 'settings', run: checkSettings},
  {name: 'profile', run: checkProfile},
  {name: 'credential', after: ['profile'], run: checkCredential},
  {name: 'journal', after: ['profile'], run: checkJournal},
  {name: 'policy', after: ['profile'], run: checkPolicy},
  {name: 'notify', after: ['profile'], run: checkNotify},
  {name: 'sandbox', run: checkSandbox},
  {name: 'reachable', after: ['profile', 'sandbox'], run: checkReachable},
  // Runs even if the service refused the request, since a wrong clock may be the reason.
  {name: 'clock', after: ['profile'], run: checkClock},
  {name: 'accepted', after: ['reachable', 'credential'], run: checkAccepted},
]
