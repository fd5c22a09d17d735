// svc pay on machines in several time zones, with a service whose times have no offset, which means UTC.
import {describe, expect, it} from 'vitest'
import {payment} from '../../support/payments.ts'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, spawnSvc} from '../../support/svc.ts'

const removeOffsets = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body).replaceAll(/(T\d\d:\d\d:\d\d\.\d{3})Z"/g, '$1"'))

async function serveWithoutOffsets(quoteLifeMs = 300_000): Promise<PaymentService> {
  const service = await servePayments({quoteLifeMs, expiredQuotes: 'accepted'})
  service.clock.freeze()
  service.present = (answer) => ({...answer, body: removeOffsets(answer.body)})
  return service
}

// The time zone of a process is that of its environment when it starts.
const runIn = (zone: string, home: Home, {env}: PaymentService, args: readonly string[]) =>
  spawnSvc(home, args, {env: {...env, TZ: zone}})

describe.each(['Asia/Tokyo', 'America/Los_Angeles'])('a machine in %s', (zone) => {
  it('pays with a quote that is valid, and records when it was paid', async () => {
    const [home, service] = [freshHome(), await serveWithoutOffsets()]
    const paid = await runIn(zone, home, service, [...payment('rent', '10'), '--yes', '--json'])
    expect(paid).toMatchObject({code: 0, err: ''})
    const madeAt = new Date(service.clock.now()).toISOString()
    expect(json(paid.out)).toMatchObject({createdAt: madeAt.slice(0, -1)})
    const {out} = await runIn(zone, home, service, ['journal', 'show', 'rent', '--json'])
    const quoteExpiresAt = new Date(service.clock.now() + 300_000).toISOString()
    expect(json(out)).toMatchObject({state: 'CREATED', madeAt, attempts: [{quoteExpiresAt}]})
  })

  it('sends no quote that has expired', async () => {
    const [home, service] = [freshHome(), await serveWithoutOffsets(-1_000)]
    const {code} = await runIn(zone, home, service, [...payment('rent', '10'), '--yes'])
    expect(code).toBe(6)
    expect(service.requestsTo('POST /transactions')).toEqual([])
  })
})
