// What the commands of the sandbox print, as tables and records.
import {createAccountView} from '../accounts/view.ts'
import {cleanText} from '../cli/output/clean.ts'
import type {Painter} from '../cli/output/colour.ts'
import {type Column, type View, createColumn, formatMinute, formatYesNo} from '../cli/output/view.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {customerView} from '../customers/view.ts'
import type {SandboxStatus} from '../sandbox/operations/controls.ts'
import type {Operation} from '../sandbox/operations/define.ts'
import {type Result, type ResultField, type ResultFields, type ResultName, results} from '../sandbox-results.ts'
import {transactionView} from '../transactions/view.ts'
import {formatDuration, secondMs} from '../values/time.ts'

const methodWidth = 6
const statusMin = 400
const unanswered = 0

const formatMilliseconds = (ms: unknown) => String(Math.round(Number(ms) * 10) / 10)
const formatStatus = (status: unknown) => (status === unanswered ? '—' : status)

const getTimeOfDay = (at: string) => at.slice('2026-11-15T'.length, -'Z'.length)

export function renderRequestLine(request: Omit<Result<'Request'>, 'seq'>, painter: Painter): string {
  const {at, method, path, status, durationMs, fault} = request
  const isRefused = status >= statusMin || status === unanswered
  const shown = String(formatStatus(status)).padStart(3)
  const parts = [
    painter.dim(getTimeOfDay(at)),
    cleanText(method).padEnd(methodWidth),
    isRefused ? painter.bold(shown) : shown,
    cleanText(path),
    painter.dim(`${formatMilliseconds(durationMs)} ms`),
    ...(fault ? [painter.alarm(`fault: ${fault}`)] : []),
  ]
  return `${parts.join('  ')}\n`
}

function formatMs(ms: unknown): string {
  if (typeof ms !== 'number') return ''
  if (Math.abs(ms) < secondMs) return `${formatMilliseconds(ms)} ms`
  return `${ms < 0 ? '-' : ''}${formatDuration(Math.abs(ms))}`
}

const columnsByType: Partial<Record<ResultField['type'], Partial<Column<unknown>>>> = {
  sentence: {kind: 'sentence'},
  address: {kind: 'text'},
  id: {kind: 'id'},
  status: {kind: 'status'},
  count: {kind: 'number'},
  number: {kind: 'number'},
  ms: {format: formatMs, kind: 'number'},
  boolean: {format: formatYesNo},
  minute: {format: formatMinute},
}

// `endpointId` is "endpoint", the id of the item itself "id", `createdAt` "created", and `delayMs` "delay".
const shortenName = (name: string, index: number) =>
  index === 0 && name.endsWith('Id') ? 'id' : name.replace(/(?<=[a-z])(?:Id|(?:Attempt)?At|Ms|Seconds)$/, '')

const toHeader = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase()

const createFieldColumn = (name: string, index: number, more: Partial<Column<never>> = {}): Column<never> => {
  const short = shortenName(name, index)
  return createColumn(name, index, {short, header: toHeader(short), ...more})
}

function createResultView<N extends ResultName>(name: N, singular: string, plural = `${singular}s`): View<Result<N>> {
  const fields: ResultFields = results[name]
  const columns = Object.entries(fields).map(([field, {type, onRequest}], index) =>
    createFieldColumn(field, index, {...columnsByType[type], ...(onRequest && {shown: 'onRequest'})}),
  )
  return {singular, plural, columns}
}

export const requestView = createResultView('Request', 'request')
export const faultView = createResultView('Fault', 'fault')
export const webhookDeliveryView = createResultView('WebhookDelivery', 'delivery', 'deliveries')

const formatBalances = (balances: unknown) =>
  Object.entries((balances ?? {}) as Record<string, string>).map(([label, amount]) => `${amount} ${label}`)

export const sandboxAccountView = createAccountView<LoosePaymentAccount & {balances?: unknown}>(
  createColumn('balances', 1, {header: 'BALANCE', format: formatBalances, kind: 'number'}),
)

const formatCounts = (value: unknown) =>
  Object.entries(value as Record<string, number>).map(([status, count]) => `${String(count).padStart(4)} ${status}`)

// Where programs control the running server, if there is one.
interface ServerFields {
  controlUrl?: string
  controlToken?: string
  controlOpenapiUrl?: string
}

export const sandboxView: View<SandboxStatus & ServerFields> = {
  singular: 'sandbox',
  plural: 'sandboxes',
  columns: [
    createColumn('file', 0),
    createColumn('clock', 0, {
      format: (_, {clock: {now, frozen}}) => `${now}${frozen ? ' (frozen)' : ''}`,
    }),
    createColumn('customers', 0, {format: formatCounts}),
    createColumn('balances', 0, {format: formatBalances}),
    createColumn('queue', 0, {
      format: (_, {queue: {waiting, nextDue, failed, lastFailure}}) => {
        const line = `${waiting} waiting${nextDue ? `, the next due at ${nextDue}` : ''}`
        return failed === 0 ? line : [line, `${failed} failed and skipped, the last with ${lastFailure}`]
      },
    }),
    createColumn('organizations', 0, {
      format: (_, {organizations}) => organizations.map(({organizationId, name}) => `${organizationId} ${name}`),
    }),
    createColumn('schemaVersion', 0, {header: 'SCHEMA'}),
    createColumn('seedGiven', 0, {header: 'SEED', format: (is) => (is === true ? 'chosen' : 'random')}),
    createColumn('controlUrl', 0, {header: 'CONTROL'}),
    // It is a secret, and screens are shown to others.
    createColumn('controlToken', 0, {header: 'CONTROL TOKEN', format: (token) => token && 'shown with --json'}),
    createColumn('controlOpenapiUrl', 0, {header: 'CONTROL OPENAPI'}),
  ],
}

// By the name that an operation gives. They are functions, because a command uses one of them.
const views: Readonly<Record<string, (operation: Operation<never, unknown>) => View<unknown>>> = {
  account: () => sandboxAccountView,
  // The result has the fields that can be set.
  behaviours: ({input = {}}) => ({
    singular: 'set of behaviours',
    plural: 'sets of behaviours',
    columns: Object.keys(input)
      .filter((name) => name !== 'reset')
      .map((name, index) => createFieldColumn(name, index, {header: toHeader(name)})),
  }),
  clock: () => createResultView('Clock', 'clock'),
  customer: () => customerView,
  delivery: () => webhookDeliveryView,
  endpoint: () => createResultView('WebhookEndpoint', 'webhook endpoint'),
  fault: () => faultView,
  magic: () => createResultView('MagicValue', 'magic value'),
  request: () => requestView,
  sandbox: () => sandboxView,
  snapshot: () => createResultView('Snapshot', 'snapshot'),
  transaction: () => transactionView,
}

export const findView = (name: string, operation: Operation<never, unknown>): View<unknown> | undefined =>
  views[name]?.(operation)
