// Binds a caller to the policy of its service, as the journal has it now.
import {readTrust} from './controls/trust.ts'
import {type PolicyJournal, readPoliciesAt, readPoliciesFrom} from './payments/controls/read-policies.ts'
import type {Caller} from './profiles/caller.ts'
import {describeOperator} from './values/operator.ts'
import {sandboxAddress} from './profiles/profiles.ts'
import {readServiceTraits} from './transport.ts'

export type OpenPolicyJournal = () => Promise<PolicyJournal>

// Returns the same caller, which is changed: its client and its gate belong to it.
export async function bindToPolicy(caller: Caller, open?: OpenPolicyJournal): Promise<Caller> {
  const {serviceId, journal} = await readServiceTraits(caller)
  const {entries, role} = open ? await readPoliciesFrom(await open()) : await readPoliciesAt(journal)
  const running = {...describeOperator(), role: role?.name}
  const trust = readTrust(journal.text)
  const {versions, approvals} = entries
  // Without a policy, the limits of the profile are all that binds.
  if (versions.length === 0 && trust.files.length === 0) {
    const own = caller.binding?.own ?? {readOnly: caller.readOnly, spending: caller.spending}
    const runner = {user: `${running.user}@${running.host}`, approvers: []}
    return Object.assign(caller, {...own, binding: {serviceId, own, mark: approvals.length, runner, trust}})
  }
  const {bindControls} = await import('./controls/bind.ts')
  const isEmbedded = caller.baseUrl === sandboxAddress
  return Object.assign(caller, bindControls(caller, {serviceId, entries, running, trust, isEmbedded}))
}
