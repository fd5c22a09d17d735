// Makes sure that a payout file was approved where the profile wants it, and records whose approvals were used.
import path from 'node:path'
import {type Approvable, type ApprovalFact, itemsShownMax} from '../../controls/approvable.ts'
import type {Approval} from '../../controls/approvals.ts'
import type {ApprovalSubject} from '../../controls/statement.ts'
import type {Journal} from '../../payments/journal/journal.ts'
import {type PayeeReading, describePaymentPayees, openApprovalStore} from '../../payments/pay/approve-plan.ts'
import type {PaymentContextSettings} from '../../payments/pay/open-context.ts'
import {createPaymentItem, createPayoutsSubject} from '../../payments/pay/payment-fields.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import {hasTransaction} from '../run/row-states.ts'
import {type OpenRun, openRun} from '../run/run.ts'
import {sumAmounts, sumDeveloperFees} from '../run/view.ts'
import type {FileSlot} from './file-slot.ts'
import {type PayoutRow, readPayouts, rejectFile} from './rows.ts'

export interface FileToApprove {
  caller: Caller
  traits: ServiceTraits
  // Complete, as they are paid.
  rows: readonly PayoutRow[]
  told: OpenRun['told']
  // The path, or - for standard input.
  file: string
  slot?: FileSlot | undefined
}

export interface FileApproval extends Approval {
  subject?: ApprovalSubject
}

// A file that was paid is only reported.
export async function requireFileApproval(wanted: FileToApprove): Promise<FileApproval> {
  const {caller, traits, rows, told, file, slot} = wanted
  const isPaid = rows.every(({key}) => hasTransaction(told.get(key)?.state ?? 'NOT_TRIED'))
  if (!caller.approvals || isPaid) return {approvals: [], isApproved: false}
  const subject = createPayoutsSubject(traits.serviceId, rows)
  const {requireApproval} = await import('../../controls/approvals.ts')
  const store = await openApprovalStore(traits.journal, subject, file)
  const approval = await requireApproval({caller, subject, store, sums: sumAmounts(rows), name: file, slot: slot?.name})
  return {...approval, subject}
}

export async function recordFileApproval(
  journal: Journal,
  {subject, ...approval}: FileApproval,
  {file}: Pick<FileToApprove, 'file'>,
): Promise<void> {
  if (!subject || approval.approvals.length === 0) return
  const {recordApprovals} = await import('../../controls/approvals.ts')
  await recordApprovals(journal, approval, {about: {file: path.basename(file)}, subject})
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
  const fees = sumDeveloperFees(rows)
  const facts: ApprovalFact[] = [
    {label: 'Rows', lines: [String(rows.length)]},
    {
      label: 'Total',
      lines: sumAmounts(rows).map(({amount, currency, count}) => `${amount} ${currency} (${count})`),
    },
    {label: 'Your fees', lines: fees},
    ...payees.facts,
  ]
  const items = rows.map((row) => createPaymentItem(row, payees.nameAccount))
  const content = {fields: [], list: {noun: 'row', items}}
  return {subject: createPayoutsSubject(serviceId, rows), name, file, facts, content}
}

// Reads a payout file for those who approve it, with the rows as they would be paid.
export interface FileReading {
  file: string
  slot: FileSlot | undefined
  traits: ServiceTraits
  connect: PaymentContextSettings['connect']
  isAll: boolean
}

export async function readApprovableFile(reading: FileReading): Promise<Approvable> {
  const {file, slot, traits, connect, isAll} = reading
  const rows = await readPayouts(file, slot)
  const run = await openRun({traits, rows, connect})
  try {
    rejectFile(file, run.routeProblems)
    const {client, journal} = run.context
    return await describeRows({serviceId: traits.serviceId, rows: run.rows, name: file, file, client, journal, isAll})
  } finally {
    await run.context.close()
  }
}
