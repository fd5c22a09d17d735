// Tells a person that an approval is asked for, when something was refused without it.
import type {NotApproved} from '../controls/approvals.ts'
import type {ApprovalKind} from '../controls/statement.ts'
import type {Notifier} from './notifier.ts'

const names: Readonly<Record<ApprovalKind, ApprovalRequest['what']>> = {
  payouts: 'file',
  payment: 'plan',
  rules: 'rules',
  policy: 'policy',
}

export function notifyNotApproved(
  notifier: Notifier | undefined,
  {demand: {subject, required, command}, given}: NotApproved,
  {name, isBatch = false}: {name: string; isBatch?: boolean},
): void {
  const what = isBatch ? 'batch' : names[subject.kind]
  notifyApprovalAsked(notifier, {digest: subject.digest, what, name, needed: required, given, next: command})
}

// Tells the people who may approve that an approval is asked for.
export interface ApprovalRequest {
  // The digest of the content that is to be approved. The same content is told once.
  digest: string
  // What it is: a payout file, a batch, a plan, rules or a policy.
  what: 'file' | 'batch' | 'plan' | 'rules' | 'policy'
  // The name of the file, or the id of the batch.
  name: string
  needed: number
  given: number
  // The command that approves it.
  next: string
}

// Stored when it returns. `notifier.deliver()` gives it to the command.
export function notifyApprovalAsked(
  notifier: Notifier | undefined,
  {digest, what, name, needed, given, next}: ApprovalRequest,
): void {
  notifier?.add({
    event: 'approval.asked',
    facts: [what, digest],
    detail: {what, name, digest, needed, given, exitCode: 10, next},
  })
}
