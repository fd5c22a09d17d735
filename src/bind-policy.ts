// Binds a caller to the policy of its service, as the journal has it now.
import {type DecisionJournal, type PolicyEntries, noPolicyEntries, readPolicyEntries} from './controls/decisions.ts'
import {readTrust} from './controls/trust.ts'
import {readJournal} from './payments/journal/walk.ts'
import type {Caller} from './profiles/caller.ts'
import {sandboxAddress} from './profiles/profiles.ts'
import {readServiceTraits} from './transport.ts'
import {describeOperator, nameOperator} from './controls/operator.ts'

type PolicyJournal = Pick<DecisionJournal, 'history' | 'readRole'>

export type OpenPolicyJournal = () => Promise<PolicyJournal>

const readFrom = async (journal: PolicyJournal) => ({
  entries: await readPolicyEntries(journal),
  role: (await journal.readRole?.())?.name,
})

// Returns the same caller, which is changed: its client and its gate belong to it.
export async function bindToPolicy(caller: Caller, open?: OpenPolicyJournal): Promise<Caller> {
  const {serviceId, journal} = await readServiceTraits(caller)
  const none: {entries: PolicyEntries; role?: string | undefined} = {entries: noPolicyEntries}
  const {entries, role} = open ? await readFrom(await open()) : await readJournal(none, readFrom, {journal})
  const running = {...describeOperator(), role}
  const trust = readTrust(journal.text)
  // Without a policy, the limits of the profile are all that binds.
  if (entries.versions.length === 0 && trust.files.length === 0) {
    const own = caller.binding?.own ?? {readOnly: caller.readOnly, spending: caller.spending}
    const runner = {user: nameOperator(running), approvers: []}
    return Object.assign(caller, {...own, binding: {serviceId, own, mark: entries.approvals.length, runner}})
  }
  const {bindControls} = await import('./controls/bind.ts')
  const isEmbedded = caller.baseUrl === sandboxAddress
  return Object.assign(caller, bindControls(caller, {serviceId, entries, running, trust, isEmbedded}))
}
