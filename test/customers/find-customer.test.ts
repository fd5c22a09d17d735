// A customer named by something else than its whole id: what a script may write, what a person may, and when svc refuses.
import {describe, expect, it} from 'vitest'
import {serveOwnWays} from '../support/own-ways-service.ts'
import {customer} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'

const zoe = customer(1, {
  customerId: '4738020a-a06d-4ef3-bc07-b5cacbf3446c',
  name: 'Zoë Ångström',
  email: 'zoe@example.com',
})
const zoeToo = customer(2, {
  customerId: '4738020a-ffff-4ef3-bc07-b5cacbf3446c',
  name: 'Zoë Business',
  email: 'office@example.com',
  customerType: 'BUSINESS',
})
const ada = customer(3, {
  customerId: '0ada0000-a06d-4ef3-bc07-b5cacbf3446c',
  name: 'Ada Byron',
  email: 'Ada@Example.com',
})

async function serveCustomers(customers: object[] = [zoe, zoeToo, ada], ways = {}) {
  const service = await serveOwnWays(ways)
  service.customers = customers as never
  return service
}

const getId = async (service: {env: Record<string, string>}, text: string) => {
  const {code, out, err} = await run(freshHome(), ['customers', 'get', text, '--json'], {env: service.env})
  return {code, id: out === '' ? undefined : json(out)['customerId'], err}
}

describe('a customer named by a script', () => {
  it('is read with one request if its whole id is given', async () => {
    const service = await serveCustomers()
    expect(await getId(service, ada.customerId)).toMatchObject({code: 0, id: ada.customerId})
    expect(service.requests.map(({path}) => path)).toEqual([`/customers/${ada.customerId}`])
  })

  it.each([
    ['the first eight characters', '0ada0000', ada.customerId],
    ['a longer beginning, in another case', '4738020A-FFFF-4', zoeToo.customerId],
    ['its email', 'zoe@example.com', zoe.customerId],
    ['its email in another case', 'ada@example.COM', ada.customerId],
  ])('is found by %s', async (_, text, id) => {
    expect(await getId(await serveCustomers(), text)).toMatchObject({code: 0, id, err: ''})
  })

  it('is not found by a beginning or an email that nobody has', async () => {
    for (const text of ['deadbeef', 'nobody@example.com']) {
      const {code, err} = await getId(await serveCustomers(), text)
      expect(code).toBe(5)
      expect(json(err)).toMatchObject({error: 'NOT_FOUND', message: `The customer id "${text}" matches no customer.`})
    }
  })

  it('is refused with the matches if there are several, without their names', async () => {
    const {code, id, err} = await getId(await serveCustomers(), '4738020a')
    expect({code, id}).toEqual({code: 2, id: undefined})
    expect(json(err)).toMatchObject({
      error: 'AMBIGUOUS_ID',
      message: 'The customer id "4738020a" matches 2 customers.',
      problems: [`${zoe.customerId}, INDIVIDUAL, ACTIVE`, `${zoeToo.customerId}, BUSINESS, ACTIVE`],
    })
    const twice = await serveCustomers([zoe, {...ada, email: 'ZOE@example.com'}])
    expect(await getId(twice, 'zoe@example.com')).toMatchObject({code: 2})
  })

  it.each([['Zoë Ångström'], ['zoe'], ['4738020'], ['4738020z'], ['cus_12345678'], ['4738020a-x'], ['']])(
    'is never searched by "%s", and nothing is sent',
    async (text) => {
      const service = await serveCustomers()
      expect(await getId(service, text)).toMatchObject({code: 2})
      expect(service.requests).toEqual([])
    },
  )
})

describe('a beginning that is looked up in a list that svc cannot read to its end', () => {
  it('is refused if the list may go on', async () => {
    const many = Array.from({length: 150}, (_, index) => customer(index + 10))
    const service = await serveCustomers([ada, ...many], {token: 'bookmark'})
    const {code, err} = await getId(service, '0ada0000')
    expect(code).toBe(6)
    expect(json(err)).toMatchObject({error: 'LIST_MAY_BE_CUT'})
  })

  it('is refused if there are more than ten thousand', async () => {
    const many = Array.from({length: 10_001}, (_, index) => customer(index + 10))
    const {code, err} = await getId(await serveCustomers([ada, ...many]), '0ada0000')
    expect(code).toBe(2)
    expect(json(err)).toMatchObject({
      error: 'LIST_TOO_LONG',
      message: 'There are more than 10000 customers, too many to search all of them.',
    })
  })
})

describe('a customer named by a person in a terminal', () => {
  it('is found by part of a name, and svc says who it is', async () => {
    const service = await serveCustomers()
    const screen = onTerminal(freshHome(), ['customers', 'get', 'byr'], {env: service.env})
    expect(await screen.ended).toBe(0)
    expect(screen.words()).toContain(`"byr" is Ada Byron, Ada@Example.com, ACTIVE, ${ada.customerId}. `)
  })

  it('is chosen if several match, by a name or by the beginning of an id', async () => {
    for (const text of ['zoë', '4738020a']) {
      const service = await serveCustomers()
      const screen = onTerminal(freshHome(), ['customers', 'get', text], {env: service.env})
      await screen.waitFor(`Which customer? (2 match "${text}")`)
      await screen.waitFor('❯')
      screen.type('\u001b[B\r')
      expect(await screen.ended).toBe(0)
      expect(screen.text()).toMatch(new RegExp(`^ID +${zoeToo.customerId}`, 'm'))
    }
  })
})
