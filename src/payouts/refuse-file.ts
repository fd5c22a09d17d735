// Reports a file of which nothing is paid, because of some of its rows.
import {isCreated, isOpen} from './journal-state.ts'
import {type ResultFileSettings, describeResultFile, prepareResultFile} from './prepare-result-file.ts'
import {type PayoutResult, toBaseResult} from './result.ts'
import {type RowStop, toStoppedResult} from './row-stop.ts'
import {type Batch, reportCreated} from './run.ts'

const outcomeUnknown = {
  error: 'OUTCOME_UNKNOWN',
  message: 'The outcome of an earlier run is unknown; this run has not tried to settle it',
}

export function refuseFile(
  batch: Pick<Batch, 'context' | 'serviceId' | 'rows' | 'journalState'>,
  stops: readonly RowStop[],
  settings: ResultFileSettings,
): PayoutResult[] {
  const writeResultFile = prepareResultFile(settings)
  const stoppedByKey = new Map(stops.map((stop) => [stop.row.key, stop]))
  const results = batch.rows.map((row) => {
    const stop = stoppedByKey.get(row.key)
    if (stop) return toStoppedResult(stop)
    if (isOpen(row, batch.journalState)) return toBaseResult(row, 'NOT_TRIED')
    if (isCreated(row, batch.journalState)) return reportCreated(batch.context, batch.serviceId, row, [])
    return {...toBaseResult(row, 'UNKNOWN'), error: outcomeUnknown}
  })
  if (writeResultFile(results)) settings.notice(describeResultFile(settings.resultFile))
  return results
}
