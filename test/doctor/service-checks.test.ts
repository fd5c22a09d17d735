// What doctor finds at a service: no answer, refusals, and a wrong clock.
import {describe, expect, it} from 'vitest'
import {reply, serve} from '../support/service.ts'
import {freshHome} from '../support/svc.ts'
import {closedAddress} from '../client/raw-service.ts'
import {overridePath, serveForDoctor, runDoctor} from './doctor-run.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

const minute = 60_000

describe('doctor on a service that cannot be used', () => {
  it('reports one that cannot be reached', async () => {
    const {code, row} = await runDoctor(freshHome(), {SVC_BASE_URL: closedAddress, SVC_API_KEY: 'test-key'})
    expect(code).toBe(12)
    expect(row('reachable')).toMatchObject({outcome: 'failed'})
    expect(row('reachable').found).toContain('refused the connection')
    expect(row('clock').outcome).toBe('skipped')
  })

  it.each([
    ['--request-timeout', 'allow more with --request-timeout'],
    ['--timeout', 'allow more with --timeout'],
  ])('waits once for one that does not answer, as long as %s says', async (flag, next) => {
    const service = await serve(() => {})
    const startedMs = performance.now()
    const {code, row} = await runDoctor(freshHome(), service.env, flag, '1s')
    expect(code).toBe(12)
    expect(row('reachable').next).toContain(next)
    expect(service.requests).toHaveLength(1)
    // Far below the 30 s that a request may take, and far above what a loaded machine needs.
    expect(performance.now() - startedMs).toBeLessThan(15_000)
  })

  it('reports a web page, even with status 200', async () => {
    const service = await serveForDoctor((_, response) => {
      reply(response, 200, '<html>Welcome</html>')
      return true
    })
    const {code, row} = await runDoctor(freshHome(), service.env)
    expect(code).toBe(12)
    expect(row('reachable').found).toContain('a web page instead of JSON')
    expect(row('clock').outcome).toBe('ok')
  })

  it('shows the first failure and does not retry', async () => {
    const service = await serveForDoctor(
      overridePath('/customers', {error: 'DOWN', message: 'Later.', statusCode: 503}, 503),
    )
    const {row} = await runDoctor(freshHome(), service.env)
    expect(row('reachable').found).toContain('503 DOWN')
    expect(service.requests).toHaveLength(1)
  })

  it('reports a refused credential, and that the service is reachable', async () => {
    const body = {error: 'UNAUTHORIZED', message: 'No such key test-key.', statusCode: 401}
    const service = await serveForDoctor(overridePath('/customers', body, 401))
    const {code, out, row} = await runDoctor(freshHome(), service.env)
    expect(code).toBe(12)
    expect(row('reachable').outcome).toBe('ok')
    expect(row('accepted').found).toContain('refused the credential of the environment')
    expect(out).not.toContain('test-key')
  })

  it('reports an address with another service', async () => {
    const service = await serveForDoctor(overridePath('/customers', {error: 'NOT_FOUND', statusCode: 404}, 404))
    expect((await runDoctor(freshHome(), service.env)).row('accepted')).toMatchObject({
      outcome: 'failed',
      next: 'Check the base URL',
    })
  })
})

describe('doctor on the clock', () => {
  it.each([
    [10_000, 'ok', 'Within 30 s'],
    [2 * minute, 'warning', /^This clock is 1[12]\d s behind/],
    [-2 * minute, 'warning', /^This clock is 1[12]\d s ahead of/],
    [60 * minute, 'failed', /^This clock is 3(59|60)\d s behind/],
  ])('finds a service that is %i ms ahead %s', async (aheadMs, outcome, found) => {
    const service = await serveForDoctor((_, response) => {
      response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
      return false
    })
    const {code, row} = await runDoctor(freshHome(), service.env)
    expect(code).toBe(outcome === 'ok' ? 0 : 12)
    expect(row('clock').outcome).toBe(outcome)
    expect(row('clock').found).toMatch(found)
  })

  it.each([
    ['no date', (response: {sendDate: boolean}) => void (response.sendDate = false)],
    [
      'a date that is none',
      (response: {setHeader: (name: string, value: string) => unknown}) => void response.setHeader('date', 'soon'),
    ],
  ])('skips a service that sends %s', async (_, spoil) => {
    const service = await serveForDoctor((__, response) => {
      spoil(response)
      return false
    })
    const {code, notOk} = await runDoctor(freshHome(), service.env)
    expect({code, notOk}).toEqual({code: 0, notOk: {clock: 'skipped'}})
  })
})
