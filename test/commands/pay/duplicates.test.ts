// A second payment of the same amount to the same account under another key: a person is asked, a script is stopped. What counts as
// one stands in payments/pay/objections.test.ts.
import {describe, expect, it} from 'vitest'
import {type Host, createHost, pay, readJournal} from '../../attack/attack.ts'
import {inSandbox, pay as payInSandbox, payment} from '../../support/payments.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {seeded} from '../../support/transactions.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const window = {SVC_DUPLICATE_WINDOW: '3d'}

describe('a possible duplicate', () => {
  it('stops a script and a dry run with 10, and names the other payment; --allow-duplicates pays it', async () => {
    const service = await servePayments()
    const host = createHost(service, window)
    expect((await pay(host, 'rent', '10.00')).code).toBe(0)
    const stopped = await pay(host, 'again', '10', '--json')
    expect({code: stopped.code, out: stopped.out}).toEqual({code: 10, out: ''})
    expect(json(stopped.err)).toMatchObject({error: 'POSSIBLE_DUPLICATE', exitCode: 10})
    expect(json(stopped.err)['message']).toMatch(
      new RegExp(`10\\.00 USDC to .*${seeded.externalWallet}.* under the key rent, made at \\d{4}-\\d\\d-\\d\\d`),
    )
    expect(service.requestsTo('POST /quotes')).toHaveLength(1)
    const dry = await pay(host, 'again', '10', '--dry-run', '--json')
    expect(dry).toMatchObject({code: 10, err: expect.stringContaining('it may be a duplicate') as string})
    expect(json(dry.out)).toHaveProperty('quoteId')
    expect(service.transactions).toHaveLength(1)
    for (const flags of [['--dry-run'], []]) {
      expect((await pay(host, 'again', '10', '--allow-duplicates', ...flags)).code).toBe(0)
    }
    expect(service.transactions).toHaveLength(2)
  })

  it('is not one that has failed at the service meanwhile, and the journal notes that', async () => {
    const service = await servePayments({laterStatus: {status: 'failed', afterReads: 1}})
    const host = createHost(service, window)
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    await run(host.home, ['transactions', 'list'], {env: host.env})
    expect((await pay(host, 'again', '10', '--dry-run')).code).toBe(0)
    service.behaviour.laterStatus = undefined
    expect((await pay(host, 'again', '10')).code).toBe(0)
    expect(await readJournal(host, 'rent')).toMatchObject({state: 'CREATED', ended: 'FAILED'})
  })

  it('is asked about in a terminal before the price, and nothing is sent without a yes', async () => {
    const service = await servePayments()
    const host = createHost(service, window)
    await pay(host, 'rent', '10')
    const start = async ({home, env}: Host) => {
      const screen = onTerminal(home, payment('wage', '10'), {cols: 300, env})
      await screen.waitFor('Pay once more, as wage?')
      return screen
    }
    const unwilling = await start(host)
    expect(unwilling.text()).not.toContain('Arrives')
    unwilling.type('n\r')
    expect(await unwilling.ended).toBe(130)
    expect(service.requestsTo('POST /quotes')).toHaveLength(1)
    const willing = await start(host)
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
    const sandbox = (...words: string[]) => run(home, [...words, '--quiet'])
    for (const [passed, key, code] of [
      ['1s', 'a', 0],
      ['71h', 'b', 10],
      ['2h', 'b', 0],
    ] as const) {
      await sandbox('sandbox', 'clock', 'advance', passed)
      expect([key, (await payInSandbox(home, key, '10')).code]).toEqual([key, code])
    }
    await sandbox('profiles', 'set', 'sandbox', '--duplicate-window', '1h')
    await sandbox('sandbox', 'clock', 'advance', '2h')
    expect((await payInSandbox(home, 'c', '10')).code).toBe(0)
    expect((await payInSandbox(home, 'd', '10')).code).toBe(10)
    const off = await run(home, [...payment('d', '10'), ...inSandbox], {env: {SVC_DUPLICATE_WINDOW: '0'}})
    expect(off.code).toBe(0)
  })

  it('is off without a profile', async () => {
    const host = createHost(await servePayments())
    for (const key of ['a', 'b']) expect((await pay(host, key, '10')).code).toBe(0)
  })
})
