// Records in the journal who changed the approvals, the waiting of new payees or the protection of a profile, and why.
import type {Profile} from '../../profiles/profiles.ts'
import type {ApprovalPolicy} from '../../controls/limits.ts'
import type {PlannedControls} from '../../profiles/controls.ts'
import {describeOperator} from '../../profiles/operator.ts'
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import {openJournal} from '../journal/open-journal.ts'

export const approvalsOff = 'APPROVALS_OFF'
export const controlsChanged = 'CONTROLS_CHANGED'

const listControls = ({approvals, coolDown, isProtected}: Profile) => ({
  approvals: approvals?.required ?? 0,
  ...(approvals?.above && {above: approvals.above}),
  ...(approvals && {signers: approvals.signers}),
  ...(coolDown && {coolDown}),
  isProtected: isProtected ?? false,
})

const isRequired = (policy: ApprovalPolicy | undefined) => (policy?.required ?? 0) > 0

// It is recorded before it is changed: what cannot be recorded is not changed.
export async function recordControls(
  {journal: address, serviceId}: ServiceTraits,
  {profile, why, change}: {profile: string; why: string | undefined; change: PlannedControls},
): Promise<void> {
  const {before, after} = change
  const kind = isRequired(before.approvals) && !isRequired(after.approvals) ? approvalsOff : controlsChanged
  const journal = await openJournal(address)
  try {
    await journal.recordDecision({
      kind,
      about: {profile, service: serviceId},
      who: describeOperator(),
      why,
      data: {before: listControls(before), after: listControls(after)},
    })
    await journal.flush()
  } finally {
    await journal.close()
  }
}
