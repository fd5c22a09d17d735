// svc pay with a slot in its key: the zone, a wrong clock, slots that have not come, and missed ones.
import {describe, expect, it} from 'vitest'
import {inSandbox, payment} from '../../support/payments.ts'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const pay = (home: Home, {env}: PaymentService, key: string, ...flags: string[]) =>
  run(home, [...payment(key, '10'), '--yes', ...flags], {env})

describe('--slot', () => {
  it('is a day of the zone, and is paid once, also if it was missed', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    for (const day of ['2026-03-29', '2026-03-28', '2026-03-29']) {
      const flags = ['--slot', day, '--slot-zone', 'europe/berlin', '--json']
      expect(await pay(home, service, 'rent-{date}', ...flags)).toMatchObject({code: 0})
    }
    expect(service.transactions).toHaveLength(2)
    const shown = await run(home, ['journal', 'show', 'rent-2026-03-29', '--json'], {env: service.env})
    expect(json(shown.out)).toMatchObject({template: 'rent-{date}', slot: '2026-03-29'})
  })
})

describe('a clock that differs from the service’s', () => {
  it.each([
    [130_000, /is 2 min( \d+ s)? behind that of the service/],
    [-3_600_000, /is 1 h( \d+ s)? ahead of that of the service/],
  ])('by %d ms stops a slot that it chose, before anything is sent', async (dateSkewMs, words) => {
    const [home, service] = [freshHome(), await servePayments({dateSkewMs})]
    const {code, out, err} = await pay(home, service, 'rent-{date}', '--json')
    expect({code, out}).toEqual({code: 10, out: ''})
    expect(json(err)).toMatchObject({error: 'CLOCK_DIFFERS', exitCode: 10})
    expect(json(err)['message']).toMatch(words)
    expect(service.requestsTo('POST /quotes')).toEqual([])
    expect(service.transactions).toEqual([])
    const dry = await pay(home, service, 'rent-{date}', '--dry-run', '--json')
    expect(dry.code).toBe(10)
  })

  it('does not matter below two minutes, with --slot, without a slot, or without a Date', async () => {
    const [home, service] = [freshHome(), await servePayments({dateSkewMs: 110_000})]
    expect(await pay(home, service, 'rent-{date}', '--quiet')).toMatchObject({code: 0})
    service.behaviour.dateSkewMs = 200_000
    expect(await pay(home, service, 'rent-{date}', '--slot', '2026-11-01', '--quiet')).toMatchObject({code: 0})
    expect(await pay(home, service, 'rent', '--quiet')).toMatchObject({code: 0})
    service.behaviour.hasDate = false
    expect(await pay(home, service, 'wage-{date}', '--quiet')).toMatchObject({code: 0})
  })

  it('is reported for a slot that was made before, since it may not be the present one', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    expect(await pay(home, service, 'rent-{date}', '--quiet')).toMatchObject({code: 0})
    service.behaviour.dateSkewMs = 86_400_000
    const {code, out, err} = await pay(home, service, 'rent-{date}', '--json')
    expect(code).toBe(10)
    expect(json(out)).toMatchObject({transactionId: service.transactions[0]?.['transactionId']})
    expect(err).toMatch(/is 23 h 59 min behind that of the service/)
  })
})

describe('a slot that has not come yet', () => {
  const dayMs = 86_400_000
  const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)
  const key = 'rent-{date}'

  it('is refused, also in a terminal, and leaves nothing behind', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const flags = ['--slot', inDays(37)]
    const {code, out, err} = await pay(home, service, key, ...flags, '--json')
    expect({code, out}).toEqual({code: 10, out: ''})
    expect(json(err)).toMatchObject({error: 'SLOT_AHEAD', exitCode: 10})
    expect((await pay(home, service, key, ...flags, '--dry-run')).code).toBe(10)
    const screen = onTerminal(home, [...payment(key, '10'), ...flags], {cols: 120, env: service.env})
    expect(await screen.ended).toBe(10)
    expect(service.requestsTo('POST /quotes')).toEqual([])
    expect(json((await run(home, ['journal', 'list', '--json'], {env: service.env})).out)['payments']).toEqual([])
  })

  it('is none if it is the present one, or if the service is there already', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    expect((await pay(home, service, key, '--slot', inDays(0))).code).toBe(0)
    expect((await pay(home, service, 'wage-{month}', '--slot', inDays(0).slice(0, 7))).code).toBe(0)
    await run(home, ['sandbox', 'clock', 'advance', '40d', '--quiet'])
    const inTheSandbox = [...payment(key, '10'), ...inSandbox, '--slot', inDays(37), '--quiet']
    expect((await run(home, inTheSandbox)).code).toBe(0)
    // By this machine's clock it has not come; a payment that was made is only shown.
    await run(home, ['sandbox', 'faults', 'add', '--path', '/transactions', '--kind', 'reset', '--quiet'])
    expect((await run(home, inTheSandbox)).code).toBe(0)
  })
})
