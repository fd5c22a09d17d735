// Tells the people who may approve that an approval is asked for.
import type {Notifier} from './notifier.ts'

export interface ApprovalRequest {
  // The digest of the content that is to be approved. The same content is told once.
  digest: string
  // What it is: a payout file, a batch, a plan, rules or schedules.
  what: 'file' | 'batch' | 'plan' | 'rules' | 'schedules' | 'settings'
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
