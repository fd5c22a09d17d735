// What a probe found is relied upon, and nothing beyond it: the same bytes are sent again only where that makes no second
// transaction.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {payment} from '../support/payments.ts'
import {type PaymentService, servePayments} from '../support/scripted-service.ts'
import {type Home, freshHome, run} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {briefly, countSent} from './attack.ts'

useVirtualTime()

const minuteMs = 60_000

// What a complete probe finds for each behaviour of keys.
const findings = {
  honoured: {sameRequest: 'replayed', otherRequest: 'replayed'},
  refused: {sameRequest: 'rejected', otherRequest: 'rejected'},
  'per-body': {sameRequest: 'replayed', otherRequest: 'created'},
  'other-body-refused': {sameRequest: 'replayed', otherRequest: 'rejected'},
  ignored: {sameRequest: 'created', otherRequest: 'created'},
} as const

type Keys = keyof typeof findings
const behaviours = Object.keys(findings) as Keys[]

// A host whose profile knows what a probe has found.
async function createProbedHost(service: PaymentService, knowledge: object): Promise<Home> {
  const home = freshHome()
  const login = ['login', '-p', 'acme', '--base-url', service.url, '--sandbox', '--quiet']
  expect((await run(home, login, {input: 'test-key\n'})).code).toBe(0)
  const file = path.join(home.folder, 'config', 'config.json')
  const stored = JSON.parse(fs.readFileSync(file, 'utf8')) as {profiles: Record<string, object>}
  Object.assign(stored.profiles['acme'] ?? {}, {knowledge: {probedAt: '2026-11-14T12:00:00Z', ...knowledge}})
  fs.writeFileSync(file, JSON.stringify(stored))
  return home
}

const pay = (home: Home, ...flags: string[]) =>
  run(home, [...payment('rent', '10'), '--yes', '-p', 'acme', '--timeout', '20s', ...flags])
const payBriefly = (home: Home) => run(home, [...payment('rent', '10'), '--yes', '-p', 'acme', ...briefly])

describe('a lost reply while the list lags', () => {
  it.each(behaviours)('is settled by what is known of keys: %s', async (keys) => {
    const service = await servePayments({keys, quotes: 'many', listLagMs: 5 * minuteMs})
    const home = await createProbedHost(service, findings[keys])
    service.script({reply: 'reset'})
    const {code} = await payBriefly(home)
    // Where the key makes the service repeat its reply, the payment is settled at once.
    expect(code).toBe(findings[keys].sameRequest === 'replayed' ? 0 : 7)
    if (keys === 'ignored') expect(countSent(service)).toBe(1)
    expect(service.transactions).toHaveLength(1)
    service.clock.advance(6 * minuteMs)
    expect((await pay(home)).code).toBe(0)
    expect(service.transactions).toHaveLength(1)
  })

  it.each(behaviours)('makes no second transaction that comes late: %s', async (keys) => {
    const service = await servePayments({keys, quotes: 'many'})
    const home = await createProbedHost(service, findings[keys])
    service.script({acts: {afterMs: 90_000}, reply: 'reset'})
    await payBriefly(home)
    service.clock.advance(90_000)
    expect((await pay(home)).code).toBe(0)
    expect(service.transactions).toHaveLength(1)
  })
})

describe('a second host while the list lags', () => {
  it.each(behaviours.filter((keys) => findings[keys].otherRequest !== 'created'))(
    'pays nothing where keys prevent it: %s',
    async (keys) => {
      const service = await servePayments({keys, quotes: 'many', listLagMs: 5 * minuteMs})
      const [first, second] = [
        await createProbedHost(service, findings[keys]),
        await createProbedHost(service, findings[keys]),
      ]
      expect((await pay(first)).code).toBe(0)
      expect([0, 7]).toContain((await payBriefly(second)).code)
      service.clock.advance(6 * minuteMs)
      for (const home of [first, second]) expect((await pay(home)).code).toBe(0)
      expect(service.transactions).toHaveLength(1)
    },
  )
})

describe('knowledge that does not apply', () => {
  it.each([
    ['is of another service', {...findings.honoured, serviceId: 'https://another.example'}],
    ['has no word about keys', {usedQuote: 'rejected'}],
    ['knows only of other bodies', {otherRequest: 'rejected'}],
  ])('sends nothing again if it %s', async (_, knowledge) => {
    const service = await servePayments({keys: 'ignored', quotes: 'many', listLagMs: minuteMs})
    const home = await createProbedHost(service, knowledge)
    service.script({reply: 'reset'})
    expect((await payBriefly(home)).code).toBe(7)
    expect(countSent(service)).toBe(1)
  })
})
