// The figures of the fleet as Prometheus reads them. They are about one service, and name no payment.
import type {SpendingLimits} from '../../controls/limits.ts'
import {badUsage} from '../../errors.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {addAmounts} from '../../values/money.ts'
import {type LocalServer, loopback, serveLocal} from '../../web/serve.ts'
import {type FleetReader, correctCounts, readCounts as readRowCounts} from '../batches/report-rows.ts'
import {getSettleQueue, jobSchema} from '../batches/queue.ts'
import {readPace} from './pace.ts'
import {listWorkers} from './worker-registry.ts'

interface Sample {
  labels?: Readonly<Record<string, string>>
  value: number | string
}

interface Metric {
  name: string
  help: string
  type: 'gauge' | 'counter'
  samples: readonly Sample[]
}

const escapeLabel = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

function renderSample(name: string, {labels = {}, value}: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`
}

export const renderMetrics = (metrics: readonly Metric[]): string =>
  metrics
    .flatMap(({name, help, type, samples}) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map((sample) => renderSample(name, sample)),
    ])
    .map((line) => `${line}\n`)
    .join('')

export interface MetricsSource {
  fleet: FleetReader
  spending: SpendingLimits
  // What payments of today have, or may have, spent in a currency.
  listSpentToday: (currency: string) => Promise<readonly string[]>
}

async function readCounts(
  database: PostgresDatabase,
  text: string,
  values: readonly string[],
): Promise<Map<string, number>> {
  const rows = await database.read<{name: string; count: number}>({text}, values)
  return new Map(rows.map(({name, count}) => [name, count]))
}

const toSamples = (label: string, counts: ReadonlyMap<string, number>): Sample[] =>
  [...counts].map(([name, value]) => ({labels: {[label]: name}, value}))

async function readCaps({spending, listSpentToday}: MetricsSource): Promise<Metric[]> {
  const caps = Object.entries(spending.dayMax ?? {})
  if (caps.length === 0) return []
  const used = await Promise.all(caps.map(async ([currency]) => addAmounts([...(await listSpentToday(currency)), '0'])))
  return [
    {
      name: 'svc_cap_day_amount',
      help: 'The most that the profile may spend in a day.',
      type: 'gauge',
      samples: caps.map(([currency, value]) => ({labels: {currency: currency.toUpperCase()}, value})),
    },
    {
      name: 'svc_cap_day_used_amount',
      help: 'What payments of today have, or may have, spent.',
      type: 'gauge',
      samples: caps.map(([currency], index) => ({
        labels: {currency: currency.toUpperCase()},
        value: used[index] ?? 'NaN',
      })),
    },
  ]
}

const paymentsText = `select state as name, count(*)::integer as count from svc.payments where service_id = $1 group by state order by state`
const shownText = `select id from svc.batches where service_id = $1 and (ended_at is null or ended_at > now() - interval '1 day')`
const batchesText = `select state as name, count(*)::integer as count from svc.batches where service_id = $1 group by state order by state`
const countersText = `select name, total as count from svc.fleet_counters where service_id = $1 order by name`
const queueText = `select state::text as name, count(*)::integer as count from ${jobSchema}.job
  where (name = $2 or name in (select 'batch.' || id from svc.batches where service_id = $1 and ended_at is null))
    and state <= 'active' group by state order by state`
const oldestText = `select coalesce(extract(epoch from now()) - min(updated_at) / 1000.0, 0)::double precision as age
  from svc.payments where service_id = $1 and state in ('ARMED', 'UNKNOWN')`

// The rows of batches as the journal has their payments.
async function countBatchRows(fleet: FleetReader): Promise<Map<string, number>> {
  const {database, serviceId} = fleet
  const shown = await database.read<{id: string}>({text: shownText}, [serviceId])
  const {countsByBatch, corrections} = await readRowCounts(
    fleet,
    shown.map(({id}) => id),
  )
  const written = new Map<string, number>()
  for (const [state, count] of [...countsByBatch.values()].flatMap((counts) => Object.entries(counts))) {
    written.set(state, (written.get(state) ?? 0) + count)
  }
  const counts = Object.entries(correctCounts(Object.fromEntries(written), corrections))
  return new Map(counts.filter(([, count]) => count > 0).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

export async function collectMetrics(source: MetricsSource): Promise<string> {
  const {database, serviceId} = source.fleet
  const own = [serviceId]
  const [payments, rows, batches, counters, queued, oldest, workers, pace, caps] = await Promise.all([
    readCounts(database, paymentsText, own),
    countBatchRows(source.fleet),
    readCounts(database, batchesText, own),
    readCounts(database, countersText, own),
    readCounts(database, queueText, [serviceId, getSettleQueue(serviceId)]),
    database.read<{age: number}>({text: oldestText}, own),
    listWorkers(database, serviceId),
    readPace(database, serviceId),
    readCaps(source),
  ])
  const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
    name,
    help,
    type: 'gauge',
    samples,
  })
  const counter = (name: string, help: string, key: string): Metric => ({
    name,
    help,
    type: 'counter',
    samples: [{value: counters.get(key) ?? 0}],
  })
  return renderMetrics([
    gauge('svc_payments', 'Payments in the journal by state.', toSamples('state', payments)),
    gauge('svc_oldest_unknown_seconds', 'How long the oldest payment has been unknown; 0 if none is.', [
      {value: oldest[0]?.age ?? 0},
    ]),
    ...caps,
    gauge('svc_batches', 'Batches by state.', toSamples('state', batches)),
    gauge(
      'svc_batch_rows',
      'Rows by state, of batches that have not ended or ended within a day.',
      toSamples('state', rows),
    ),
    gauge(
      'svc_queue_jobs',
      'Jobs by state: created and retry wait, active are being worked on.',
      toSamples('state', queued),
    ),
    gauge('svc_workers', 'Workers that reported within half a minute.', [{value: workers.length}]),
    gauge('svc_rows_per_second', 'Rows that ended a second, over the last ten seconds.', [
      {value: workers.reduce((sum, {rowsPerSecond}) => sum + rowsPerSecond, 0)},
    ]),
    gauge('svc_rate_max', 'Rows a second that are allowed; +Inf without a limit.', [{value: pace.rateMax ?? '+Inf'}]),
    gauge('svc_rate_slowed', 'Rows a second while the service is spared; +Inf if it is not.', [
      {value: pace.slowRate ?? '+Inf'},
    ]),
    counter('svc_rows_ended_total', 'Rows that workers brought to an end.', 'rows'),
    counter('svc_retries_total', 'Rows that were put off to be tried again.', 'retries'),
    counter('svc_lease_takeovers_total', 'Payments taken over from a worker that had ended.', 'takeovers'),
  ])
}

// Serves the health and the metrics of a worker over HTTP, on loopback unless told otherwise.
export interface ListenAddress {
  host: string
  port: number
}

const addressPattern = /^(?:(\[[0-9a-f:]+\]|[^:[\]\s]+):)?(\d{1,5})$/i
const portMax = 65_535

// HOST:PORT, or a port alone on loopback.
export function parseListenAddress(text: string, what: string): ListenAddress {
  const [, host = loopback, digits = ''] = addressPattern.exec(text) ?? []
  const port = Number(digits)
  if (digits === '' || port > portMax) {
    throw badUsage(`${what} "${text}" is not an address`, `Write HOST:PORT, such as ${loopback}:9464, or a port alone`)
  }
  return {host: host.replace(/^\[(.*)\]$/, '$1'), port}
}

export interface Health {
  isHealthy: boolean
  state: string
}

export interface MetricsPages {
  readHealth: () => Health
  renderMetrics: () => Promise<string>
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

async function answer(pages: MetricsPages, path: string) {
  if (path === '/healthz') {
    const {isHealthy, state} = pages.readHealth()
    return {status: isHealthy ? 200 : 503, type: 'application/json', body: `${JSON.stringify({state})}\n`}
  }
  if (path === '/metrics') return {status: 200, type: metricsType, body: await pages.renderMetrics()}
  return {status: 404, type: 'text/plain', body: 'There are /healthz and /metrics\n'}
}

export async function startMetricsServer(address: ListenAddress, pages: MetricsPages): Promise<LocalServer> {
  const server = await serveLocal({
    ...address,
    flag: '--listen HOST:PORT or --listen off',
    handle: async ({method, url = '/'}) => {
      const isRead = method === 'GET' || method === 'HEAD'
      // What the database said may name things that are nobody's business.
      const {status, type, body} = await answer(pages, isRead ? (url.split('?')[0] ?? '') : '').catch(() => ({
        status: 503,
        type: 'text/plain',
        body: 'The database does not answer\n',
      }))
      return {status, headers: {'content-type': type, 'cache-control': 'no-store'}, text: body}
    },
  })
  // A worker ends when its rows have ended, whoever is still connected here.
  server.unref()
  return server
}
