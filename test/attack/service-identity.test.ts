// One service under two addresses with one journal: a key belongs to the service and not to the spelling of its address.
import {describe, expect, it} from 'vitest'
import {type PaymentService, servePayments} from '../support/scripted-service.ts'
import {json, run} from '../support/svc.ts'
import {payment} from '../support/payments.ts'
import {type Host, countSent, countStates, createHost, createRows, pay, runPayouts, briefly} from './attack.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

const atLocalhost = (host: Host, {port}: PaymentService, more: Record<string, string> = {}): Host => ({
  ...host,
  env: {...host.env, SVC_BASE_URL: `http://localhost:${port}`, ...more},
})

// Keys are ignored, and the list lags, so that nothing but the journal prevents a second payment.
const careless = {keys: 'ignored', quotes: 'many', listLagMs: 3_600_000} as const

describe('127.0.0.1 and localhost with one journal', () => {
  it('pay 20 rows once, and say where the key is known and how to go on', async () => {
    const service = await servePayments(careless)
    const host = createHost(service)
    expect((await runPayouts(host, createRows(20))).code).toBe(0)
    const requestsBefore = service.requests.length
    const {code, err} = await runPayouts(atLocalhost(host, service), createRows(20))
    expect(code).toBe(2)
    expect(err).toContain(service.url)
    expect(err).toMatch(/SVC_SERVICE|--service/)
    expect(service.requests).toHaveLength(requestsBefore)
    expect(service.transactions).toHaveLength(20)
  })

  it('pay once with svc pay', async () => {
    const service = await servePayments(careless)
    const host = createHost(service)
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    const {code, err} = await pay(atLocalhost(host, service), 'rent', '10')
    expect(code).toBe(2)
    expect(err).toMatch(/SVC_SERVICE|--service/)
    expect(countSent(service)).toBe(1)
  })

  it('do so as well if the first payment is unknown', async () => {
    const service = await servePayments(careless)
    const host = createHost(service)
    service.script({reply: 'reset'})
    expect((await pay(host, 'rent', '10', ...briefly)).code).toBe(7)
    expect((await pay(atLocalhost(host, service), 'rent', '10')).code).toBe(2)
    expect(countSent(service)).toBe(1)
  })

  it('are one service if the other identity is stated', async () => {
    const service = await servePayments(careless)
    const host = createHost(service)
    await runPayouts(host, createRows(20))
    const same = atLocalhost(host, service, {SVC_SERVICE: service.url})
    const again = await runPayouts(same, createRows(20), '--json')
    expect(again.code).toBe(0)
    expect(countStates(again)).toEqual({CREATED: 20})
    expect(countSent(service)).toBe(20)
  })

  it('are stopped as well if an identity of its own is stated', async () => {
    const service = await servePayments(careless)
    const host = createHost(service)
    await runPayouts(host, createRows(3))
    const other = atLocalhost(host, service, {SVC_SERVICE: 'another-service'})
    expect((await runPayouts(other, createRows(3))).code).toBe(2)
    expect(countSent(service)).toBe(3)
  })

  it('are not asked about where the key has other content', async () => {
    const service = await servePayments(careless)
    const host = createHost(service)
    await pay(host, 'rent', '10')
    expect((await pay(atLocalhost(host, service), 'rent', '11')).code).toBe(0)
    expect(service.transactions).toHaveLength(2)
  })
})

describe('a profile whose address changes', () => {
  const login = (host: Host, name: string, url: string) =>
    run(host.home, ['login', '-p', name, '--base-url', url, '--sandbox', '--quiet'], {input: 'test-key\n'})

  it('keeps its identity: nothing is paid again', async () => {
    const service = await servePayments(careless)
    const host: Host = {...createHost(service), env: {}}
    expect((await login(host, 'acme', service.url)).code).toBe(0)
    const payWithProfile = () => run(host.home, [...payment('rent', '10'), '-p', 'acme', '--yes', '--timeout', '900ms'])
    expect((await payWithProfile()).code).toBe(0)
    const baseUrl = `http://localhost:${service.port}`
    const moved = await run(host.home, ['profiles', 'set', 'acme', '--base-url', baseUrl, '--json'])
    expect(moved.code).toBe(0)
    expect(json(moved.out)).toMatchObject({baseUrl})
    expect((await payWithProfile()).code).toBe(0)
    expect(countSent(service)).toBe(1)
  })

  it('stops a second profile of the same service, until one of them states which service it is', async () => {
    const service = await servePayments(careless)
    const host: Host = {...createHost(service), env: {}}
    await login(host, 'one', service.url)
    await login(host, 'two', `http://localhost:${service.port}`)
    const payWith = (profile: string) =>
      run(host.home, [...payment('rent', '10'), '-p', profile, '--yes', '--timeout', '900ms'])
    expect((await payWith('one')).code).toBe(0)
    const stopped = await payWith('two')
    expect(stopped.code).toBe(2)
    expect(stopped.err).toContain('svc profiles set two --service')
    expect(countSent(service)).toBe(1)
    await run(host.home, ['profiles', 'set', 'two', '--service', service.url, '--quiet'])
    expect((await payWith('two')).code).toBe(0)
    expect(countSent(service)).toBe(1)
  })
})
