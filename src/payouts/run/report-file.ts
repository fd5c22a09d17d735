// What has become of the rows of a file: what the journal has of them now, after any number of runs, and how the service says that
// their transactions are.
import {SvcError} from '../../errors.ts'
import {withPaymentContext} from '../../payments/pay/open-context.ts'
import {isSameContent} from '../../payments/protocol/compare.ts'
import type {Payment} from '../../payments/protocol/payment.ts'
import {countNoun, quoteForShell} from '../../values/text.ts'
import {completeRows, createAccountReader} from '../file/complete-rows.ts'
import type {FileSlot} from '../file/file-slot.ts'
import type {ServiceAccess} from '../file/readiness.ts'
import {type PayoutRow, readPayouts, rejectFile} from '../file/rows.ts'
import {createServiceLists} from './customer-lists.ts'
import {readJournalState} from './journal-state.ts'
import {findMadeTransaction, reportFailed} from './pay-row.ts'
import {type PayoutResult, toCreatedResult} from './result.ts'
import {readPaymentsByKey, tellOutcome} from './row-outcome.ts'
import {concurrencyDefault} from '../../payments/pay/throttle.ts'

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
    const lists = createServiceLists(context, serviceId, rows, await readJournalState(journal, serviceId, rows))
    let isUnasked = false
    // What the service says of a payment that was made, as a run hears it.
    const hear = async (row: PayoutRow, payment: Payment): Promise<PayoutResult> => {
      const transactions = await lists.findIfReadable({key: row.key, customerId: row.content.customerId})
      isUnasked ||= !transactions
      try {
        return toCreatedResult(row, payment, await findMadeTransaction(context, payment, transactions), false)
      } catch (error) {
        if (!(error instanceof SvcError)) throw error
        return reportFailed(context, serviceId, row, error)
      }
    }
    const results: PayoutResult[] = []
    for (const row of rows) {
      const found = recorded.get(row.key)
      const isMade = found?.payment.state === 'CREATED' && isSameContent(found.payment.content, row.content)
      results.push(tellOutcome(row, found, isMade ? await hear(row, found.payment) : undefined, false))
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
