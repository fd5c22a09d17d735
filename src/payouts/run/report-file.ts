// What has become of the rows of a file: what the journal has of them now, after any number of runs, and how the service says that
// their transactions are.
import type {FileSlot} from '../file/file-slot.ts'
import {readPayouts, rejectFile} from '../file/rows.ts'
import {CustomerLists} from './customer-lists.ts'
import {reportMade} from './pay-row.ts'
import {type PayoutResult, tellOutcome} from './result.ts'
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
    const results: PayoutResult[] = []
    let isUnasked = false
    for (const row of run.rows) {
      const told = tellOutcome(row, run.known.get(row.key))
      const {payment} = run.known.get(row.key) ?? {}
      if (!payment || !hasTransaction(told.state)) {
        results.push(told)
        continue
      }
      const transactions = await lists.findIfReadable(payment)
      isUnasked ||= !transactions
      const {result, failure} = await reportMade(run, row, payment, transactions, false)
      if (failure?.kind === 'bug') throw failure
      results.push(result)
    }
    return {results, isUnasked}
  } finally {
    await run.context.close()
  }
}
