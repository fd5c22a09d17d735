// A second payment of the same amount to the same account under another key: a person is asked, a script is stopped.
import {describe, expect, it} from 'vitest'
import {inSandbox, pay as payInSandbox, payment} from '../../support/payments.ts'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {seeded} from '../../support/transactions.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const window = {SVC_DUPLICATE_WINDOW: '3d'}

const pay = (home: Home, {env}: PaymentService, key: string, amount: string, ...flags: string[]) =>
  run(home, [...payment(key, amount), '--yes', ...flags], {env: {...env, ...window}})

describe('a possible duplicate', () => {
  it('stops a script with 10, and names the other payment; --allow-duplicates pays it', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    expect((await pay(home, service, 'rent', '10.00')).code).toBe(0)
    const stopped = await pay(home, service, 'rent-again', '10', '--json')
    expect({code: stopped.code, out: stopped.out}).toEqual({code: 10, out: ''})
    const error = json(stopped.err)
    expect(error).toMatchObject({error: 'POSSIBLE_DUPLICATE', exitCode: 10})
    expect(error['message']).toMatch(
      /^The payment rent-again was not sent, since it may be a duplicate: there is already 10\.00 USDC to \S+ under the key rent, made at \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/,
    )
    expect(error['message']).toContain(seeded.externalWallet)
    expect(service.requestsTo('POST /quotes')).toHaveLength(1)
    expect((await pay(home, service, 'rent-again', '10')).code).toBe(10)
    expect((await pay(home, service, 'rent-again', '10', '--allow-duplicates')).code).toBe(0)
    expect(service.transactions).toHaveLength(2)
  })

  it('is not one that has failed at the service meanwhile, and the journal notes that', async () => {
    const [home, service] = [freshHome(), await servePayments({laterStatus: {status: 'failed', afterReads: 1}})]
    expect((await pay(home, service, 'rent', '10')).code).toBe(0)
    await run(home, ['transactions', 'list'], {env: service.env})
    expect((await pay(home, service, 'rent-again', '10', '--dry-run')).code).toBe(0)
    service.behaviour.laterStatus = undefined
    expect((await pay(home, service, 'rent-again', '10')).code).toBe(0)
    const shown = await run(home, ['journal', 'show', 'rent', '--json'], {env: service.env})
    expect(json(shown.out)).toMatchObject({state: 'CREATED', ended: 'FAILED'})
  })

  it('is reported by --dry-run, with the price', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await pay(home, service, 'rent', '10')
    const dry = await pay(home, service, 'wage', '10', '--dry-run', '--json')
    expect(dry.code).toBe(10)
    expect(json(dry.out)).toHaveProperty('quoteId')
    expect(dry.err).toContain('it may be a duplicate')
    expect((await pay(home, service, 'wage', '10', '--dry-run', '--allow-duplicates')).code).toBe(0)
    expect(service.transactions).toHaveLength(1)
  })

  it('is asked about in a terminal before the price, and nothing is sent without a yes', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await pay(home, service, 'rent', '10')
    const start = () => onTerminal(home, payment('wage', '10'), {cols: 300, env: {...service.env, ...window}})
    const unwilling = start()
    await unwilling.waitFor('Pay once more, as wage?')
    expect(unwilling.text()).toMatch(/Warning: there is already 10 USDC to \S+ under the key rent, made at .* UTC\./)
    expect(unwilling.text()).not.toContain('Arrives')
    unwilling.type('n\r')
    expect(await unwilling.ended).toBe(130)
    expect(service.requestsTo('POST /quotes')).toHaveLength(1)
    const willing = start()
    await willing.waitFor('Pay once more, as wage?')
    willing.type('y\r')
    await willing.waitFor(/Pay this on \S+ \(the environment, live\), as wage\?/)
    willing.type('y\r')
    expect(await willing.ended).toBe(0)
    expect(service.transactions).toHaveLength(2)
  })
})

describe('the window of duplicates', () => {
  it('is three days of a profile, by the service’s clock, unless it is set', async () => {
    const home = freshHome()
    const advance = (time: string) => run(home, ['sandbox', 'clock', 'advance', time, '--quiet'])
    expect((await payInSandbox(home, 'a', '10')).code).toBe(0)
    expect((await payInSandbox(home, 'b', '10')).code).toBe(10)
    await advance('71h')
    expect((await payInSandbox(home, 'b', '10')).code).toBe(10)
    await advance('2h')
    expect((await payInSandbox(home, 'b', '10')).code).toBe(0)
    await run(home, ['profiles', 'set', 'sandbox', '--duplicate-window', '1h', '--quiet'])
    await advance('2h')
    expect((await payInSandbox(home, 'c', '10')).code).toBe(0)
    expect((await payInSandbox(home, 'd', '10')).code).toBe(10)
    const off = await run(home, [...payment('d', '10'), ...inSandbox], {env: {SVC_DUPLICATE_WINDOW: '0'}})
    expect(off.code).toBe(0)
  })

  it('is off without a profile, unless the variable is set', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    for (const key of ['a', 'b']) {
      expect((await run(home, [...payment(key, '10'), '--yes'], {env: service.env})).code).toBe(0)
    }
    expect((await pay(home, service, 'c', '10')).code).toBe(10)
  })
})
