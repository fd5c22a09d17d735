// What has become of the rows of a file: what the journal has of them now, after any number of runs, and how the service says that
// their transactions are.
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {readTransaction} from '../../payments/protocol/search.ts'
import type {FileSlot} from '../file/file-slot.ts'
import {readPayouts, rejectFile} from '../file/rows.ts'
import {CustomerLists} from './customer-lists.ts'
import {endRow} from './pay-row.ts'
import {type PayoutResult, tellOutcome, toMadeResult} from './result.ts'
import {hasTransaction} from './row-states.ts'
import {type RunSettings, openRun} from './run.ts'

export interface FileReport {
  results: PayoutResult[]
  // Whether the service could not be asked how the transactions of made rows are.
  isUnasked: boolean
}

// The lists of the customers are read once for all of their rows. Nothing is written.
export async function reportFile(
  file: string,
  slot: FileSlot | undefined,
  access: Pick<RunSettings, 'traits' | 'connect'>,
): Promise<FileReport> {
  const run = await openRun({...access, written: await readPayouts(file, slot)})
  try {
    rejectFile(file, run.problems)
    const lists = new CustomerLists(run.context)
    const context: PaymentContext = {...run.context, readListed: (payment, freshFrom) => lists.find(payment, freshFrom)}
    const results: PayoutResult[] = []
    let isUnasked = false
    for (const row of run.rows) {
      const told = tellOutcome(row, run.known.get(row.key))
      const {payment} = run.known.get(row.key) ?? {}
      if (!payment || !hasTransaction(told.state)) {
        results.push(told)
        continue
      }
      const {result, failure} = await endRow(run, row, async () => {
        const {transaction, readError} = await readTransaction(context, payment)
        isUnasked ||= readError !== undefined
        return {result: toMadeResult(row, payment, transaction)}
      })
      if (failure?.kind === 'bug') throw failure
      results.push(result)
    }
    return {results, isUnasked}
  } finally {
    await run.context.close()
  }
}
