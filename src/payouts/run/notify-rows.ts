// Tells a person about rows that need one. Stopped rows are told together, since one cause often stops many.
import type {Notifier} from '../../notifications/notifier.ts'
import {isAboutBalance} from '../../payments/protocol/payment-errors.ts'
import {notifyDrained, notifyEnded} from '../../payments/run/notify-payments.ts'
import type {PayoutResult} from './result.ts'
import type {PayoutRow} from '../file/rows.ts'

const keysShownMax = 10

// Tells about one row that has ended. False if it is one of those that are told together.
export function notifyRow(notifier: Notifier, row: Pick<PayoutRow, 'key' | 'content'>, result: PayoutResult): boolean {
  const {state, status = '', transaction, error} = result
  if (state === 'ENDED_BADLY') notifyEnded(notifier, {...row, status, transactionId: transaction})
  if (error && isAboutBalance(error.error)) {
    const {sourcePaymentAccountId: account, sourceCurrency} = row.content.source
    const wallet = {account, currency: sourceCurrency.toUpperCase(), error: error.error, key: row.key}
    notifyDrained(notifier, wallet, Date.now())
  }
  return state !== 'STOPPED'
}

// The rows of a file that a limit or a possible duplicate stopped, by the code of what stopped them.
export function notifyRows(
  notifier: Notifier | undefined,
  rows: ReadonlyArray<Pick<PayoutRow, 'key' | 'content'>>,
  results: readonly PayoutResult[],
): void {
  if (!notifier) return
  const rowsByKey = new Map(rows.map((row) => [row.key, row]))
  const stopped = results.filter((result) => {
    const row = rowsByKey.get(result.key)
    return row && !notifyRow(notifier, row, result)
  })
  for (const [code = 'LIMIT_REACHED', group] of Map.groupBy(stopped, ({error}) => error?.error)) {
    const keys = group.map(({key}) => key).toSorted()
    notifier.add({
      event: 'payouts.stopped',
      facts: [code, ...keys],
      detail: {
        rows: keys.length,
        keys: keys.slice(0, keysShownMax),
        error: code,
        reason: group[0]?.error?.message,
        exitCode: 10,
      },
    })
  }
}
