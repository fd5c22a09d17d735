// What is shown of batches: a row of the list, and the status of one.
import path from 'node:path'
import {formatClock} from '../../values/time.ts'
import {cleanText} from '../../cli/output/clean.ts'
import type {Painter} from '../../cli/output/colour.ts'
import type {View} from '../../cli/output/view.ts'
import {needsAttention, renderFailures} from '../../payouts/run/view.ts'
import type {PayoutResult} from '../../payouts/run/result.ts'
import {countStates, failedStates, sumCounts} from '../../payouts/run/row-states.ts'
import {renderSummary} from '../../payouts/run/summary.ts'
import type {BatchState} from './batch.ts'

export interface BatchSummary {
  id: string
  name: string
  state: BatchState
  rows: number
  made: number
  waiting: number
  // Being paid by workers now.
  inFlight: number
  unknown: number
  failed: number
  cancelled: number
  submittedAt: string
  endedAt?: string
}

export interface BatchStatus extends BatchSummary {
  digest: string
  // Rows a second of all workers of the service.
  rowsPerSecond: number
  // Only while rows are being paid.
  secondsLeft?: number
  attention: PayoutResult[]
  workers: WorkerStatus[]
  pace: PaceStatus
}

// Of a payout file that one machine pays. It is open while rows are left, or their outcome is unknown.
export interface FileStatus extends Omit<BatchSummary, 'state' | 'submittedAt'> {
  state: 'OPEN' | 'DONE'
  attention: PayoutResult[]
  // Every row, for the totals. It is not printed as data.
  readonly results: readonly PayoutResult[]
}

export interface WorkerStatus {
  host: string
  pid: number
  version: string
  startedAt: string
  inFlight: number
  concurrency: number
  rowsPerSecond: number
  state: 'WORKING' | 'STOPPING'
}

export interface PaceStatus {
  rateMax?: number
  slowedTo?: number
  waitSeconds?: number
}

export const batchView: View<BatchSummary> = {
  singular: 'batch',
  plural: 'batches',
  columns: [
    {name: 'id', header: 'BATCH', value: ({id}) => id, rank: 0},
    {name: 'name', header: 'NAME', value: ({name}) => name, rank: 2, kind: 'text'},
    {name: 'state', header: 'STATE', value: ({state}) => state, rank: 0, kind: 'status'},
    {name: 'rows', header: 'ROWS', value: ({rows}) => rows, rank: 1, kind: 'number'},
    {name: 'made', header: 'MADE', value: ({made}) => made, rank: 0, kind: 'number'},
    {name: 'waiting', header: 'WAITING', value: ({waiting}) => waiting, rank: 2, kind: 'number'},
    {
      name: 'inFlight',
      header: 'IN FLIGHT',
      value: ({inFlight}) => inFlight,
      rank: 5,
      kind: 'number',
      shown: 'onRequest',
    },
    {name: 'unknown', header: 'UNKNOWN', value: ({unknown}) => unknown, rank: 1, kind: 'number'},
    {name: 'failed', header: 'FAILED', value: ({failed}) => failed, rank: 1, kind: 'number'},
    {
      name: 'cancelled',
      header: 'CANCELLED',
      value: ({cancelled}) => cancelled,
      rank: 5,
      kind: 'number',
      shown: 'onRequest',
    },
    {name: 'submittedAt', header: 'SUBMITTED', value: ({submittedAt}) => submittedAt, rank: 3},
    {name: 'endedAt', header: 'ENDED', value: ({endedAt}) => endedAt, rank: 4, shown: 'onRequest'},
  ],
}

const countRows = (count: number) => (count === 1 ? '1 row' : `${count} rows`)

// What still becomes of rows of a batch that pays nothing new.
function listUnfinished({inFlight, unknown}: BatchSummary): string[] {
  return [
    ...(inFlight > 0 ? [`${countRows(inFlight)} in flight ${inFlight === 1 ? 'is' : 'are'} being finished`] : []),
    ...(unknown > 0
      ? [`${countRows(unknown)} that may have been paid ${unknown === 1 ? 'is' : 'are'} being settled`]
      : []),
  ]
}

export function describeInFlight(summary: BatchSummary): string {
  const parts = listUnfinished(summary)
  return parts.length > 0 ? `: ${parts.join(', ')}` : ''
}

