// svc events: listen on the sandbox alone, an endpoint that nobody has to remove, trigger, and list, show and resend what was stored.
import path from 'node:path'
import {Webhook} from 'standardwebhooks'
import {describe, expect, it} from 'vitest'
import {type Line, isEvent, queryStore, secret, startListener} from './listener.ts'
import {reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'

const sandbox = ['-p', 'sandbox']
const customerId = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const trigger = ['events', 'trigger', 'customer.updated', '--customer', customerId, ...sandbox]
const isForward = (line: Line) => line['forward'] === 'delivered'

describe('svc events listen on the sandbox', () => {
  it('is enough alone: events arrive signed, a resend reaches the handler again, and its endpoint goes with it', async () => {
    const home = freshHome()
    const handler = await serve((_, response) => reply(response, 201, {handled: true}))
    const listener = await startListener(home, [...sandbox, '--forward-to', `${handler.url}/hook`])

    const added = await run(home, ['sandbox', 'webhooks', 'list', '--json', '--show-secret'])
    expect(json(added.out)['endpoints']).toMatchObject([
      {url: listener.url, owner: `svc events listen, process ${listener.child.pid}`},
    ])

    // Time passes and events are delivered, although no `svc sandbox start` runs.
    await run(home, ['sandbox', 'verify', 'f80a5001-be2d-4368-9726-a4523bfb5e71', '--outcome', 'approved'])
    await listener.has(1, ({customerStatus, verified}) => customerStatus === 'ACTIVE' && verified === true)

    const sent = await run(home, [...trigger, '--set', 'data.customerStatus=REJECTED', '--json'])
    expect(sent.code).toBe(0)
    const {deliveries} = json(sent.out) as {deliveries: Line[]}
    expect(deliveries).toMatchObject([{type: 'customer.updated', url: listener.url, accepted: true, outcome: '204'}])
    const id = String(deliveries[0]?.['eventId'])
    expect(id).toMatch(/^evt_[\da-f]{24}_made_up$/)
    const isIt = (line: Line) => line['id'] === id
    const [event] = await listener.has(1, (line) => isIt(line) && isEvent(line))
    const madeUp = {customerStatus: 'REJECTED', verified: true, madeUp: true}
    expect(event).toMatchObject({customerId, ...madeUp, duplicate: false})
    const real = listener.lines().find(({customerStatus}) => customerStatus === 'ACTIVE')
    expect(real).not.toHaveProperty('madeUp')
    const [forward] = await listener.has(1, (line) => isIt(line) && isForward(line))
    expect(forward).toMatchObject({outcome: '201'})

    expect((await run(home, ['sandbox', 'webhooks', 'resend', id])).code).toBe(0)
    await listener.has(2, (line) => isIt(line) && isForward(line))
    expect(listener.lines().filter((line) => isIt(line) && isEvent(line))[1]).toMatchObject({
      duplicate: true,
      resend: true,
    })
    const seen = handler.requests.filter(({headers}) => headers['webhook-id'] === id)
    expect(seen.map(({headers}) => headers['svc-event-resend'])).toEqual([undefined, 'true'])
    expect(new Set(seen.map(({body}) => body)).size).toBe(1)
    // Each one has a signature of its own time.
    const [{secret: ownSecret} = {}] = (json(added.out) as {endpoints: Line[]}).endpoints
    expect((await run(home, ['events', 'verify', id], {env: {SVC_WEBHOOK_SECRET: String(ownSecret)}})).code).toBe(0)

    // svc knows the secret with which the sandbox signs.
    expect(await run(home, ['events', 'verify', id, ...sandbox])).toMatchObject({
      code: 0,
      err: 'The secrets are those of the sandbox; --secret-file or SVC_WEBHOOK_SECRET gives another.\n',
    })

    const ofCustomer = ['events', 'list', '--customer', customerId, ...sandbox]
    const listed = await run(home, [...ofCustomer, '--json'])
    expect(json(listed.out)['events']).toMatchObject([{eventId: id, ...madeUp, forwarded: {total: 1}}])
    expect((await run(home, ofCustomer)).out).toContain('REJECTED (made up)')
    const shown = await run(home, ['events', 'show', id, '--json'])
    expect(json(shown.out)).toMatchObject({
      eventId: id,
      duplicates: 0,
      forwards: [{url: `${handler.url}/hook`, status: 'DELIVERED', outcome: '201'}],
      event: {type: 'customer.updated', data: {customerId, customerStatus: 'REJECTED'}},
    })

    // The sandbox was reset: the endpoint comes back by itself.
    await run(home, ['sandbox', 'reset', '--yes'])
    await expect.poll(async () => (await run(home, ['sandbox', 'webhooks', 'list'])).out).toContain(listener.url)

    listener.child.kill('SIGTERM')
    expect(await listener.ended).toBe(0)
    expect((await run(home, ['sandbox', 'webhooks', 'list'])).err).toBe('No webhook endpoints.\n')

    // Without a listener, what was stored is still known, and goes to where it was forwarded.
    expect((await run(home, ['events', 'list'])).out).toContain(id)
    const again = await run(home, ['events', 'resend', id])
    expect(again).toMatchObject({code: 0, out: expect.stringContaining(' 201 ') as string})
    expect(again.err).toContain('Its signature is the one that it arrived with')
    expect(handler.requests.at(-1)?.headers).toMatchObject({'svc-event-id': id, 'svc-event-resend': 'true'})
  })

  it('leaves no endpoint when it is killed, which gets nothing more, and its secret is known all the same', async () => {
    const home = freshHome()
    const killed = await startListener(home, sandbox)
    killed.child.kill('SIGKILL')
    await killed.ended
    expect((await run(home, ['sandbox', 'webhooks', 'list'])).err).toBe('No webhook endpoints.\n')

    // Another program has its port by now.
    const other = await serve((_, response) => reply(response, 204, {}), undefined, Number(new URL(killed.url).port))
    expect((await run(home, trigger)).code).toBe(2)
    const next = await startListener(home, sandbox)
    await run(home, trigger)
    await next.has(1, isEvent)
    expect(other.requests).toEqual([])
    next.child.kill('SIGTERM')
    await next.ended
    expect(queryStore(path.join(home.folder, 'config/state/sandbox.sqlite'), 'select * from webhookEndpoints')).toEqual(
      [],
    )
    expect((await run(home, ['events', 'verify', ...sandbox])).code).toBe(0)
    expect((await run(home, ['events', 'verify'])).err).toContain('Missing --secret-file.')
  })
})

describe('svc events trigger', () => {
  it('sends a signed event to a URL, shows what the handler answered, and ends with 12 if it was not accepted', async () => {
    const home = freshHome()
    const handler = await serve((_, response) => reply(response, 500, {error: 'no\u001b[31m'}))
    const env = {SVC_WEBHOOK_SECRET: secret}
    const sent = await run(home, [...trigger, '--forward-to', handler.url], {env})
    expect(sent.code).toBe(12)
    expect(sent.out).toMatch(/ 500 /)
    for (const text of ['\u001b', 'whsec_']) expect(sent.out + sent.err).not.toContain(text)
    expect(sent.err).toContain(`The event was not accepted: ${handler.url}/ answered 500.`)
    const {headers, body} = handler.requests[0] as (typeof handler.requests)[number]
    new Webhook(secret).verify(body, headers as Record<string, string>)
    expect(json(body)).toMatchObject({type: 'customer.updated', data: {customerId, customerStatus: 'ACTIVE'}})
  })

  it('on the sandbox signs for a URL with the secret of its endpoint, and says so', async () => {
    const home = freshHome()
    const handler = await serve((_, response) => reply(response, 204, {}))
    const added = await run(home, ['sandbox', 'webhooks', 'add', handler.url, '--json'])
    const {secret: endpointSecret, endpointId} = json(added.out)
    const sent = await run(home, [...trigger, '--forward-to', handler.url])
    expect(sent.code).toBe(0)
    expect(sent.err).toContain('Signed with a secret of the sandbox. --secret-file or')
    const {headers, body} = handler.requests[0] as (typeof handler.requests)[number]
    new Webhook(String(endpointSecret)).verify(body, headers as Record<string, string>)
    // An endpoint of another URL says nothing about this one.
    await run(home, ['sandbox', 'webhooks', 'remove', String(endpointId)])
    expect((await run(home, [...trigger, '--forward-to', handler.url])).code).toBe(2)
  })
})
