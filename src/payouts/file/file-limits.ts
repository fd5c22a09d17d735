// Checks a whole file against the limits that are known before the first quote: the payment cap and the destinations of each
// row, the daily cap with what the journal counts today, and developer fees that exceed --max-fee by themselves.
import {
  LimitReached,
  buildDailyQuery,
  checkDailyLimit,
  checkKnownFees,
  checkPaymentLimits,
} from '../../payments/protocol/limits.ts'
import type {SpendingQuery} from '../../controls/check-spending.ts'
import {addAmounts} from '../../values/money.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {type JournalState, isOpen} from '../run/journal-state.ts'
import type {PayoutRow} from './rows.ts'
import {type CheckResult, type RowStop, createStop} from '../run/row-stop.ts'

export interface CheckedFile {
  context: Pick<PaymentContext, 'spending' | 'clock' | 'journal' | 'service'>
  serviceId: string
  rows: readonly PayoutRow[]
  journalState: JournalState
}

// If one amount is not known, there is no sum: the amounts stay as they are, and stop every row.
function sumUp(amounts: string[]): string[] {
  const sum = addAmounts(amounts)
  return sum === undefined ? amounts : [sum]
}

// What is spent today in each currency: by the journal, and by the rows of the file that fit so far.
function createDay({context, serviceId}: CheckedFile) {
  const amountsByCurrency = new Map<string, string[]>()
  let hasSpent = false
  const listAmounts = async ({currency, sinceMs}: SpendingQuery) => {
    const known = amountsByCurrency.get(currency)
    if (known) return known
    const amounts = await context.journal.listSpentAmounts(serviceId, '', {currency, sinceMs})
    hasSpent ||= amounts.length > 0
    // One sum instead of thousands of amounts for every row.
    const summed = sumUp(amounts)
    amountsByCurrency.set(currency, summed)
    return summed
  }
  return {
    // Whether the journal has payments of today.
    hasSpent: () => hasSpent,
    async check({content}: PayoutRow) {
      const {spending, clock} = context
      const query = buildDailyQuery(spending, content, clock.latest())
      const amounts = query ? await listAmounts(query) : []
      checkDailyLimit(spending, content, amounts, 'is paid or pending today, with the rows above')
    },
    add({content}: PayoutRow) {
      const currency = content.source.sourceCurrency.toUpperCase()
      const amounts = amountsByCurrency.get(currency)
      if (amounts) amountsByCurrency.set(currency, sumUp([...amounts, content.source.sourceAmount]))
    },
  }
}

// Returns the rows that do not fit. Each row that fits leaves less of the daily cap to those below it. Rows that an earlier
// run made or left unknown are in the journal's count already, and have to be settled whatever the limits say.
export async function findRowsOverLimit(file: CheckedFile): Promise<CheckResult> {
  const {context, rows, journalState} = file
  const day = createDay(file)
  const stops: RowStop[] = []
  for (const row of rows) {
    if (!isOpen(row, journalState)) continue
    try {
      checkPaymentLimits(context.spending, row.content)
      checkKnownFees(row.limits, row.content)
      await day.check(row)
      day.add(row)
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error
      stops.push(createStop(row, 'LIMIT_REACHED', error.message))
    }
  }
  return {stops, dependsOnTime: stops.length > 0 && day.hasSpent()}
}
