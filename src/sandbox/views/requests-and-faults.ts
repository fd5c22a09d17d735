// Logged requests as lines and as a table, faults, and behaviours.
import type {Behaviours} from '../service/faults/behaviours.ts'
import type {FaultRecord} from '../service/faults/faults.ts'
import type {RequestRecord} from '../service/log/controls.ts'
import {cleanText} from '../../cli/output/clean.ts'
import type {Painter} from '../../cli/output/colour.ts'
import type {View} from '../../cli/output/view.ts'

const methodWidth = 6
const statusMin = 400
const unanswered = 0

const formatMilliseconds = (ms: unknown) => String(Math.round(Number(ms) * 10) / 10)
const formatStatus = (status: unknown) => (status === unanswered ? '—' : status)

const getTimeOfDay = (at: string) => at.slice('2026-11-15T'.length, -'Z'.length)

export function renderRequestLine(request: Omit<RequestRecord, 'seq'> & {space?: string}, painter: Painter): string {
  const {at, method, path, status, durationMs, fault, space} = request
  const isRefused = status >= statusMin || status === unanswered
  const shown = String(formatStatus(status)).padStart(3)
  const parts = [
    painter.dim(getTimeOfDay(at)),
    cleanText(method).padEnd(methodWidth),
    isRefused ? painter.bold(shown) : shown,
    cleanText(path),
    painter.dim(`${formatMilliseconds(durationMs)} ms`),
    ...(fault ? [painter.alarm(`fault: ${fault}`)] : []),
    ...(space === undefined ? [] : [painter.dim(`space: ${cleanText(space)}`)]),
  ]
  return `${parts.join('  ')}\n`
}

export const requestView: View<RequestRecord> = {
  singular: 'request',
  plural: 'requests',
  columns: [
    {name: 'at', header: 'AT', value: (r) => r.at, rank: 1},
    {name: 'method', header: 'METHOD', value: (r) => r.method, rank: 0},
    {name: 'path', header: 'PATH', value: (r) => r.path, rank: 0, widthGood: 40, widthMin: 12},
    {name: 'status', header: 'STATUS', value: (r) => r.status, format: formatStatus, rank: 0, align: 'right'},
    {name: 'durationMs', header: 'MS', value: (r) => r.durationMs, format: formatMilliseconds, rank: 2, align: 'right'},
    {name: 'fault', header: 'FAULT', value: (r) => r.fault, rank: 1},
    {name: 'request', header: 'REQUEST', value: (r) => r.request, rank: 3, onRequest: true, widthMin: 12},
    {name: 'reply', header: 'REPLY', value: (r) => r.reply, rank: 3, onRequest: true, widthMin: 12},
  ],
}

const formatSeconds = (ms: unknown) => (ms === 0 || ms === undefined ? '' : `${Number(ms) / 1000}s`)

export const faultView: View<FaultRecord> = {
  singular: 'fault',
  plural: 'faults',
  columns: [
    {name: 'faultId', short: 'id', header: 'ID', value: (f) => f.faultId, rank: 0},
    {name: 'method', header: 'METHOD', value: (f) => f.method, rank: 0},
    {name: 'path', header: 'PATH', value: (f) => f.path, rank: 0, widthGood: 24, widthMin: 14},
    {name: 'kind', header: 'KIND', value: (f) => f.kind, rank: 0},
    {name: 'times', header: 'TIMES', value: (f) => f.times, format: (n) => n ?? 'always', rank: 1, align: 'right'},
    {name: 'acted', header: 'ACTED', value: (f) => f.acted, rank: 0, align: 'right'},
    {name: 'seen', header: 'SEEN', value: (f) => f.seen, rank: 3, align: 'right'},
    {name: 'after', header: 'AFTER', value: (f) => f.after, rank: 4, align: 'right'},
    {name: 'probability', header: 'PROBABILITY', value: (f) => f.probability, rank: 5, align: 'right'},
    {name: 'status', header: 'STATUS', value: (f) => f.status, rank: 4, align: 'right'},
    {name: 'retryAfterSeconds', header: 'RETRY-AFTER', value: (f) => f.retryAfterSeconds, rank: 6, align: 'right'},
    {name: 'delayMs', header: 'DELAY', value: (f) => f.delayMs, format: formatSeconds, rank: 5, align: 'right'},
    {
      name: 'commitAfterMs',
      header: 'COMMIT AFTER',
      value: (f) => f.commitAfterMs,
      format: formatSeconds,
      rank: 6,
      align: 'right',
    },
    {name: 'createdAt', header: 'CREATED', value: (f) => f.createdAt, rank: 7, onRequest: true},
  ],
}

export const behavioursView: View<Behaviours> = {
  singular: 'set of behaviours',
  plural: 'sets of behaviours',
  columns: [
    {name: 'idempotency', header: 'REUSED IDEMPOTENCY KEY', value: (b) => b.idempotency, rank: 0},
    {name: 'quoteUse', header: 'USES OF A QUOTE', value: (b) => b.quoteUse, rank: 0},
    {name: 'expiredQuotes', header: 'EXPIRED QUOTES', value: (b) => b.expiredQuotes, rank: 0},
    {name: 'listLagSeconds', header: 'LAG OF LISTS IN SECONDS', value: (b) => b.listLagSeconds, rank: 0},
    {name: 'listOrder', header: 'ORDER OF LISTS', value: (b) => b.listOrder, rank: 0},
    {name: 'pageTokenSeconds', header: 'LIFE OF PAGE TOKENS IN SECONDS', value: (b) => b.pageTokenSeconds, rank: 0},
    {name: 'transactionOutcome', header: 'OUTCOME OF TRANSACTIONS', value: (b) => b.transactionOutcome, rank: 0},
    {name: 'outcomeAfterSeconds', header: 'OUTCOME AFTER SECONDS', value: (b) => b.outcomeAfterSeconds, rank: 0},
    {name: 'dateSkewSeconds', header: 'SKEW OF THE DATE IN SECONDS', value: (b) => b.dateSkewSeconds, rank: 0},
    {name: 'dateHeader', header: 'DATE HEADER', value: (b) => b.dateHeader, rank: 0},
    {name: 'tier', header: 'TIER', value: (b) => b.tier, rank: 0},
  ],
}
