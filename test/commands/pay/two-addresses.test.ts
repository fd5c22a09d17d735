// A key belongs to a service, not to the spelling of its address: single payments at one service with two addresses.
import {describe, expect, it} from 'vitest'
import {payment} from '../../support/payments.ts'
import {type PaymentService, refusal, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const toOtherName = (url: string) => url.replace('127.0.0.1', 'localhost')
const toOtherAddress = ({env, url}: PaymentService) => ({...env, SVC_BASE_URL: toOtherName(url)})

const pay = (home: Home, env: Record<string, string>, key: string, amount: string, ...flags: string[]) =>
  run(home, [...payment(key, amount), '--yes', ...flags], {env})

const countTransactions = ({transactions}: PaymentService) => transactions.length

describe('a payment at another address of the same service', () => {
  it('stops with 2 before anything is sent, also with --dry-run', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await pay(home, service.env, 'rent', '10')
    const countBefore = service.requests.length
    for (const flags of [[], ['--dry-run']]) {
      const {code, out, err} = await pay(home, toOtherAddress(service), 'rent', '10.00', ...flags)
      expect({code, out}).toEqual({code: 2, out: ''})
      expect(err).toBe(
        `svc: The journal has the payment rent with the same content at ${service.url} (CREATED), which may be the same service as ${toOtherName(service.url)}. If it is the same service, set \`SVC_SERVICE=${service.url}\` and run the command again; if it is another one, use another key. Nothing was sent.\n`,
      )
    }
    expect(service.requests).toHaveLength(countBefore)
    const stated = await pay(home, {...toOtherAddress(service), SVC_SERVICE: service.url}, 'rent', '10', '--json')
    expect(stated.code).toBe(0)
    expect(json(stated.out)).toMatchObject({transactionId: service.transactions[0]?.['transactionId']})
    expect(stated.err).toContain('was made before')
    expect(countTransactions(service)).toBe(1)
  })

  it('is known under the name that its profile had, whatever name it gets: nothing is paid again', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const login = ['login', '-p', 'acme', '--base-url', service.url, '--live', '--store', 'file', '--quiet']
    await run(home, login, {input: 'test-key'})
    const payAsAcme = () => run(home, [...payment('rent', '10'), '--yes', '-p', 'acme'])
    expect((await payAsAcme()).code).toBe(0)
    await run(home, ['profiles', 'set', 'acme', '--service', 'acme-prod', '--quiet'])
    const stopped = await payAsAcme()
    expect(stopped.code).toBe(2)
    expect(stopped.err).toContain(`svc profiles set acme --service ${service.url}`)
    await run(home, ['profiles', 'set', 'acme', '--service', service.url, '--quiet'])
    expect((await payAsAcme()).err).toContain('was made before')
    expect(countTransactions(service)).toBe(1)
  })

  it('is made if the journal has the key with other content, or nothing was made there', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await pay(home, service.env, 'rent', '10')
    expect((await pay(home, toOtherAddress(service), 'rent', '11')).code).toBe(0)
    service.script({acts: 'never', reply: refusal(400, 'BAD_REQUEST', 'The destination is closed')})
    expect((await pay(home, service.env, 'food', '5')).code).toBe(3)
    expect((await pay(home, toOtherAddress(service), 'food', '5')).code).toBe(0)
    // Now it was made under the other id.
    expect((await pay(home, service.env, 'food', '5')).code).toBe(2)
    expect(countTransactions(service)).toBe(3)
  })

  it('is stopped before its first byte if another process has paid it at the other address meanwhile', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const {promise: paid, resolve: release} = Promise.withResolvers<void>()
    const quote = service.script({at: 'POST /quotes', before: paid})
    const slow = pay(home, service.env, 'rent', '10')
    await quote.reached
    expect((await pay(home, toOtherAddress(service), 'rent', '10')).code).toBe(0)
    release()
    const {code, err} = await slow
    expect(code).toBe(2)
    expect(err).toContain(`at ${toOtherName(service.url)} (CREATED)`)
    expect(countTransactions(service)).toBe(1)
  })
})

describe('a transaction from a quote at another address of the same service', () => {
  it('stops with 2, and reports the transaction once it is stated to be the same service', async () => {
    const [home, service] = [freshHome(), await servePayments({quotes: 'many', keys: 'per-body'})]
    const [, ...route] = payment('k', '10').slice(0, -2)
    const {out} = await run(home, ['quotes', 'create', ...route, '--json'], {env: service.env})
    const create = (env: Record<string, string>) =>
      run(home, ['transactions', 'create', '--quote', String(json(out)['quoteId']), '--yes'], {env})
    expect((await create(service.env)).code).toBe(0)
    const {code, err} = await create(toOtherAddress(service))
    expect(code).toBe(2)
    expect(err).toContain(`SVC_SERVICE=${service.url}`)
    expect((await create({...toOtherAddress(service), SVC_SERVICE: service.url})).code).toBe(0)
    expect(countTransactions(service)).toBe(1)
  })
})