export function describeCancelled(summary: BatchSummary): string {
  const {cancelled, made} = summary
  const parts = [
    ...(cancelled > 0 ? [`${countRows(cancelled)} ${cancelled === 1 ? 'is' : 'are'} not paid`] : []),
    ...listUnfinished(summary),
    ...(made > 0 ? [`${countRows(made)} ${made === 1 ? 'was' : 'were'} made`] : []),
  ]
  return `: ${parts.length > 0 ? parts.join(', ') : 'no row was left to pay'}`
}

const attentionMax = 20

// Counts the rows of a file as those of a batch are counted.
export function summarizeFile(file: string, results: readonly PayoutResult[]): FileStatus {
  const counts = countStates(results)
  const {CREATED: made = 0, NOT_TRIED: waiting = 0, IN_PROGRESS: inFlight = 0, UNKNOWN: unknown = 0} = counts
  const status = {
    id: file,
    name: path.basename(file),
    state: waiting + inFlight + unknown > 0 ? ('OPEN' as const) : ('DONE' as const),
    rows: results.length,
    made,
    waiting,
    inFlight,
    unknown,
    failed: sumCounts(counts, failedStates),
    cancelled: 0,
    attention: results.filter(needsAttention).slice(0, attentionMax),
  }
  return Object.defineProperty({...status, results}, 'results', {enumerable: false})
}

const labelWidth = 12

const renderLine = (label: string, text: string) => `${label.padEnd(labelWidth)}${text}`

type RowCounts = Pick<BatchSummary, 'rows' | 'made' | 'failed' | 'cancelled' | 'unknown' | 'inFlight'>

export function renderProgress({rows, made, failed, cancelled, unknown, inFlight}: RowCounts): string {
  const ended = made + failed + cancelled
  const percent = rows === 0 ? 100 : Math.floor((ended / rows) * 100)
  return [
    `${ended} of ${rows} (${percent}%)`,
    `${made} made`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(inFlight > 0 ? [`${inFlight} in flight`] : []),
  ].join(', ')
}

function renderPace({rateMax, slowedTo, waitSeconds}: PaceStatus): string[] {
  const parts = [
    ...(rateMax === undefined ? [] : [`at most ${rateMax} rows a second`]),
    ...(slowedTo === undefined ? [] : [`slowed down to ${slowedTo} a second, because the service failed`]),
    ...(waitSeconds === undefined ? [] : [`nothing starts for ${waitSeconds} s`]),
  ]
  return parts.length > 0 ? [renderLine('Pace', parts.join('; '))] : []
}

const renderWorker = ({host, pid, inFlight, concurrency, rowsPerSecond, version, state}: WorkerStatus) =>
  `${cleanText(host)} (${pid}), ${inFlight} of ${concurrency} rows in flight, ${rowsPerSecond}/s, svc ${version}${state === 'STOPPING' ? ', stopping' : ''}`

const renderWorkers = (workers: readonly WorkerStatus[]): string[] =>
  workers.length === 0
    ? [renderLine('Workers', 'none; start one with `svc payouts work`')]
    : workers.map((worker, index) => renderLine(index === 0 ? 'Workers' : '', renderWorker(worker)))

export const renderFileStatus = (status: FileStatus, painter: Painter, width: number | undefined): string =>
  [
    renderLine('File', cleanText(status.id)),
    renderLine('State', painter.status(status.state)),
    renderLine('Rows', renderProgress(status)),
    '',
    renderSummary(status.results, painter, width),
  ].join('\n')

export function renderBatchStatus(status: BatchStatus, painter: Painter, width: number | undefined): string {
  const speed = [
    `${status.rowsPerSecond} rows a second`,
    ...(status.secondsLeft === undefined ? [] : [`about ${formatClock(status.secondsLeft * 1000)} left`]),
  ]
  return [
    ...renderFailures(status.attention, painter, width),
    renderLine('Batch', `${painter.bold(status.id)}  ${cleanText(status.name)}`),
    renderLine('State', painter.status(status.state)),
    renderLine('Rows', renderProgress(status)),
    ...(status.state === 'ACTIVE' ? [renderLine('Speed', speed.join(', '))] : []),
    ...renderPace(status.pace),
    ...renderWorkers(status.workers),
    renderLine('Submitted', status.submittedAt),
    ...(status.endedAt === undefined ? [] : [renderLine('Ended', status.endedAt)]),
  ]
    .map((line) => `${line}\n`)
    .join('')
}
