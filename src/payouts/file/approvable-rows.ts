// What people see of a payout file or a batch before they approve it: how much, to whom, and who is new.
import {type Approvable, type ApprovalFact, type Snapshot, limitLines} from '../../controls/approvable.ts'
import {createPayoutsSubject} from '../../payments/controls/approval-subject.ts'
import type {Journal} from '../../payments/journal/journal.ts'
import {type NameAccount, readAccountNames} from '../../payments/plan/name-accounts.ts'
import type {Client} from '../../client/client.ts'
import {parseDecimal} from '../../values/money.ts'
import type {PayoutRow} from './rows.ts'
import {sumAmounts, sumDeveloperFees, sumRows} from '../run/totals.ts'

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
