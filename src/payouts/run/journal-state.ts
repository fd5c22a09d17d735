// Reads what the journal has about the rows of a file before the run starts.
import {countNoun} from '../../values/text.ts'
import {isSameContent, listContentChanges} from '../../payments/protocol/compare.ts'
import {canChangeContent} from '../../payments/protocol/key-use.ts'
import {type Payment, unsettledStates} from '../../payments/protocol/payment.ts'
import type {Journal} from '../../payments/journal/journal.ts'
import type {FileProblem} from '../file/records.ts'
import type {PayoutRow} from '../file/rows.ts'
import {describeKeyProblem, readPaymentsByKey} from './result.ts'

export interface JournalState {
  // By key. Rows that are not in the journal are absent.
  known: ReadonlyMap<string, Payment>
  // Keys that belong to a payment with other content.
  problems: FileProblem[]
  // Rows whose key had other content before, under which nothing can have been made.
  changedRows: ChangedRow[]
}

interface ChangedRow {
  line: number
  key: string
  // What differs, such as "amount 10 USDC → 12 USDC".
  changes: readonly string[]
}

export async function readJournalState(
  journal: Journal,
  serviceId: string,
  rows: readonly PayoutRow[],
): Promise<JournalState> {
  const keys = rows.map(({key}) => key)
  const recorded = await readPaymentsByKey(journal, serviceId, keys)
  const problems: FileProblem[] = []
  const changedRows: ChangedRow[] = []
  for (const {key, content, line} of rows) {
    const {payment} = recorded.get(key) ?? {}
    if (!payment || isSameContent(payment.content, content)) continue
    if (canChangeContent(payment)) {
      changedRows.push({line, key, changes: listContentChanges(payment.content, content)})
    } else problems.push({line, message: describeKeyProblem(payment)})
  }
  return {known: new Map([...recorded].map(([key, {payment}]) => [key, payment])), problems, changedRows}
}

const changesShownMax = 50

// Says which rows have other content than before, and how it differs.
export function describeChangedRows({changedRows}: JournalState, isDryRun: boolean): string[] {
  if (changedRows.length === 0) return []
  const lines = changedRows.slice(0, changesShownMax).map(describeChangedRow)
  const more = changedRows.length - lines.length
  return [
    `${countNoun(changedRows.length, 'row')} had other content in an earlier run, which paid nothing for it; ${isDryRun ? 'a run would pay' : 'svc pays'} what the file has now`,
    ...[...lines, ...(more > 0 ? [`… and ${more} more`] : [])].map((line) => `  ${line}`),
  ]
}

const describeChangedRow = ({line, key, changes}: ChangedRow) => `line ${line}, ${key}: ${changes.join('; ')}`

export const isCreated = ({key}: PayoutRow, {known}: JournalState): boolean => known.get(key)?.state === 'CREATED'

export function isUnsettled({key}: PayoutRow, {known}: JournalState): boolean {
  const state = known.get(key)?.state
  return state !== undefined && unsettledStates.includes(state)
}

// Whether a row is still to be paid: no transaction exists or may exist for it.
export const isOpen = (row: PayoutRow, state: JournalState): boolean =>
  !isCreated(row, state) && !isUnsettled(row, state)
