// What the commands of the sandbox print, as tables and records.
import {createAccountView} from '../accounts/view.ts'
import {cleanText} from '../cli/output/clean.ts'
import type {Painter} from '../cli/output/colour.ts'
import {type View, formatMinute, formatYesNo} from '../cli/output/view.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {customerView} from '../customers/view.ts'
import type {BrandingStatus} from '../sandbox/forms/branding.ts'
import type {SandboxStatus} from '../sandbox/operations/controls.ts'
import type {SpaceRecord} from '../sandbox/operations/define.ts'
import type {MagicValue} from '../sandbox/service/customers/magic-values.ts'
import type {Fields} from '../sandbox/operations/fields.ts'
import type {FaultRecord} from '../sandbox/service/faults/faults.ts'
import type {RequestRecord} from '../sandbox/service/log/controls.ts'
import type {WebhookDelivery} from '../sandbox/service/webhooks/event-store.ts'
import type {WebhookEndpoint} from '../sandbox/service/webhooks/endpoint-store.ts'
import type {Snapshot, TableDifference} from '../sandbox/store/snapshots.ts'
import type {ClockStatus} from '../sandbox/time/clock.ts'
import {transactionView} from '../transactions/view.ts'

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

const kilobyte = 1024

function formatLogo(value: unknown): string {
  const logo = value as BrandingStatus['logo']
  if (!logo) return 'none'
  return `${logo.type}, ${logo.width}x${logo.height} pixels, ${Math.ceil(logo.bytes / kilobyte)} KB`
}

const brandingView: View<BrandingStatus> = {
  singular: 'branding',
  plural: 'branding',
  columns: [
    {name: 'name', header: 'NAME', value: ({name}) => name, format: (name) => name ?? 'none', rank: 0},
    {name: 'logo', header: 'LOGO', value: ({logo}) => logo, format: formatLogo, rank: 0},
  ],
}

const clockView: View<ClockStatus> = {
  singular: 'clock',
  plural: 'clocks',
  columns: [
    {name: 'now', header: 'NOW', value: (c) => c.now, rank: 0},
    {name: 'frozen', header: 'FROZEN', value: (c) => c.frozen, format: formatYesNo, rank: 0},
    {
      name: 'offsetMs',
      header: 'AHEAD OF THE WALL',
      value: (c) => c.offsetMs,
      format: (ms) => `${Math.round(Number(ms) / 1000)} s`,
      rank: 0,
    },
  ],
}

export const snapshotView: View<Snapshot> = {
  singular: 'snapshot',
  plural: 'snapshots',
  columns: [
    {name: 'name', header: 'NAME', value: (s) => s.name, rank: 0},
    {name: 'savedAt', header: 'SAVED AT', value: (s) => s.savedAt, rank: 1},
    {name: 'bytes', header: 'BYTES', value: (s) => s.bytes, rank: 2, align: 'right'},
  ],
}

interface SnapshotFile {
  name: string
  file: string
  bytes: number
}

export const snapshotFileView: View<SnapshotFile> = {
  singular: 'file',
  plural: 'files',
  columns: [
    {name: 'name', header: 'NAME', value: (f) => f.name, rank: 0},
    {name: 'file', header: 'FILE', value: (f) => f.file, rank: 0},
    {name: 'bytes', header: 'BYTES', value: (f) => f.bytes, rank: 1, align: 'right'},
  ],
}

const differenceView: View<TableDifference> = {
  singular: 'difference',
  plural: 'differences',
  columns: [
    {name: 'table', header: 'TABLE', value: (d) => d.table, rank: 0},
    {name: 'added', header: 'ADDED', value: (d) => d.added, rank: 0, align: 'right'},
    {name: 'removed', header: 'REMOVED', value: (d) => d.removed, rank: 0, align: 'right'},
    {name: 'changed', header: 'CHANGED', value: (d) => d.changed, rank: 0, align: 'right'},
    {name: 'rows', header: 'ROWS', value: (d) => d.rows, rank: 1, widthGood: 20, widthMin: 12},
  ],
}

export const magicView: View<MagicValue> = {
  singular: 'magic value',
  plural: 'magic values',
  columns: [
    {name: 'value', header: 'VALUE', value: (m) => m.value, rank: 0},
    {name: 'field', header: 'FIELD', value: (m) => m.field, rank: 0},
    {name: 'effect', header: 'EFFECT', value: (m) => m.effect, rank: 0, widthMin: 16, wraps: true},
    {name: 'precedence', header: 'PRECEDENCE', value: (m) => m.precedence, rank: 3, align: 'right'},
    {name: 'code', header: 'CODE', value: (m) => m.code, rank: 4, onRequest: true},
    {name: 'of', header: 'OF', value: (m) => m.of, rank: 5, onRequest: true},
  ],
}

