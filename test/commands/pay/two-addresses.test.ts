// A key belongs to a service, not to the spelling of its address: single payments at one service with two addresses.
import {describe, expect, it} from 'vitest'
import {inSandbox, payment} from '../../support/payments.ts'
import {type PaymentService, refusal, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

const time = useVirtualTime()

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
        `svc: The journal has the payment rent with the same content at ${service.url} (CREATED), which may be the same service as ${toOtherName(service.url)}. If it is the same service, set \`SVC_SERVICE=${service.url}\`; if it is another one, set \`SVC_SERVICE=${toOtherName(service.url)}\`; then run the command again. Nothing was sent.\n`,
      )
    }
    expect(service.requests).toHaveLength(countBefore)
    const stated = await pay(home, {...toOtherAddress(service), SVC_SERVICE: service.url}, 'rent', '10', '--json')
    expect(stated.code).toBe(0)
    expect(json(stated.out)).toMatchObject({transactionId: service.transactions[0]?.['transactionId']})
    expect(stated.err).toContain('was made before')
    expect(countTransactions(service)).toBe(1)
  })

  it('is made there once it is stated to be another service', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await pay(home, service.env, 'rent', '10')
    const stated = {...toOtherAddress(service), SVC_SERVICE: toOtherName(service.url)}
    expect((await pay(home, stated, 'rent', '10')).code).toBe(0)
    expect(countTransactions(service)).toBe(2)
    // Both are made now, so either address reports its own.
    for (const env of [service.env, toOtherAddress(service)]) {
      expect((await pay(home, env, 'rent', '10')).err).toContain('was made before')
    }
  })

  it('counts what was paid under a former id, also towards the cap of the day', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const login = ['login', '-p', 'acme', '--base-url', service.url, '--live', '--store', 'file', '--quiet']
    await run(home, login, {input: 'test-key'})
    const payAsAcme = (key: string, amount: string) => run(home, [...payment(key, amount), '--yes', '-p', 'acme'])
    expect((await payAsAcme('rent', '10')).code).toBe(0)
    await run(home, ['profiles', 'set', 'acme', '--service', 'acme-prod', '--day-max', 'USDC=15', '--quiet'])
    expect((await payAsAcme('rent', '10')).err).toContain('was made before')
    // The list is in the order of time.
    time.advance(1_000)
    const capped = await payAsAcme('food', '6')
    expect(capped.code).toBe(10)
    expect(capped.err).toContain('10 USDC was paid or is pending today')
    expect((await payAsAcme('food', '5')).code).toBe(0)
    const listed = json((await run(home, ['journal', 'list', '-p', 'acme', '--json'])).out)['payments']
    expect(listed).toMatchObject([
      {key: 'food', place: 'acme-prod'},
      {key: 'rent', place: service.url},
    ])
    expect((await run(home, ['journal', 'show', 'rent', '-p', 'acme'])).code).toBe(0)
    expect((await run(home, ['reconcile', '--since', '1d', '-p', 'acme'])).code).toBe(0)
    expect(countTransactions(service)).toBe(2)
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

  it('is not stopped by a rehearsal in the embedded sandbox, nor does a rehearsal stop', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const rehearse = () => run(home, [...payment('rent', '10'), ...inSandbox])
    expect((await rehearse()).code).toBe(0)
    expect((await pay(home, service.env, 'rent', '10')).code).toBe(0)
    await run(home, ['sandbox', 'reset', '--yes', '--quiet'])
    expect((await rehearse()).code).toBe(0)
    expect(countTransactions(service)).toBe(1)
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

describe('a payment whose service has a former id', () => {
  it('is stopped before its first byte if another process has paid it under that id meanwhile', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const stated = {...toOtherAddress(service), SVC_SERVICE: service.url}
    const {promise: paid, resolve: release} = Promise.withResolvers<void>()
    const quote = service.script({at: 'POST /quotes', before: paid})
    const slow = pay(home, stated, 'rent', '10')
    await quote.reached
    expect((await pay(home, toOtherAddress(service), 'rent', '10')).code).toBe(0)
    release()
    const {code, err} = await slow
    expect(code).toBe(8)
    expect(err).toContain(`Another process has begun to send the payment rent, as one of ${toOtherName(service.url)}`)
    const again = await pay(home, stated, 'rent', '10')
    expect(again.code).toBe(0)
    expect(again.err).toContain('was made before')
    expect(countTransactions(service)).toBe(1)
  })

  it('is settled under that id, by svc journal settle too, and never sent under the new one', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    service.script({reply: 'reset'})
    const list = service.script({at: 'GET /transactions', reply: 'reset', skip: 1, times: 100})
    expect((await pay(home, toOtherAddress(service), 'rent', '10', '--timeout', '2s')).code).toBe(7)
    const stated = {...toOtherAddress(service), SVC_SERVICE: 'acme-prod'}
    expect((await pay(home, stated, 'rent', '10', '--timeout', '2s')).code).toBe(7)
    list.remove()
    const settled = await run(home, ['journal', 'settle', '--json'], {env: stated})
    expect(settled.code).toBe(0)
    expect(settled.out).toContain('"rent"')
    expect((await pay(home, stated, 'rent', '10')).err).toContain('was made before')
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
