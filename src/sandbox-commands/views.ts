// What the commands of the sandbox print, as tables and records.
import {createAccountView} from '../accounts/view.ts'
import {cleanText} from '../cli/output/clean.ts'
import type {Painter} from '../cli/output/colour.ts'
import {type Column, type View, formatMinute, formatYesNo} from '../cli/output/view.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {customerView} from '../customers/view.ts'
import type {SandboxStatus} from '../sandbox/operations/controls.ts'
import type {Fields} from '../sandbox/operations/fields.ts'
import {type Result, type ResultFields, type ResultName, results} from '../sandbox-results.ts'
import {transactionView} from '../transactions/view.ts'

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

const formats = {
  minute: formatMinute,
  'yes-no': formatYesNo,
  'http-status': formatStatus,
  milliseconds: formatMilliseconds,
  seconds: (ms: unknown) => (ms === 0 || ms === undefined ? '' : `${Number(ms) / 1000}s`),
  'whole-seconds': (ms: unknown) => `${Math.round(Number(ms) / 1000)} s`,
  times: (times: unknown) => times ?? 'always',
} as const

// The fields of a result that are columns, in their order.
function createResultView<N extends ResultName>(name: N, singular: string, plural = `${singular}s`): View<Result<N>> {
  const fields: ResultFields = results[name]
  const columns = Object.entries(fields).flatMap(([field, definition]): Array<Column<Result<N>>> => {
    const {type: _, choices: __, isOptional: ___, description: ____, rank, format, ...details} = definition
    if (rank === undefined) return []
    const value = (item: Result<N>): unknown => (item as Readonly<Record<string, unknown>>)[field]
    return [
      {name: field, header: field.toUpperCase(), value, rank, ...(format && {format: formats[format]}), ...details},
    ]
  })
  return {singular, plural, columns}
}

export const requestView = createResultView('Request', 'request')
export const faultView = createResultView('Fault', 'fault')
const snapshotView = createResultView('Snapshot', 'snapshot')
export const magicView = createResultView('MagicValue', 'magic value')
export const webhookEndpointView = createResultView('WebhookEndpoint', 'webhook endpoint')
export const webhookDeliveryView = createResultView('WebhookDelivery', 'delivery', 'deliveries')

const formatBalances = (balances: unknown) =>
  Object.entries((balances ?? {}) as Record<string, string>).map(([label, amount]) => `${amount} ${label}`)

export const sandboxAccountView = createAccountView<LoosePaymentAccount & {balances?: unknown}>({
  name: 'balances',
  header: 'BALANCE',
  value: (account) => account.balances,
  format: formatBalances,
  rank: 1,
  align: 'right',
})

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
    {name: 'file', header: 'FILE', value: (s) => s.file, rank: 0},
    {
      name: 'clock',
      header: 'CLOCK',
      value: (s) => s.clock,
      format: (clock) => {
        const {now, frozen} = clock as SandboxStatus['clock']
        return `${now}${frozen ? ' (frozen)' : ''}`
      },
      rank: 0,
    },
    {name: 'customers', header: 'CUSTOMERS', value: (s) => s.customers, format: formatCounts, rank: 0},
    {name: 'balances', header: 'BALANCES', value: (s) => s.balances, format: formatBalances, rank: 0},
    {
      name: 'queue',
      header: 'QUEUE',
      value: (s) => s.queue,
      format: (queue) => {
        const {waiting, nextDue, failed, lastFailure} = queue as SandboxStatus['queue']
        const line = `${waiting} waiting${nextDue ? `, the next due at ${nextDue}` : ''}`
        return failed === 0 ? line : [line, `${failed} failed and skipped, the last with ${lastFailure}`]
      },
      rank: 0,
    },
    {
      name: 'organizations',
      header: 'ORGANIZATIONS',
      value: (s) => s.organizations,
      format: (all) =>
        (all as SandboxStatus['organizations']).map(({organizationId, name}) => `${organizationId} ${name}`),
      rank: 0,
    },
    {name: 'schemaVersion', header: 'SCHEMA', value: (s) => s.schemaVersion, rank: 0},
    {
      name: 'seedGiven',
      header: 'SEED',
      value: (s) => s.seedGiven,
      format: (is) => (is === true ? 'chosen' : 'random'),
      rank: 0,
    },
    {name: 'controlUrl', header: 'CONTROL', value: (s) => s.controlUrl, rank: 0},
    {
      name: 'controlToken',
      header: 'CONTROL TOKEN',
      value: (s) => s.controlToken,
      // It is a secret, and screens are shown to others.
      format: (token) => token && 'shown with --json',
      rank: 0,
    },
    {name: 'controlOpenapiUrl', header: 'CONTROL OPENAPI', value: (s) => s.controlOpenapiUrl, rank: 0},
  ],
}

const ranksWithSecret: Readonly<Record<string, number>> = {secret: 0, url: 0, endpointId: 1, status: 2}

// For --show-secret: the secret stays, however narrow the terminal is.
export const webhookEndpointSecretView: View<Result<'WebhookEndpoint'>> = {
  ...webhookEndpointView,
  columns: webhookEndpointView.columns.map((column) => ({
    ...column,
    rank: ranksWithSecret[column.name] ?? column.rank,
  })),
}

// By the name that a definition gives. They are functions, because a command uses one of them.
export const views: Readonly<Record<string, () => View<unknown>>> = {
  account: () => sandboxAccountView,
  clock: () => createResultView('Clock', 'clock'),
  customer: () => customerView,
  delivery: () => webhookDeliveryView,
  endpoint: () => webhookEndpointView,
  fault: () => faultView,
  magic: () => magicView,
  request: () => requestView,
  sandbox: () => sandboxView,
  snapshot: () => snapshotView,
  transaction: () => transactionView,
}

// The result has the fields that can be set.
export const createFieldsView = (name: string, fields: Fields): View<Readonly<Record<string, unknown>>> => ({
  singular: `set of ${name}`,
  plural: `sets of ${name}`,
  columns: Object.entries(fields).flatMap(([field, {header}]) =>
    header === undefined ? [] : [{name: field, header, value: (item) => item[field], rank: 0}],
  ),
})