const spaceView: View<SpaceRecord> = {
  singular: 'space',
  plural: 'spaces',
  columns: [
    {name: 'name', header: 'NAME', value: (s) => s.name, rank: 0},
    {name: 'createdAt', header: 'CREATED', value: (s) => s.createdAt, format: formatMinute, rank: 1},
    {name: 'apiKey', header: 'API KEY', value: (s) => s.apiKey, rank: 0},
    {name: 'formsUrl', header: 'FORMS', value: (s) => s.formsUrl, rank: 2, onRequest: true},
    {name: 'consoleUrl', header: 'CONSOLE', value: (s) => s.consoleUrl, rank: 2, onRequest: true},
  ],
}

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
    {
      name: 'queue',
      header: 'QUEUE',
      value: (s) => s.queue,
      format: (queue) => {
        const {waiting, nextDue} = queue as SandboxStatus['queue']
        return `${waiting} waiting${nextDue ? `, the next due at ${nextDue}` : ''}`
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
    {name: 'seedGiven', header: 'SEED GIVEN', value: (s) => s.seedGiven, format: formatYesNo, rank: 0},
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

export const webhookEndpointView: View<WebhookEndpoint> = {
  singular: 'webhook endpoint',
  plural: 'webhook endpoints',
  columns: [
    {name: 'endpointId', short: 'id', header: 'ID', value: (e) => e.endpointId, rank: 0, isId: true},
    {name: 'status', header: 'STATUS', value: (e) => e.status, rank: 1, colour: 'status'},
    {name: 'url', header: 'URL', value: (e) => e.url, rank: 0, widthGood: 40, widthMin: 16},
    {name: 'secret', header: 'SECRET', value: (e) => e.secret, rank: 2},
    {name: 'copies', header: 'COPIES', value: (e) => e.copies, rank: 3, align: 'right'},
    {name: 'reorder', header: 'REORDERS', value: (e) => e.reorder, format: formatYesNo, rank: 4},
    {name: 'owner', header: 'OWNER', value: (e) => e.owner, rank: 5, onRequest: true},
    {
      name: 'createdAt',
      short: 'created',
      header: 'CREATED (UTC)',
      value: (e) => e.createdAt,
      format: formatMinute,
      rank: 5,
      onRequest: true,
    },
  ],
}

const ranksWithSecret: Readonly<Record<string, number>> = {secret: 0, url: 0, endpointId: 1, status: 2}

// For --show-secret: the secret stays, however narrow the terminal is.
export const webhookEndpointSecretView: View<WebhookEndpoint> = {
  ...webhookEndpointView,
  columns: webhookEndpointView.columns.map((column) => ({
    ...column,
    rank: ranksWithSecret[column.name] ?? column.rank,
  })),
}

export const webhookDeliveryView: View<WebhookDelivery> = {
  singular: 'delivery',
  plural: 'deliveries',
  columns: [
    {name: 'deliveryId', short: 'id', header: 'ID', value: (d) => d.deliveryId, rank: 0, isId: true},
    {name: 'status', header: 'STATUS', value: (d) => d.status, rank: 0, colour: 'status'},
    {name: 'attempts', header: 'ATTEMPTS', value: (d) => d.attempts, rank: 2, align: 'right'},
    {name: 'lastOutcome', short: 'outcome', header: 'OUTCOME', value: (d) => d.lastOutcome, rank: 1},
    {name: 'eventId', short: 'event', header: 'EVENT', value: (d) => d.eventId, rank: 3, isId: true},
    {
      name: 'nextAttemptAt',
      short: 'next',
      header: 'NEXT (UTC)',
      value: (d) => d.nextAttemptAt,
      format: formatMinute,
      rank: 4,
    },
    {name: 'url', header: 'URL', value: (d) => d.url, rank: 5, widthGood: 40, widthMin: 16},
    {name: 'type', header: 'TYPE', value: (d) => d.type, rank: 6, onRequest: true},
    {
      name: 'customerId',
      short: 'customer',
      header: 'CUSTOMER',
      value: (d) => d.customerId,
      rank: 7,
      isId: true,
      onRequest: true,
    },
    {
      name: 'endpointId',
      short: 'endpoint',
      header: 'ENDPOINT',
      value: (d) => d.endpointId,
      rank: 8,
      isId: true,
      onRequest: true,
    },
    {
      name: 'lastAttemptAt',
      short: 'last',
      header: 'LAST (UTC)',
      value: (d) => d.lastAttemptAt,
      format: formatMinute,
      rank: 9,
      onRequest: true,
    },
    {
      name: 'createdAt',
      short: 'created',
      header: 'CREATED (UTC)',
      value: (d) => d.createdAt,
      format: formatMinute,
      rank: 10,
      onRequest: true,
    },
  ],
}

// By the name that a definition gives. They are functions, because a command uses one of them.
export const views: Readonly<Record<string, () => View<unknown>>> = {
  account: () => sandboxAccountView,
  branding: () => brandingView,
  clock: () => clockView,
  customer: () => customerView,
  delivery: () => webhookDeliveryView,
  difference: () => differenceView,
  endpoint: () => webhookEndpointView,
  fault: () => faultView,
  magic: () => magicView,
  request: () => requestView,
  sandbox: () => sandboxView,
  snapshot: () => snapshotView,
  space: () => spaceView,
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
