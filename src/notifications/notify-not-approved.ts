// Tells the people who may approve that an approval is asked for, when something was refused
// without it.
import type {NotApproved} from '../controls/approvals.ts'
import type {Notifier} from './notifier.ts'

// Stores the notification before it returns. The same content is told once. `name` is that of the
// file, or the id of the batch.
export function notifyNotApproved(
  notifier: Notifier | undefined,
  {demand: {subject, required, command}, given}: Pick<NotApproved, 'demand' | 'given'>,
  {name, isBatch = false}: {name: string; isBatch?: boolean},
): void {
  const {kind, digest} = subject
  const what = isBatch ? 'batch' : kind
  notifier?.add({
    event: 'approval.asked',
    facts: [what, digest],
    detail: {what, name, digest, needed: required, given, exitCode: 10, next: command},
  })
}
