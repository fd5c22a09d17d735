// The health of a worker over HTTP, and where it is served. Who may read it, and its metrics, is in test/features/security/local-servers.test.ts.
import {expect, it, onTestFinished} from 'vitest'
import {parseListenAddress, startMetricsServer} from '../../../src/fleet/metrics.ts'

it.each([
  ['working', 200],
  ['stopping', 503],
  ['no database', 503],
] as const)('a worker says that it is %s with %i', async (state, status) => {
  const pages = {readHealth: () => state, renderMetrics: async () => 'svc_workers 1\n'}
  const server = await startMetricsServer(parseListenAddress('0', '--listen'), pages)
  onTestFinished(() => server.stop())
  const health = await fetch(`${server.origin}/healthz`)
  expect([health.status, await health.json()]).toEqual([status, {state}])
  const metrics = await fetch(`${server.origin}/metrics`)
  expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
})

it('a flag names an address, or a port of loopback', () => {
  expect(parseListenAddress('9464', '--listen')).toEqual({host: '127.0.0.1', port: 9464})
  expect(parseListenAddress('0.0.0.0:80', '--listen')).toEqual({host: '0.0.0.0', port: 80})
  expect(parseListenAddress('[::1]:80', '--listen')).toEqual({host: '::1', port: 80})
  for (const wrong of ['', 'host', 'host:', '1:2:3', 'host:99999']) {
    expect(() => parseListenAddress(wrong, '--listen')).toThrow('is not an address')
  }
})
