// Finds rows of a file that may be duplicates: of the same amount to the same account as another row, or as a payment of the
// journal under another key within the profile's window.
import {describeDuplicate, toDuplicateKey} from '../../payments/controls/duplicates.ts'
import type {Payment} from '../../payments/protocol/payment.ts'
import {isOpen} from '../run/journal-state.ts'
import type {CheckedFile} from './file-limits.ts'
import {type CheckResult, type RowStop, createStop} from '../run/row-stop.ts'
import type {PayoutRow} from './rows.ts'

// Lists what was, or may have been, paid within the window. The journal is asked once for each account and currency.
function createPaidLookup({context, serviceId}: CheckedFile, windowMs: number): (row: PayoutRow) => Promise<Payment[]> {
  const sinceMs = context.clock.latest() - windowMs
  const byRoute = new Map<string, Map<string, Payment[]>>()
  const readRoute = async (destination: string, currency: string) => {
    const paid = await context.journal.listPaidTo({serviceId, destination, currency, sinceMs})
    // What ended badly has to be paid again, under another key.
    const current = paid.filter(({ended}) => ended === undefined)
    return Map.groupBy(current, (payment) => toDuplicateKey(payment.content))
  }
  return async ({key, content}) => {
    const destination = content.destination.destinationPaymentAccountId
    const currency = content.source.sourceCurrency.toUpperCase()
    const route = JSON.stringify([destination, currency])
    const known = byRoute.get(route) ?? (await readRoute(destination, currency))
    byRoute.set(route, known)
    return (known.get(toDuplicateKey(content)) ?? []).filter((payment) => payment.key !== key)
  }
}

// A row that was made, or may have been, is not paid again and is no duplicate itself. Of several rows that are alike, the
// first one is none either.
export async function findDuplicateRows(file: CheckedFile, windowMs: number): Promise<CheckResult> {
  if (windowMs === 0) return {stops: [], dependsOnTime: false}
  const listPaid = createPaidLookup(file, windowMs)
  const firstRows = new Map<string, PayoutRow>()
  let dependsOnTime = false
  const stops: RowStop[] = []
  for (const row of file.rows) {
    if (!isOpen(row, file.journalState)) continue
    const alike = toDuplicateKey(row.content)
    const first = firstRows.get(alike)
    if (!first) firstRows.set(alike, row)
    const [paid] = await listPaid(row)
    dependsOnTime ||= paid !== undefined
    if (paid) stops.push(createStop(row, 'POSSIBLE_DUPLICATE', `There is already ${describeDuplicate(paid)}`))
    if (paid || !first) continue
    const {source, destination} = row.content
    const what = `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()} to ${destination.destinationPaymentAccountId}`
    stops.push(createStop(row, 'POSSIBLE_DUPLICATE', `Line ${first.line} (${first.key}) also pays ${what}`))
  }
  return {stops, dependsOnTime}
}
