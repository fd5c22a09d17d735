// Makes sure that a payout file was approved where the profile wants it, and records whose approvals were used.
import path from 'node:path'
import type {Client} from '../../client/client.ts'
import {type Approvable, type ApprovalFact, type Snapshot, limitLines} from '../../controls/approvable.ts'
import type {ApprovalSubject} from '../../controls/statement.ts'
import {createPayoutsSubject} from '../../payments/controls/approve-plan.ts'
import type {Approval} from '../../payments/controls/require-approval.ts'
import type {Journal} from '../../payments/journal/journal.ts'
import {type NameAccount, readAccountNames} from '../../payments/plan/decide-route.ts'
import type {PaymentContextSettings} from '../../payments/run/open-context.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {parseDecimal} from '../../values/money.ts'
import {type JournalState, isCreated} from '../run/journal-state.ts'
import {openBatch} from '../run/run.ts'
import {sumAmounts, sumDeveloperFees, sumRows} from '../run/summary.ts'
import {readValidPayouts, rejectWrongRows} from './readiness.ts'
import type {PayoutRow} from './rows.ts'

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

const isWholeFilePaid = ({rows, journalState}: FileToApprove) => rows.every((row) => isCreated(row, journalState))

// A file that was paid is only reported.
export async function requireFileApproval(wanted: FileToApprove): Promise<FileApproval> {
  const {caller, traits, rows, file} = wanted
  if (!caller.approvals || isWholeFilePaid(wanted)) return {approvals: [], isApproved: false}
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
  const {recordApprovals} = await import('../../payments/controls/require-approval.ts')
  const keys = rows.length <= keysMax ? {keys: rows.map(({key}) => key)} : {}
  await recordApprovals(journal, approval, {about: {file: path.basename(file)}, subject, ...keys})
}

// What people see of a payout file or a batch before they approve it: how much, to whom, and who is new.
export interface RowsToApprove {
  serviceId: string
  // Complete, as they are paid.
  rows: readonly PayoutRow[]
  name: string
  file?: string | undefined
  client: Client
  journal: Pick<Journal, 'listPayees'>
}

const largestMax = 5

const getDestination = ({content}: PayoutRow) => content.destination.destinationPaymentAccountId

const formatRow = ({content}: PayoutRow, nameAccount: NameAccount) =>
  `${content.source.sourceAmount} ${content.source.sourceCurrency.toUpperCase()} to ${nameAccount(content)}`

function compareAmounts(one: PayoutRow, other: PayoutRow): number {
  const [first, second] = [one, other].map(({content}) => parseDecimal(content.source.sourceAmount))
  return first && second ? second.cmp(first) : 0
}

// One row for each account that this journal has never paid.
async function listNewPayees({serviceId, rows, journal}: RowsToApprove): Promise<PayoutRow[]> {
  const byDestination = new Map(rows.map((row) => [getDestination(row), row]))
  const known = await journal.listPayees(serviceId, [...byDestination.keys()])
  for (const {destination, isPaid} of known) if (isPaid) byDestination.delete(destination)
  return [...byDestination.values()]
}

// What each account receives: the keys of the rows differ from file to file.
function takeSnapshot(rows: readonly PayoutRow[]): Snapshot {
  const groups = Map.groupBy(rows, getDestination)
  return Object.fromEntries([...groups].map(([destination, own]) => [destination, sumRows(own).join(', ')]))
}

export async function describeRows(wanted: RowsToApprove): Promise<Approvable> {
  const {serviceId, rows, name, file, client} = wanted
  const newPayees = await listNewPayees(wanted)
  const largest = rows.toSorted(compareAmounts).slice(0, largestMax)
  const nameAccount = await readAccountNames(
    client,
    [...largest, ...newPayees].map(({content}) => content),
  )
  const newLines = newPayees.map(({content}) => nameAccount(content))
  const facts: ApprovalFact[] = [
    {label: 'Rows', lines: [String(rows.length)]},
    {label: 'Amount', lines: sumAmounts(rows).map(({amount, currency, count}) => `${amount} ${currency} (${count})`)},
    {label: 'Your fees', lines: sumDeveloperFees(rows)},
    {
      label: rows.length > largest.length ? 'Largest' : 'Pays',
      lines: largest.map((row) => formatRow(row, nameAccount)),
    },
    {label: 'New payees', lines: newLines.length > 0 ? limitLines(newLines) : ['none: all were paid before']},
  ]
  return {subject: createPayoutsSubject(serviceId, rows), name, file, facts, snapshot: takeSnapshot(rows)}
}

// Reads a payout file for those who approve it, with the rows as they would be paid.
export interface FileReading {
  file: string
  traits: ServiceTraits
  connect: PaymentContextSettings['connect']
  notice: (text: string) => void
}

export async function readApprovableFile({file, traits, connect, notice}: FileReading): Promise<Approvable> {
  const {rows, remarks} = await readValidPayouts(file, async () => ({traits, connect}))
  for (const remark of remarks) notice(remark)
  const batch = await openBatch({traits, rows, connect})
  try {
    await rejectWrongRows(file, batch, [])
    const {client, journal} = batch.context
    return await describeRows({serviceId: traits.serviceId, rows: batch.rows, name: file, file, client, journal})
  } finally {
    await batch.context.close()
  }
}
