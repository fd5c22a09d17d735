// Pays several slots of a schedule one after the other, and stops at the first that does not end well.
import {SvcError} from '../../errors.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {transactionView} from '../../transactions/view.ts'

// Returns the transactions so far as a list, with the failure that ended it.
export async function payInOrder<Slot>(slots: readonly Slot[], pay: (slot: Slot) => Promise<Result>): Promise<Result> {
  const transactions: object[] = []
  let failure: SvcError | undefined
  for (const slot of slots) {
    try {
      const result = await pay(slot)
      if (result?.kind === 'item') transactions.push(result.value)
      failure = result?.failure
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      failure = error
    }
    if (failure) break
  }
  if (failure && transactions.length === 0) throw failure
  return listResult(transactions, 'transactions', transactionView, {failure})
}
