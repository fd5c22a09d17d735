// Records in the journal whose approvals were used, with their signatures.
import {toEvidence} from '../../controls/check-approvals.ts'
import type {ApprovalSubject} from '../../controls/statement.ts'
import {describeOperator} from '../../profiles/operator.ts'
import type {Journal} from '../journal/journal.ts'
import type {Approval} from './require-approval.ts'

// `about` names the payment, the file or the batch; `keys` are its payments, where they are not too many.
export async function recordApprovals(
  journal: Pick<Journal, 'recordDecision'>,
  {approvals}: Approval,
  {about, subject, keys}: {about: Record<string, string>; subject: ApprovalSubject; keys?: readonly string[]},
): Promise<void> {
  if (approvals.length === 0) return
  const {kind, digest} = subject
  const data = {kind, digest, approvals: approvals.map(toEvidence), ...(keys && {keys})}
  await journal.recordDecision({kind: 'APPROVAL_USED', about, who: describeOperator(), data})
}
