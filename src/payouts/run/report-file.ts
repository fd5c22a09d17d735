// What has become of the rows of a file: what the journal has of them now, after any number of runs, and how the service says that
// their transactions are.
import {SvcError} from '../../errors.ts'
import type {PaymentContextSettings} from '../../payments/pay/open-context.ts'
import type {FileSlot} from '../file/file-slot.ts'
import {readPayouts, rejectFile} from '../file/rows.ts'
import {CustomerLists} from './customer-lists.ts'
import {findMadeTransaction, reportFailed} from './pay-row.ts'
import {type PayoutResult, toMadeResult} from './result.ts'
import {hasTransaction} from './row-states.ts'
import {openRun} from './run.ts'

export interface FileReport {
  results: PayoutResult[]
  // Whether the service could not be asked how the transactions of made rows are.
  isUnasked: boolean
}

// The lists of the customers are read once for all of their rows. Nothing is written.
export async function reportFile(
  file: string,
  slot: FileSlot | undefined,
  access: Pick<PaymentContextSettings, 'traits' | 'connect'>,
): Promise<FileReport> {
  const written = await readPayouts(file, slot)
  const {context, serviceId, rows, known, told, routeProblems} = await openRun({...access, rows: written})
  try {
    rejectFile(file, routeProblems)
    const lists = new CustomerLists(context)
    const results: PayoutResult[] = []
    let isUnasked = false
    for (const row of rows) {
      const result = told.get(row.key)
      const {payment} = known.get(row.key) ?? {}
      if (!result || !payment || !hasTransaction(result.state)) {
        if (result) results.push(result)
        continue
      }
      const transactions = await lists.findIfReadable(payment)
      isUnasked ||= !transactions
      const heard = await findMadeTransaction(context, payment, transactions).then(
        (transaction) => toMadeResult(row, payment, transaction),
        (error: unknown) => {
          if (error instanceof SvcError) return reportFailed(context, serviceId, row, error)
          throw error
        },
      )
      results.push(heard)
    }
    return {results, isUnasked}
  } finally {
    await context.close()
  }
}
