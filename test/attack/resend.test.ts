// A service of which nothing is known, that ignores keys and makes a payment long after its reply failed: nothing may be sent
// a second time on the faith that keys are honoured.
import {describe, expect, it} from 'vitest'
import {servePayments} from '../support/scripted-service.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {
  countMostPerKey,
  countSent,
  countStates,
  createHost,
  createRows,
  pay,
  readJournal,
  runPayouts,
  briefly,
} from './attack.ts'

useVirtualTime()

const ignored = {keys: 'ignored', quotes: 'many'} as const
const minuteMs = 60_000

describe('a payment that is made 90 s after its reply failed', () => {
  it.each(['reset', 'usual'] as const)('is sent once and found by the list, after a reply that is %s', async (kind) => {
    const service = await servePayments(ignored)
    const host = createHost(service)
    service.script({acts: {afterMs: 90_000}, ...(kind === 'reset' && {reply: kind})})
    const first = await pay(host, 'rent', '10', ...briefly)
    expect(first.code).toBe(7)
    expect(first.err).toMatch(/--resend yes/)
    for (let again = 0; again < 3; again += 1) expect((await pay(host, 'rent', '10', ...briefly)).code).toBe(7)
    service.clock.advance(90_000)
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    expect([countSent(service), service.transactions.length]).toEqual([1, 1])
  })

  it('is sent once as a row', async () => {
    const service = await servePayments(ignored)
    const host = createHost(service)
    service.script({acts: {afterMs: 90_000}, times: 3})
    expect(countStates(await runPayouts(host, createRows(3), '--json', ...briefly))).toEqual({UNKNOWN: 3})
    expect(countStates(await runPayouts(host, createRows(3), '--json', ...briefly))).toEqual({UNKNOWN: 3})
    service.clock.advance(90_000)
    expect(countStates(await runPayouts(host, createRows(3), '--json'))).toEqual({CREATED: 3})
    expect([countSent(service), countMostPerKey(service)]).toEqual([3, 1])
  })

  it('is sent once within a run that has time for many rounds', async () => {
    const service = await servePayments(ignored)
    service.script({acts: {afterMs: 90_000}, reply: 'reset'})
    expect((await pay(createHost(service), 'rent', '10', '--timeout', '1900ms')).code).toBe(7)
    expect(service.requestsTo('GET /transactions').length).toBeGreaterThan(2)
    expect(countSent(service)).toBe(1)
  })
})

describe('a payment that never reached the service', () => {
  it('is paid once the list has proved that it is absent', async () => {
    const service = await servePayments(ignored)
    const host = createHost(service)
    service.script({acts: 'never', reply: 'reset'})
    expect((await pay(host, 'rent', '10', ...briefly)).code).toBe(7)
    // Past the quote's expiry and the lag of the list; then as long again, for the second look.
    service.clock.advance(12 * minuteMs)
    expect((await pay(host, 'rent', '10', ...briefly)).code).toBe(7)
    service.clock.advance(7 * minuteMs)
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    expect([countSent(service), service.transactions.length]).toEqual([2, 1])
    expect(await readJournal(host, 'rent')).toMatchObject({state: 'CREATED'})
  })
})

describe('SVC_RESEND', () => {
  it('yes sends the same bytes again, and a service that honours keys makes one', async () => {
    const service = await servePayments({listLagMs: minuteMs})
    service.script({reply: 'reset'})
    const {code} = await pay(createHost(service, {SVC_RESEND: 'yes'}), 'rent', '10')
    const [first, second] = service.requestsTo('POST /transactions')
    expect(code).toBe(0)
    expect([second?.body, second?.headers['x-idempotency-key']]).toEqual([
      first?.body,
      first?.headers['x-idempotency-key'],
    ])
    expect(service.transactions).toHaveLength(1)
  })

  it.each(['unknown', ''])('%j sends once', async (policy) => {
    const service = await servePayments({listLagMs: minuteMs})
    service.script({reply: 'reset'})
    expect((await pay(createHost(service, {SVC_RESEND: policy}), 'rent', '10', ...briefly)).code).toBe(7)
    expect(countSent(service)).toBe(1)
  })
})
