// svc customers find and customers list --search: in a terminal, in a pipe, as JSON, and rejected.
import {describe, expect, it} from 'vitest'
import {serveOwnWays} from '../../support/own-ways-service.ts'
import {customer, customerId} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

const listIds = (out: string) => (json(out)['customers'] as Array<{customerId: string}>).map(({customerId: id}) => id)

async function serveMany() {
  const service = await serveOwnWays()
  service.customers = Array.from({length: 250}, (_, index) => customer(index + 1))
  service.customers[249] = customer(250, {name: 'Zoë Ångström', email: 'zoe@example.com'})
  return service
}

describe('svc customers find', () => {
  it('finds a name in a terminal, without regard to accents and capitals', async () => {
    const screen = onTerminal(freshHome(), ['customers', 'find', 'ANGSTROM zoe', '-p', 'sandbox'])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(new RegExp(`^ID .*\n${zoe.slice(0, 8)} .*\nNo room for`))
  })

  it('finds emails and ids in a pipe', async () => {
    for (const text of ['zoe.ANGSTROM@', '4738020A-a06d']) {
      const {code, out, err} = await run(freshHome(), ['customers', 'find', text, '-p', 'sandbox'])
      expect({code, err}).toEqual({code: 0, err: ''})
      expect(out.split('\n')[1]).toContain(zoe)
    }
  })

  it('reads all pages, and prints the envelope of the service as JSON', async () => {
    const service = await serveMany()
    const {code, out, err} = await run(freshHome(), ['customers', 'find', 'zoë', '--json'], {env: service.env})
    expect({code, ids: listIds(out)}).toEqual({code: 0, ids: [customerId(250)]})
    expect(err).toBe('Read 250 customers in 3 pages to find 1: the service cannot filter by text.\n')
  })

  it('stops at --limit, and finding nobody is no error', async () => {
    const service = await serveMany()
    const limited = ['customers', 'find', 'customer', '--limit', '2', '--json', '--quiet']
    expect(listIds((await run(freshHome(), limited, {env: service.env})).out)).toHaveLength(2)
    expect(service.requests.length).toBeLessThan(3)
    const {code, out, err} = await run(freshHome(), ['customers', 'find', 'nobody', '-p', 'sandbox'])
    expect({code, out, err}).toEqual({code: 0, out: '', err: 'No customers match.\n'})
  })

  it('fails if the list may go on where it seems to end', async () => {
    const service = await serveMany()
    service.ways.token = 'bookmark'
    const {code, err} = await run(freshHome(), ['customers', 'find', 'zoë', '--json', '--quiet'], {env: service.env})
    expect(code).toBe(12)
    expect(json(err)).toMatchObject({error: 'LIST_MAY_BE_CUT'})
  })

  it.each([
    [['customers', 'find'], 'Missing TEXT'],
    [['customers', 'find', ' '], 'TEXT is empty'],
    [['customers', 'list', '--search', ''], '--search is empty'],
  ])('rejects %j before anything is sent', async (args, message) => {
    const service = await serveMany()
    const {code, out, err} = await run(freshHome(), args, {env: service.env})
    expect({code, out, requests: service.requests}).toEqual({code: 2, out: '', requests: []})
    expect(err).toContain(message)
  })
})

describe('svc customers list --search', () => {
  it('goes together with the other filters', async () => {
    const list = ['customers', 'list', '-p', 'sandbox', '--all', '--json', '--search', 'feld']
    expect(listIds((await run(freshHome(), list)).out)).toHaveLength(1)
    expect(listIds((await run(freshHome(), [...list, '--type', 'BUSINESS'])).out)).toEqual([])
  })

  it.each([
    ['angstrom', 1],
    ['ANGSTROM zoe', 1],
    ['angs', 0],
    ['zoe angs', 0],
  ])('finds whole words only with --whole-words: %s', async (text, count) => {
    const list = ['customers', 'list', '-p', 'sandbox', '--all', '--json', '--whole-words', '--search', text]
    expect(listIds((await run(freshHome(), list)).out)).toHaveLength(count)
  })
})
