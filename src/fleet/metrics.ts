// The figures of the fleet as Prometheus reads them, over HTTP. They are about one service, and name no payment.
import {badUsage} from '../errors.ts'
import {toCondition} from '../payments/journal/tables.ts'
import {unsettledStates} from '../payments/protocol/payment.ts'
import type {PostgresDatabase} from '../storage/postgres/database.ts'
import {portMax} from '../values/urls.ts'
import {type LocalServer, loopback, serveLocal} from '../web/serve.ts'
import {countRows, listRecentBatches} from './batches.ts'
import type {WorkStatistics} from './worker.ts'

type Samples = Iterable<readonly [state: string, value: number]>

function addUp(samples: Samples): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [state, value] of samples) sums.set(state, (sums.get(state) ?? 0) + value)
  return sums
}

// One figure, or one for each state.
function renderMetric(name: string, type: 'gauge' | 'counter', help: string, value: number | Samples): string {
  const samples =
    typeof value === 'number'
      ? [`${name} ${value}`]
      : [...value].map(([state, count]) => `${name}{state="${state}"} ${count}`).toSorted()
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples, ''].join('\n')
}

const oldestText = `select coalesce(extract(epoch from now()) - min(updated_at) / 1000.0, 0)::double precision as age
  from svc.payments where service_id = $1 and ${toCondition(unsettledStates)}`

// The gauges of batches are those of the whole fleet, the other figures those of this worker since it began.
export async function collectMetrics(
  database: PostgresDatabase,
  serviceId: string,
  {inFlight, retries, endedByState}: Pick<WorkStatistics, 'inFlight' | 'retries' | 'endedByState'>,
): Promise<string> {
  const batches = await countRows(database, await listRecentBatches(database, serviceId))
  const [oldest] = await database.read<{age: number}>({text: oldestText}, [serviceId])
  const states = addUp(batches.map(({state}) => [state, 1]))
  const rows = addUp(batches.flatMap(({counts}) => Object.entries(counts)))
  return [
    renderMetric('svc_batches', 'gauge', 'Batches that have not ended or ended within a day, by state.', states),
    renderMetric('svc_batch_rows', 'gauge', 'Rows of these batches by state.', rows),
    renderMetric('svc_oldest_unknown_seconds', 'gauge', 'Age of the oldest unknown payment.', oldest?.age ?? 0),
    renderMetric('svc_rows_in_flight', 'gauge', 'Rows that this worker pays now.', inFlight),
    renderMetric('svc_rows_ended_total', 'counter', 'Rows that this worker brought to an end.', endedByState),
    renderMetric('svc_retries_total', 'counter', 'Rows that this worker put off to be tried again.', retries),
  ].join('')
}

export interface ListenAddress {
  host: string
  port: number
}

const addressPattern = /^(?:(\[[0-9a-f:]+\]|[^:[\]\s]+):)?(\d{1,5})$/i

// HOST:PORT, or a port alone on loopback.
export function parseListenAddress(text: string, what: string): ListenAddress {
  const [, host = loopback, digits = ''] = addressPattern.exec(text) ?? []
  const port = Number(digits)
  if (digits === '' || port > portMax) {
    throw badUsage(`${what} "${text}" is not an address`, `Write HOST:PORT, such as ${loopback}:9464, or a port alone`)
  }
  return {host: host.replace(/^\[(.*)\]$/, '$1'), port}
}

interface MetricsPages {
  readHealth: () => 'working' | 'stopping' | 'no database'
  renderMetrics: () => Promise<string>
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

async function answer(pages: MetricsPages, path: string) {
  if (path === '/healthz') {
    const state = pages.readHealth()
    return {status: state === 'working' ? 200 : 503, type: 'application/json', body: `${JSON.stringify({state})}\n`}
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
