// Serves the health and the metrics of a worker over HTTP, on loopback unless told otherwise.
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import {badUsage, getSystemCode} from '../../errors.ts'

export interface ListenAddress {
  host: string
  port: number
}

const addressPattern = /^(?:(\[[0-9a-f:]+\]|[^:[\]\s]+):)?(\d{1,5})$/i
const portMax = 65_535
const loopback = '127.0.0.1'

// HOST:PORT, or a port alone on loopback.
export function parseListenAddress(text: string, what: string): ListenAddress {
  const [, host = loopback, digits = ''] = addressPattern.exec(text) ?? []
  const port = Number(digits)
  if (digits === '' || port > portMax) {
    throw badUsage(`${what} "${text}" is not an address`, `Write HOST:PORT, such as ${loopback}:9464, or a port alone`)
  }
  return {host: host.replace(/^\[(.*)\]$/, '$1'), port}
}

interface Health {
  isHealthy: boolean
  state: string
}

export interface MetricsPages {
  readHealth: () => Health
  renderMetrics: () => Promise<string>
}

export interface MetricsServer {
  address: string
  close(): Promise<void>
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

async function answer({readHealth, renderMetrics}: MetricsPages, path: string) {
  if (path === '/healthz') {
    const {isHealthy, state} = readHealth()
    return {status: isHealthy ? 200 : 503, type: 'application/json', body: `${JSON.stringify({state})}\n`}
  }
  if (path === '/metrics') return {status: 200, type: metricsType, body: await renderMetrics()}
  return {status: 404, type: 'text/plain', body: 'There are /healthz and /metrics\n'}
}

export async function startMetricsServer(address: ListenAddress, pages: MetricsPages): Promise<MetricsServer> {
  const server = http.createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const send = ({status, type, body}: Awaited<ReturnType<typeof answer>>) => {
      response.writeHead(status, {'content-type': type, 'cache-control': 'no-store'})
      return response.end(request.method === 'HEAD' ? undefined : body)
    }
    answer(pages, isRead ? path : '')
      // What the database said may name things that are nobody's business.
      .catch(() => ({status: 503, type: 'text/plain', body: 'The database does not answer\n'}))
      .then(send)
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        badUsage(
          `The address ${address.host}:${address.port} cannot be listened on (${getSystemCode(error) ?? 'unknown'})`,
          'Name another with --listen HOST:PORT, or --listen off',
          error,
        ),
      ),
    )
    server.listen(address.port, address.host, resolve)
  })
  // A worker ends when its rows have ended, whoever is still connected here.
  server.unref()
  const {port} = server.address() as AddressInfo
  return {
    address: `${address.host.includes(':') ? `[${address.host}]` : address.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
