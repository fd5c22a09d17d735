// Makes sure that a payout file was approved where the profile wants it, and records whose approvals were used.
import path from 'node:path'
import {type Approvable, type ApprovalFact, itemsShownMax} from '../../controls/approvable.ts'
import type {Approval} from '../../controls/approvals.ts'
import type {Journal} from '../../payments/journal/journal.ts'
import {type PayeeReading, describePaymentPayees, openApprovalStore} from '../../payments/context/approve-plan.ts'
import {createPaymentItem, createPayoutsSubject} from '../../payments/context/payment-fields.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import {hasTransaction} from '../run/row-states.ts'
import {type OpenRun, type RunSettings, openRun} from '../run/run.ts'
import {sumAmounts, sumDeveloperFees} from '../run/view.ts'
import type {FileSlot} from './file-slot.ts'
import {type PayoutRow, readPayouts, rejectFile} from './rows.ts'

export interface FileToApprove {
  caller: Caller
  traits: ServiceTraits
  // The path, or - for standard input.
  file: string
  slot?: FileSlot | undefined
}

// A file that was paid is only reported.
export async function requireFileApproval(
  {context, rows, told}: OpenRun,
  {caller, traits, file, slot}: FileToApprove,
): Promise<Approval> {
  const isPaid = rows.every(({key}) => hasTransaction(told.get(key)?.state ?? 'NOT_TRIED'))
  if (!caller.approvals || isPaid) return {approvals: [], isApproved: false}
  const subject = createPayoutsSubject(traits.serviceId, rows)
  const {requireApproval} = await import('../../controls/approvals.ts')
  const store = await openApprovalStore(traits.journal, subject, file, context.journal)
  return requireApproval({
    caller,
    subject,
    store,
    sums: sumAmounts(rows),
    name: file,
    slot: slot?.name,
    clock: context.clock,
  })
}

export async function recordFileApproval(journal: Journal, approval: Approval, file: string) {
  if (!approval.isApproved) return
  const {recordApprovals} = await import('../../controls/approvals.ts')
  await recordApprovals(journal, approval, {file: path.basename(file)})
}

// What people see of a payout file or a batch before they approve it: how much, to whom, and who is new.
export interface RowsToApprove extends PayeeReading {
  // Complete, as they are paid.
  rows: readonly PayoutRow[]
  name: string
  file?: string | undefined
}

export async function describeRows(wanted: RowsToApprove): Promise<Approvable> {
  const {serviceId, rows, name, file, isAll} = wanted
  const payees = await describePaymentPayees(wanted, rows, isAll ? rows : rows.slice(0, itemsShownMax))
  const totals = sumAmounts(rows).map(({amount, currency, count}) => `${amount} ${currency} (${count})`)
  const facts: ApprovalFact[] = [
    {label: 'Rows', lines: [String(rows.length)]},
    {label: 'Total', lines: totals},
    {label: 'Your fees', lines: sumDeveloperFees(rows)},
    ...payees.facts,
  ]
  const items = rows.map((row) => createPaymentItem(row, payees.nameAccount))
  const content = {fields: [], list: {noun: 'row', items}}
  return {subject: createPayoutsSubject(serviceId, rows), name, file, facts, content}
}

interface FileReading extends Pick<RunSettings, 'traits' | 'connect'> {
  file: string
  slot: FileSlot | undefined
  isAll: boolean
}

// Reads a payout file for those who approve it, with the rows as they would be paid.
export async function readApprovableFile({file, slot, isAll, ...access}: FileReading): Promise<Approvable> {
  const {context, rows, serviceId, problems} = await openRun({...access, written: await readPayouts(file, slot)})
  try {
    rejectFile(file, problems)
    return await describeRows({...context, serviceId, rows, name: file, file, isAll})
  } finally {
    await context.close()
  }
}
