// svc sandbox webhooks add, list, remove, deliveries and resend: output on a terminal, in a pipe and as JSON, and rejected
// input.
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const url = 'http://localhost:3000/hook'
const webhooks = (home: Home, ...args: string[]) => run(home, ['sandbox', 'webhooks', ...args])

interface Endpoint {
  endpointId: string
  secret: string
}

interface Delivery {
  deliveryId: string
  eventId: string
  status: string
}

const addEndpoint = async (home: Home, ...flags: string[]) =>
  json((await webhooks(home, 'add', url, ...flags, '--json')).out) as unknown as Endpoint

async function listDeliveries(home: Home, ...flags: string[]) {
  const {out} = await webhooks(home, 'deliveries', '--json', ...flags)
  return (json(out) as {deliveries: Delivery[]}).deliveries
}

// Moves a customer to UNDER_REVIEW with the commands that a person would use.
async function changeCustomer(home: Home) {
  const api = (method: string, path: string, body: object) =>
    run(home, ['api', method, path, '-p', 'sandbox', '--file', '-', '--json'], {input: JSON.stringify(body)})
  const created = await api('POST', '/customers', {customerType: 'INDIVIDUAL', email: 'ines@example.com'})
  const {customerId} = json(created.out) as {customerId: string}
  const patched = await api('PATCH', `/customers/${customerId}`, {kycData: {legalFirstName: 'Ines'}})
  expect(patched).toMatchObject({code: 0})
}

describe('svc sandbox webhooks add', () => {
  it('prints the secret as JSON for a script, the same on every machine with a seed', async () => {
    const secrets = await Promise.all(
      [freshHome(), freshHome()].map(async (home) => {
        await run(home, ['sandbox', 'reset', '--seed', 'docs', '--quiet'])
        return addEndpoint(home)
      }),
    )
    expect(secrets[0]).toMatchObject({url, status: 'ENABLED', copies: 1})
    expect(secrets[0]?.secret).toMatch(/^whsec_/)
    expect(secrets[0]?.secret).toBe(secrets[1]?.secret)
    expect((await addEndpoint(freshHome())).secret).not.toBe(secrets[0]?.secret)
  })
})

describe('svc sandbox webhooks list and remove', () => {
  it('show endpoints without their secrets, and delete them', async () => {
    const home = freshHome()
    const {endpointId, secret} = await addEndpoint(home)
    const screen = onTerminal(home, ['sandbox', 'webhooks', 'list'], {cols: 120})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain(endpointId)
    expect(screen.text()).not.toContain(secret)
    const piped = await webhooks(home, 'list')
    expect(piped.out).toContain(`whsec_…${secret.slice(-4)}`)
    const listed = await webhooks(home, 'list', '--show-secret', '--json')
    expect(json(listed.out)).toMatchObject({endpoints: [{endpointId, secret}]})
    const narrow = onTerminal(home, ['sandbox', 'webhooks', 'list', '--show-secret'], {cols: 80})
    expect(await narrow.ended).toBe(0)
    expect(narrow.text()).toContain(secret)
    const removed = await webhooks(home, 'remove', endpointId, '--json')
    expect(json(removed.out)).toMatchObject({endpointId, secret: `whsec_…${secret.slice(-4)}`})
    expect(await webhooks(home, 'list')).toEqual({code: 0, out: '', err: 'No webhook endpoints.\n'})
  })
})

describe('svc sandbox webhooks deliveries and resend', () => {
  it('show deliveries that wait for a server, and queue them again', async () => {
    const home = freshHome()
    const {endpointId} = await addEndpoint(home)
    await changeCustomer(home)
    const [waiting] = await listDeliveries(home)
    expect(waiting).toMatchObject({status: 'PENDING', type: 'customer.updated', endpointId, attempts: 0})
    const {eventId, deliveryId} = waiting as Delivery
    const screen = onTerminal(home, ['sandbox', 'webhooks', 'deliveries'], {cols: 140})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain(deliveryId)
    const again = await webhooks(home, 'resend', eventId)
    expect(again).toMatchObject({code: 0, err: ''})
    expect(again.out).toMatch(/dlv_\w+ +PENDING/)
    const once = json((await webhooks(home, 'resend', deliveryId, '--json')).out) as {deliveries: Delivery[]}
    expect(once.deliveries).toMatchObject([{eventId, status: 'PENDING'}])
    expect(await listDeliveries(home, '--event', eventId, '--endpoint', endpointId)).toHaveLength(3)
    expect(await listDeliveries(home, '--status', 'DELIVERED')).toEqual([])
    const cut = await webhooks(home, 'deliveries', '--limit', '1', '-o', 'jsonl')
    expect(cut.out.split('\n')).toHaveLength(2)
    expect(cut.err).toBe('1 delivery shown; more follow: --limit N.\n')
  })
})
