// What is shown of batches and of payout files: a row of the list, and the status of one.
import path from 'node:path'
import {cleanText} from '../cli/output/clean.ts'
import type {Painter} from '../cli/output/colour.ts'
import {type View, createColumn} from '../cli/output/view.ts'
import type {PayoutResult} from '../payouts/run/result.ts'
import {countStates} from '../payouts/run/row-states.ts'
import {needsAttention, renderFailures, renderSummary} from '../payouts/run/view.ts'
import {svc} from '../values/text.ts'
import {type BatchState, type BatchSummary, summarizeCounts} from './batches.ts'

// A payout file that one machine pays is open while rows are left, or their outcome is unknown.
export interface PayoutStatus extends Omit<BatchSummary, 'state' | 'submittedAt'> {
  state: BatchState | 'OPEN'
  submittedAt?: string
  attention: PayoutResult[]
}

type Count = 'rows' | 'made' | 'waiting' | 'inFlight' | 'unknown' | 'failed' | 'cancelled'

const column = createColumn<BatchSummary>

export const batchView: View<BatchSummary> = {
  singular: 'batch',
  plural: 'batches',
  columns: [
    column('id', 0, {header: 'BATCH'}),
    column('name', 2, {kind: 'text'}),
    column('state', 0, {kind: 'status'}),
    column('rows', 1, {kind: 'number'}),
    column('made', 0, {kind: 'number'}),
    column('waiting', 2, {kind: 'number'}),
    column('inFlight', 5, {kind: 'number', header: 'IN FLIGHT', shown: 'onRequest'}),
    column('unknown', 1, {kind: 'number'}),
    column('failed', 1, {kind: 'number'}),
    column('cancelled', 5, {kind: 'number', shown: 'onRequest'}),
    column('submittedAt', 3, {header: 'SUBMITTED'}),
    column('endedAt', 4, {header: 'ENDED', shown: 'onRequest'}),
  ],
}

const attentionMax = 20

// Counts the rows of a file as those of a batch are counted.
export function summarizeFile(file: string, results: readonly PayoutResult[]): PayoutStatus {
  const {NOT_TRIED: WAITING = 0, ...others} = countStates(results)
  const counted = summarizeCounts({...others, WAITING})
  const isOpen = counted.waiting + counted.inFlight + counted.unknown > 0
  return {
    id: file,
    name: path.basename(file),
    state: isOpen ? 'OPEN' : 'DONE',
    rows: results.length,
    ...counted,
    attention: results.filter(needsAttention).slice(0, attentionMax),
  }
}

type Progress = Pick<BatchSummary, Exclude<Count, 'waiting'>>

// For example: 5 of 6 (83%), 4 made, 1 failed, 1 in flight
export function renderProgress({rows, made, failed, cancelled, unknown, inFlight}: Progress): string {
  const ended = made + failed + cancelled
  const percent = rows === 0 ? 100 : Math.floor((ended / rows) * 100)
  const others = Object.entries({failed, cancelled, unknown, 'in flight': inFlight}).filter(([, count]) => count > 0)
  return [
    `${ended} of ${rows} (${percent}%)`,
    `${made} made`,
    ...others.map(([words, count]) => `${count} ${words}`),
  ].join(', ')
}

const labelWidth = 12

// Of a file, all of its rows are known at once, and the totals are told.
export function renderStatus(
  status: PayoutStatus,
  painter: Painter,
  width: number | undefined,
  results?: readonly PayoutResult[],
): string {
  const {id, name, state, submittedAt, endedAt, attention} = status
  const isIdle = state === 'ACTIVE' && status.waiting > 0 && status.inFlight === 0
  const lines: Array<[label: string, text: string | undefined]> = [
    results ? ['File', cleanText(id)] : ['Batch', `${painter.bold(id)}  ${cleanText(name)}`],
    ['State', painter.status(state)],
    ['Rows', renderProgress(status)],
    ['Workers', isIdle ? `none has taken a row; start one with ${svc`payouts work`}` : undefined],
    ['Submitted', submittedAt],
    ['Ended', endedAt],
  ]
  const shown = lines.flatMap(([label, text]) => (text === undefined ? [] : [`${label.padEnd(labelWidth)}${text}`]))
  if (results) return [...shown, '', renderSummary(results, painter, width)].join('\n')
  return [...renderFailures(attention, painter, width), ...shown].map((line) => `${line}\n`).join('')
}
