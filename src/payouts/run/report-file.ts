// What has become of the rows of a file: what the journal has of them now, after any number of runs, and how the service says that
// their transactions are.
import {SvcError} from '../../errors.ts'
import {type PaymentContextSettings, withPaymentContext} from '../../payments/pay/open-context.ts'
import {concurrencyDefault} from '../../payments/pay/throttle.ts'
import {isSameContent} from '../../payments/protocol/compare.ts'
import type {Payment} from '../../payments/protocol/payment.ts'
import {countNoun, quoteForShell} from '../../values/text.ts'
import {completeRows, createAccountReader} from '../file/complete-rows.ts'
import type {FileSlot} from '../file/file-slot.ts'
import {type PayoutRow, readPayouts, rejectFile} from '../file/rows.ts'
import {CustomerLists} from './customer-lists.ts'
import {findMadeTransaction, reportFailed} from './pay-row.ts'
import {type PayoutResult, readPaymentsByKey, tellOutcome, toCreatedResult} from './result.ts'

export interface FileReport {
  results: PayoutResult[]
  // Whether the service could not be asked how the transactions of made rows are.
  isUnasked: boolean
}

// The lists of the customers are read once for all of their rows.
export async function reportFile(
  file: string,
  slot: FileSlot | undefined,
  access: Pick<PaymentContextSettings, 'traits' | 'connect'>,
): Promise<FileReport> {
  const {rows: written, remarks} = await readPayouts(file, slot)
  const {serviceId} = access.traits
  return withPaymentContext(access, async (context) => {
    const readAccounts = createAccountReader(context.client)
    const incomplete = {context, serviceId, rows: written, readAccounts, concurrency: concurrencyDefault}
    const {rows, problems} = await completeRows(incomplete)
    rejectFile(file, problems, remarks)
    const keys = rows.map(({key}) => key)
    const recorded = await readPaymentsByKey(context.journal, serviceId, keys)
    const lists = new CustomerLists(context)
    let isUnasked = false
    // What the service says of a payment that was made, as a run hears it.
    const hear = async (row: PayoutRow, payment: Payment): Promise<PayoutResult> => {
      const transactions = await lists.findIfReadable(payment)
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
}

interface ResultWords {
  // Such as: the batch b7k2m9qxw
  name: string
  // How what is unknown becomes known, and how the rest goes on.
  settle: string
  goOn: string
}

const isOpen = ({state, error}: PayoutResult) =>
  state === 'IN_PROGRESS' || (state === 'NOT_TRIED' && error?.error !== 'CANCELLED')

export function createResults(
  walk: () => AsyncIterable<PayoutResult[]>,
  {name, settle, goOn}: ResultWords,
): PayoutResults {
  let [unknown, open] = [0, 0]
  return {
    async *pages() {
      for await (const items of walk()) {
        unknown += items.filter(({state}) => state === 'UNKNOWN').length
        open += items.filter(isOpen).length
        yield {items, envelope: {payouts: items}}
      }
    },
    findError() {
      const left = [
        ...(unknown > 0
          ? [`${countNoun(unknown, 'row')} may have been paid, with an outcome that is not known yet`]
          : []),
        ...(open > 0 ? [`${countNoun(open, 'row')} not ended yet`] : []),
      ]
      if (left.length === 0) return undefined
      const message = `Of ${name}, ${left.join('; ')}`
      return unknown > 0
        ? new SvcError({
            error: 'OUTCOME_UNKNOWN',
            kind: 'unknownOutcome',
            message,
            hint: `${settle}; nothing is paid twice`,
          })
        : new SvcError({error: 'PENDING', kind: 'pending', message, hint: goOn})
    },
  }
}

export function openFileResults(
  file: string,
  slot: FileSlot | undefined,
  results: readonly PayoutResult[],
): PayoutResults {
  const run = `\`svc payouts run ${quoteForShell(file)}${slot ? ` --slot ${slot.name}` : ''}\``
  async function* walk() {
    yield [...results]
  }
  const words = {name: file, settle: `Run the file again to settle them: ${run}`, goOn: `Pay what is left: ${run}`}
  return {...createResults(walk, words), rows: results}
}
