// Reads what the journal has about the rows of a file before the run starts.
import {quoteForShell} from '../../values/text.ts'
import {isSameContent, listContentChanges} from '../../payments/protocol/compare.ts'
import {canChangeContent} from '../../payments/protocol/key-use.ts'
import {
  type BadEnding,
  type Payment,
  type PaymentState,
  deriveCorrelationId,
  unsettledStates,
} from '../../payments/protocol/payment.ts'
import {listCustomers} from '../../payments/protocol/search.ts'
import type {Journal} from '../../payments/journal/journal.ts'
import type {FileProblem} from '../file/records.ts'
import type {PayoutRow} from '../file/rows.ts'

interface KnownRow {
  // The id under which it was recorded, which may be a former one of the service.
  serviceId: string
  state: PaymentState
  quoteIds: string[]
  // All customers that it was tried for.
  customers: string[]
  // How often its attempts were sent before this run.
  sends: number
  transactionId?: string | undefined
  ended?: BadEnding | undefined
}

export interface JournalState {
  // By key. Rows that are not in the journal are absent.
  known: ReadonlyMap<string, KnownRow>
  problems: FileProblem[]
  // Rows whose key had other content before, under which nothing can have been made.
  changedRows: ChangedRow[]
}

export interface ChangedRow {
  line: number
  key: string
  // What differs, such as "amount 10 USDC → 12 USDC".
  changes: readonly string[]
}

export const describeKeyProblem = ({key, state}: Payment) =>
  unsettledStates.includes(state)
    ? `the key ${key} belongs to a payment with other content, which may have been made (svc journal settle ${quoteForShell(key)})`
    : `the key ${key} belongs to a payment with other content, which was made (svc journal show ${quoteForShell(key)})`

// Keys that belong to a payment with other content are found before anything is sent.
export async function readJournalState(
  journal: Journal,
  serviceId: string,
  rows: readonly PayoutRow[],
): Promise<JournalState> {
  const known = new Map<string, KnownRow>()
  const problems: FileProblem[] = []
  const changedRows: ChangedRow[] = []
  for (const {key, content, line} of rows) {
    const payment = await journal.find(serviceId, key)
    if (!payment) continue
    if (!isSameContent(payment.content, content)) {
      if (canChangeContent(payment)) {
        changedRows.push({line, key, changes: listContentChanges(payment.content, content)})
      } else problems.push({line, message: describeKeyProblem(payment)})
    }
    const {state, attempts, transactionId, ended} = payment
    const quoteIds = attempts.map(({quoteId}) => quoteId)
    const customers = listCustomers(payment)
    const sends = countSends(payment)
    known.set(key, {serviceId: payment.serviceId, state, quoteIds, customers, sends, transactionId, ended})
  }
  return {known, problems, changedRows}
}

export const countSends = ({attempts}: Payment) => attempts.reduce((total, {sends}) => total + sends, 0)

const changesShownMax = 50

// Says which rows have other content than before, and how it differs.
export function describeChangedRows({changedRows}: JournalState, isDryRun: boolean): string[] {
  if (changedRows.length === 0) return []
  const lines = changedRows.slice(0, changesShownMax).map(describeChangedRow)
  const more = changedRows.length - lines.length
  const isOne = changedRows.length === 1
  const what = isOne ? 'One row is not as in' : `${changedRows.length} rows are not as in`
  const [them, present] = isOne ? ['it', 'it is'] : ['them', 'they are']
  const head = `${what} an earlier run, which paid nothing for ${them}; ${isDryRun ? 'a run would pay' : 'svc pays'} ${them} as ${present} now`
  return [head, ...[...lines, ...(more > 0 ? [`… and ${more} more`] : [])].map((line) => `  ${line}`)]
}

export const describeChangedRow = ({line, key, changes}: ChangedRow) => `line ${line}, ${key}: ${changes.join('; ')}`

// What the journal had of a row before the run, for when it cannot be read any more.
export function getKnownPayment({key, content}: PayoutRow, {known}: JournalState): Payment | undefined {
  const found = known.get(key)
  if (!found) return undefined
  const {serviceId, state, transactionId, ended} = found
  const made = {...(transactionId !== undefined && {transactionId}), ...(ended && {ended})}
  return {serviceId, key, content, state, attempts: [], ...made, createdAt: 0, updatedAt: 0}
}

export const isCreated = ({key}: PayoutRow, {known}: JournalState): boolean => known.get(key)?.state === 'CREATED'

// Whether a row is still to be paid: no transaction exists or may exist for it.
export function isOpen({key}: PayoutRow, {known}: JournalState): boolean {
  const state = known.get(key)?.state
  return state === undefined || (state !== 'CREATED' && !unsettledStates.includes(state))
}

// Maps the ids by which a transaction is recognized as one of these rows to the key of the row.
export function mapIdsToKeys(
  serviceId: string,
  rows: readonly PayoutRow[],
  {known}: JournalState,
): Map<string, string> {
  const keysById = new Map<string, string>()
  for (const {key} of rows) {
    const {serviceId: recordedId = serviceId, quoteIds = [], transactionId} = known.get(key) ?? {}
    keysById.set(deriveCorrelationId(recordedId, key), key)
    for (const quoteId of quoteIds) keysById.set(quoteId, key)
    if (transactionId !== undefined) keysById.set(transactionId, key)
  }
  return keysById
}
