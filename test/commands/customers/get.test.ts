// svc customers get: in a terminal, in a pipe, as JSON, and rejected.
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

async function findCustomer(home: Home, status: string): Promise<string> {
  const {out} = await run(home, ['customers', 'list', '-p', 'sandbox', '--all', '--json'])
  const {customers} = json(out) as {customers: Array<{customerId: string; customerStatus: string}>}
  return customers.find(({customerStatus}) => customerStatus === status)?.customerId ?? ''
}

describe('svc customers get', () => {
  it('shows a record with its issues in a terminal', async () => {
    const home = freshHome()
    const id = await findCustomer(home, 'NEEDS_ADDITIONAL_INFORMATION')
    const screen = onTerminal(home, ['customers', 'get', id, '-p', 'sandbox'])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(new RegExp(`^ID +${id}\n`))
    expect(screen.text()).toMatch(/STATUS +NEEDS_ADDITIONAL_INFORMATION\n/)
    expect(screen.text()).toMatch(/ISSUES +[A-Z_]+: \S/)
    // The form is served by nobody, so its link alone leads nowhere.
    expect(screen.text().replaceAll(/\s+/g, ' ')).toContain(
      `The sandbox does not serve its forms now, so the link leads nowhere: \`svc open ${id} -p sandbox\` serves and opens it.`,
    )
    const asJson = onTerminal(home, ['customers', 'get', id, '-p', 'sandbox', '--json'])
    expect(await asJson.ended).toBe(0)
    expect(asJson.text()).not.toContain('open')
  })

  it('prints the same record in a pipe, without colour', async () => {
    const home = freshHome()
    const id = await findCustomer(home, 'ACTIVE')
    const {code, out, err} = await run(home, ['customers', 'get', id, '-p', 'sandbox'])
    expect(code).toBe(0)
    expect(err).toMatch(new RegExp(`the link leads nowhere: \`svc open ${id} -p sandbox\` serves and opens it\\.\\n$`))
    expect(out).toMatch(/STATUS +ACTIVE\n/)
    expect(out).not.toContain('\u001b')
  })

  it('prints the service’s own object as JSON, with payment methods when asked for', async () => {
    const home = freshHome()
    const get = ['customers', 'get', await findCustomer(home, 'ACTIVE'), '-p', 'sandbox', '--json']
    const [plain, methods] = [await run(home, get), await run(home, [...get, '--payment-methods'])]
    expect(json(plain.out)).not.toHaveProperty('availablePaymentMethods')
    expect(json(methods.out)['availablePaymentMethods']).toContain('BASE')
  })

  it('shows unknown fields after the known ones', async () => {
    const service = await serve((_, response) => reply(response, 200, customer(1, {riskTier: {level: 'gold'}})))
    const {out} = await run(freshHome(), ['customers', 'get', customerId(1)], {env: service.env})
    expect(out).toMatch(/riskTier +\{"level":"gold"\}\n$/)
  })

  it('shows of an issue what it has', async () => {
    const verificationIssues = [
      {code: 'DOCUMENT_EXPIRED', message: null},
      {message: 'Call us'},
      {code: 'A', message: 'B'},
    ]
    const service = await serve((_, response) => reply(response, 200, customer(1, {verificationIssues})))
    const {out} = await run(freshHome(), ['customers', 'get', customerId(1)], {env: service.env})
    expect(out).toMatch(/^ISSUES +DOCUMENT_EXPIRED\n +Call us\n +A: B\n$/m)
  })

  it('rejects an id that is not a UUID before anything is sent', async () => {
    const service = await serve((_, response) => reply(response, 200, customer(1)))
    const {code, out, err} = await run(freshHome(), ['customers', 'get', 'cus_1'], {env: service.env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toBe(
      'svc: The customer id "cus_1" is not a UUID, the first 8 or more characters of one, or an email. `svc customers list --search cus_1` searches names; nothing was sent.\n',
    )
    expect(service.requests).toEqual([])
  })

  it('exits with 5 when there is no such customer', async () => {
    const {code, out, err} = await run(freshHome(), ['customers', 'get', customerId(1), '-p', 'sandbox', '--json'])
    expect({code, out}).toEqual({code: 5, out: ''})
    expect(json(err)).toMatchObject({error: 'NOT_FOUND', statusCode: 404, exitCode: 5})
  })
})
