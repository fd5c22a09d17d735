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

const addEndpoint = async (home: Home, ...flags: string[]) =>
  json((await webhooks(home, 'add', url, ...flags, '--json')).out) as unknown as Endpoint

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
