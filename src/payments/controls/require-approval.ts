// Makes sure that enough people have approved what is about to be paid, where the profile wants it.
import {type CheckedApproval, requireApprovals} from '../../controls/check-approvals.ts'
import type {ApprovalSubject} from '../../controls/statement.ts'
import {SvcError} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import {needsApproval} from '../../controls/check-spending.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import {quoteForShell} from '../../values/text.ts'
import {withApprovalStore} from './open-approval-store.ts'

export interface ApprovalRequest {
  caller: Caller
  journal: JournalAddress
  subject: ApprovalSubject
  // What it pays, by currency. Absent for what pays again and again, which always needs approvals.
  sums?: ReadonlyArray<{currency: string; amount: string}> | undefined
  // What it is read from: a file, or a batch of the fleet.
  file?: string | undefined
  batch?: string | undefined
}

// The outcome for something that may be paid.
export interface Approval {
  // Those that count.
  approvals: CheckedApproval[]
  // Whether enough people approved it, so that new payees in it need not wait.
  isApproved: boolean
}

export const describeApproveCommand = ({profileName}: Pick<Caller, 'profileName'>, what: string) =>
  `svc approve ${quoteForShell(what)}${profileName === undefined ? '' : ` -p ${quoteForShell(profileName)}`}`

const isRequired = ({caller, sums}: ApprovalRequest) =>
  sums ? needsApproval(caller, sums) : (caller.approvals?.required ?? 0) > 0

// Throws with code 10 if approvals are required and too few. Where none are required, those that there are may still let new payees
// be paid without waiting.
export async function requireApproval(request: ApprovalRequest): Promise<Approval> {
  const {caller, journal, subject, file, batch} = request
  const {approvals: policy, coolDownMs = 0} = caller
  const isNeeded = isRequired(request)
  if (!policy || (!isNeeded && coolDownMs === 0)) return {approvals: [], isApproved: false}
  const name = batch ?? file ?? ''
  try {
    const approvals = await withApprovalStore(journal, {subject, file}, (store) =>
      requireApprovals({
        subject,
        store,
        required: isNeeded ? policy.required : 1,
        signersFile: policy.signers,
        what: batch === undefined ? name : `The batch ${name}`,
        command: describeApproveCommand(caller, name),
      }),
    )
    return {approvals, isApproved: true}
  } catch (error) {
    if (isNeeded || !(error instanceof SvcError)) throw error
    return {approvals: [], isApproved: false}
  }
}
