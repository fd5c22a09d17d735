// The health and the metrics of a worker over HTTP.
import {describe, expect, it, onTestFinished} from 'vitest'
import {type MetricsPages, parseListenAddress, startMetricsServer} from '../../src/fleet/metrics.ts'

async function start(pages: Partial<MetricsPages>) {
  const server = await startMetricsServer(parseListenAddress('0', '--listen'), {
    readHealth: () => 'working',
    renderMetrics: async () => 'svc_workers 1\n',
    ...pages,
  })
  onTestFinished(() => server.stop())
  return (at: string, init?: RequestInit) => fetch(server.origin + at, init)
}

describe('a worker', () => {
  it('serves its metrics and its health on loopback', async () => {
    const get = await start({})
    const metrics = await get('/metrics')
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await metrics.text()).toBe('svc_workers 1\n')
    const health = await get('/healthz')
    expect([health.status, await health.json()]).toEqual([200, {state: 'working'}])
    expect((await get('/')).status).toBe(404)
    expect((await get('/metrics', {method: 'POST'})).status).toBe(404)
  })

  it('says that it is not well, and nothing about why the database fails', async () => {
    const get = await start({
      readHealth: () => 'stopping',
      renderMetrics: () => Promise.reject(new Error('password of jane')),
    })
    expect((await get('/healthz')).status).toBe(503)
    const metrics = await get('/metrics')
    expect([metrics.status, await metrics.text()]).toEqual([503, 'The database does not answer\n'])
  })
})

describe('a flag', () => {
  it('names an address, or a port of loopback', () => {
    expect(parseListenAddress('9464', '--listen')).toEqual({host: '127.0.0.1', port: 9464})
    expect(parseListenAddress('0.0.0.0:80', '--listen')).toEqual({host: '0.0.0.0', port: 80})
    expect(parseListenAddress('[::1]:80', '--listen')).toEqual({host: '::1', port: 80})
    for (const wrong of ['', 'host', 'host:', '1:2:3', 'host:99999']) {
      expect(() => parseListenAddress(wrong, '--listen')).toThrow('is not an address')
    }
  })
})
