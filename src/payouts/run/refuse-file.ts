// Reports a file of which nothing is paid, because of some of its rows.
import {isCreated, isOpen} from './journal-state.ts'
import {reportCreated} from './pay-row.ts'
import {type ResultFileSettings, prepareResultFile} from './prepare-result-file.ts'
import {type PayoutResult, toBaseResult} from './result.ts'
import type {PayoutRow} from '../file/rows.ts'
import {type RowStop, toStoppedResult} from './row-stop.ts'
import type {Batch} from './run.ts'

const outcomeUnknown = {
  error: 'OUTCOME_UNKNOWN',
  message: 'The outcome of an earlier run is unknown; this run has not tried to settle it',
}

export async function refuseFile(
  batch: Pick<Batch, 'context' | 'serviceId' | 'rows' | 'journalState'>,
  stops: readonly RowStop[],
  settings: ResultFileSettings,
): Promise<PayoutResult[]> {
  const writeResultFile = prepareResultFile(settings)
  const stoppedByKey = new Map(stops.map((stop) => [stop.row.key, stop]))
  const toResult = async (row: PayoutRow): Promise<PayoutResult> => {
    const stop = stoppedByKey.get(row.key)
    if (stop) return toStoppedResult(stop)
    if (isOpen(row, batch.journalState)) return toBaseResult(row, 'NOT_TRIED')
    if (isCreated(row, batch.journalState)) return reportCreated(batch.context, batch.serviceId, row, [])
    return {...toBaseResult(row, 'UNKNOWN'), error: outcomeUnknown}
  }
  const results: PayoutResult[] = []
  for (const row of batch.rows) results.push(await toResult(row))
  for (const text of writeResultFile(results)) settings.notice(text)
  return results
}
