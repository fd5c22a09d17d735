// Makes sure that a payout file was approved where the profile wants it, and records whose approvals were used.
import path from 'node:path'
import type {ApprovalSubject} from '../../controls/statement.ts'
import {createPayoutsSubject} from '../../payments/controls/approval-subject.ts'
import type {Journal} from '../../payments/journal/journal.ts'
import type {Approval} from '../../payments/controls/require-approval.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import {type JournalState, isCreated} from '../run/journal-state.ts'
import type {PayoutRow} from './rows.ts'
import {sumAmounts} from '../run/totals.ts'

export interface FileToApprove {
  caller: Caller
  traits: ServiceTraits
  // Complete, as they are paid.
  rows: readonly PayoutRow[]
  journalState: JournalState
  // The path, or - for standard input.
  file: string
}

export interface FileApproval extends Approval {
  subject?: ApprovalSubject
}

const isPaid = ({rows, journalState}: FileToApprove) => rows.every((row) => isCreated(row, journalState))

// A file that was paid is only reported.
export async function requireFileApproval(wanted: FileToApprove): Promise<FileApproval> {
  const {caller, traits, rows, file} = wanted
  if (!caller.approvals || isPaid(wanted)) return {approvals: [], isApproved: false}
  const subject = createPayoutsSubject(traits.serviceId, rows)
  const {requireApproval} = await import('../../payments/controls/require-approval.ts')
  const request = {caller, journal: traits.journal, subject, sums: sumAmounts(rows), file}
  return {...(await requireApproval(request)), subject}
}

// The keys of longer files are not listed: the digest stands for them.
const keysMax = 1000

export async function recordFileApproval(
  journal: Journal,
  {subject, ...approval}: FileApproval,
  {file, rows}: Pick<FileToApprove, 'file' | 'rows'>,
): Promise<void> {
  if (!subject || approval.approvals.length === 0) return
  const {recordApprovals} = await import('../../payments/controls/record-approvals.ts')
  const keys = rows.length <= keysMax ? {keys: rows.map(({key}) => key)} : {}
  await recordApprovals(journal, approval, {about: {file: path.basename(file)}, subject, ...keys})
}
