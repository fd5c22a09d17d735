// Tells a person that an approval is asked for, when something was refused without it.
import type {NotApproved} from '../controls/require-approval.ts'
import type {ApprovalKind} from '../controls/subject.ts'
import {type ApprovalRequest, notifyApprovalAsked} from './notify-approval.ts'
import type {Notifier} from './notifier.ts'

const names: Readonly<Record<ApprovalKind, ApprovalRequest['what']>> = {
  payouts: 'file',
  payment: 'plan',
  rules: 'rules',
  schedules: 'schedules',
  settings: 'settings',
}

export function notifyNotApproved(
  notifier: Notifier | undefined,
  {demand: {subject, required, command}, given}: NotApproved,
  {name, isBatch = false}: {name: string; isBatch?: boolean},
): void {
  const what = isBatch ? 'batch' : names[subject.kind]
  notifyApprovalAsked(notifier, {digest: subject.digest, what, name, needed: required, given, next: command})
}
