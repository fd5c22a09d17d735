// What has become of the rows of a file: what the journal has of them now, after any number of runs, and how the service says that
// their transactions are.
import {SvcError} from '../../errors.ts'
import {withPaymentContext} from '../../payments/pay/open-context.ts'
import {isSameContent} from '../../payments/protocol/compare.ts'
import {type Payment, type PaymentState, getLastAttempt, notMadeStates} from '../../payments/protocol/payment.ts'
import {countNoun, quoteForShell} from '../../values/text.ts'
import {completeRows, createAccountReader} from '../file/complete-rows.ts'
import type {FileSlot} from '../file/file-slot.ts'
import type {ServiceAccess} from '../file/readiness.ts'
import {type PayoutRow, readPayouts, rejectFile} from '../file/rows.ts'
import {createServiceLists} from './customer-lists.ts'
import {readJournalState} from './journal-state.ts'
import {type PayoutResult, type RowState, toBaseResult, toCreatedResult} from './result.ts'
import {readPaymentsByKey, reportRow} from './row-outcome.ts'
import {concurrencyDefault} from '../../payments/pay/throttle.ts'

// How the last attempt at a row ended that was not made.
const endedStates: Partial<Record<PaymentState, RowState>> = {REJECTED: 'REJECTED', STOPPED: 'STOPPED'}

const nothingSent = {
  error: 'NOT_MADE',
  message: 'An earlier run began this row and made nothing; the result file of that run says why',
}

// What the runs before have said of a row, as far as the journal keeps it.
function toRecordedResult(row: PayoutRow, payment: Payment): PayoutResult {
  const state = endedStates[payment.state]
  if (!state) return {...toBaseResult(row, 'NOT_TRIED'), error: nothingSent}
  const {reason, error = payment.state, statusCode} = getLastAttempt(payment) ?? {}
  const message = reason ?? (state === 'STOPPED' ? 'A limit stopped it' : 'The service rejected it')
  return {...toBaseResult(row, state), error: {error, message, ...(statusCode !== undefined && {statusCode})}}
}

export interface FileReport {
  results: PayoutResult[]
  // Whether the service could not be asked how the transactions of made rows are.
  isUnasked: boolean
}

export const unaskedNotice =
  'The service could not be asked how the transactions are: this is what the journal knows of them.'

// The lists of the customers are read once for all of their rows.
export async function reportFile(file: string, slot: FileSlot | undefined, access: ServiceAccess): Promise<FileReport> {
  const {rows: written, remarks} = await readPayouts(file, slot)
  const {serviceId} = access.traits
  return withPaymentContext(access, async (context) => {
    const {client, journal} = context
    const readAccounts = createAccountReader(client)
    const {rows, problems} = await completeRows({
      context,
      serviceId,
      rows: written,
      readAccounts,
      concurrency: concurrencyDefault,
    })
    rejectFile(file, problems, remarks)
    const keys = rows.map(({key}) => key)
    const recorded = await readPaymentsByKey(journal, serviceId, keys)
    const journalState = await readJournalState(journal, serviceId, rows)
    const usedByLine = new Map(journalState.problems.map(({line, message}) => [line, message]))
    const lists = createServiceLists(context, serviceId, rows, journalState)
    let isUnasked = false
    const readMade = async (row: PayoutRow, payment: Payment): Promise<PayoutResult> => {
      const transactions = await lists.findIfReadable({key: row.key, customerId: row.content.customerId})
      isUnasked ||= !transactions
      const own = transactions?.find(({transactionId}) => transactionId === payment.transactionId)
      return toCreatedResult(row, payment, own, false)
    }
    const results: PayoutResult[] = []
    for (const row of rows) {
      const found = recorded.get(row.key)
      const used = usedByLine.get(row.line)
      const heard = used
        ? {...toBaseResult(row, 'NOT_TRIED'), error: {error: 'KEY_USED', message: used}}
        : found && notMadeStates.includes(found.payment.state)
          ? toRecordedResult(row, found.payment)
          : found?.payment.state === 'CREATED' && isSameContent(found.payment.content, row.content)
            ? await readMade(row, found.payment)
            : undefined
      results.push(reportRow({row, recorded: found, heard, wasMadeBefore: false}))
    }
    return {results, isUnasked}
  })
}

// What has become of every row of a file or a batch, some rows at a time.
export interface PayoutResults {
  // All rows, where they are known at once.
  rows?: readonly PayoutResult[]
  pages: () => AsyncGenerator<{items: PayoutResult[]; envelope: {payouts: PayoutResult[]}}>
  // After the last page: why not all has ended. Undefined if every row has.
  findError: () => SvcError | undefined
  // After the last page: what the rows in a file are, as a sentence says it.
  describeFile: (file: string) => string
}

interface ResultWords {
  // Such as: the batch b7k2m9qxw
  name: string
  // How what is unknown becomes known, and how the rest goes on.
  settle: string
  goOn: string
}

interface OpenRows {
  // They may have been paid.
  unknown: number
  open: number
}

const isOpen = ({state, error}: PayoutResult) =>
  state === 'IN_PROGRESS' || (state === 'NOT_TRIED' && error?.error !== 'CANCELLED')

function createOpenRowsError({unknown, open}: OpenRows, {name, settle, goOn}: ResultWords): SvcError | undefined {
  if (unknown > 0) {
    const [rows, outcomes] = unknown === 1 ? ['One row', 'its outcome is'] : [`${unknown} rows`, 'their outcomes are']
    const more = open > 0 ? `; ${open} more ${open === 1 ? 'has' : 'have'} not ended` : ''
    return new SvcError({
      error: 'OUTCOME_UNKNOWN',
      kind: 'unknownOutcome',
      message: `${rows} of ${name} may have been paid, and ${outcomes} not known yet${more}`,
      hint: `${settle}; nothing is paid twice`,
    })
  }
  if (open === 0) return undefined
  return new SvcError({
    error: 'PENDING',
    kind: 'pending',
    message: `${countNoun(open, 'row')} of ${name} ${open === 1 ? 'has' : 'have'} not ended yet`,
    hint: goOn,
  })
}

export function createResults(walk: () => AsyncIterable<PayoutResult[]>, words: ResultWords): PayoutResults {
  const counted: OpenRows = {unknown: 0, open: 0}
  let refused = 0
  return {
    async *pages() {
      for await (const items of walk()) {
        refused += items.filter(({state}) => state === 'REJECTED').length
        counted.unknown += items.filter(({state}) => state === 'UNKNOWN').length
        counted.open += items.filter(isOpen).length
        yield {items, envelope: {payouts: items}}
      }
    },
    findError: () => createOpenRowsError(counted, words),
    describeFile(file) {
      const isKnown = counted.unknown === 0 && counted.open === 0 && refused === 0
      const later = refused === 0 ? '' : '; `svc reconcile` shows later whether the service made what it refused'
      return `${isKnown ? 'The outcome' : 'What is known'} of every row is in ${file}${later}.`
    },
  }
}

export function openFileResults(
  file: string,
  slot: FileSlot | undefined,
  results: readonly PayoutResult[],
): PayoutResults {
  const run = `svc payouts run ${quoteForShell(file)}${slot ? ` --slot ${slot.name}` : ''}`
  async function* walk() {
    yield [...results]
  }
  const words = {name: file, settle: `Run the file again to settle them: ${run}`, goOn: `Pay what is left: ${run}`}
  return {...createResults(walk, words), rows: results}
}
