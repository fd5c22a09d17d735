// svc customers get: in a terminal, in a pipe, as JSON, and rejected.
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'

async function findCustomer(home: Home, status: string): Promise<string> {
  const {out} = await run(home, ['customers', 'list', '-p', 'sandbox', '--all', '--json'])
  const {customers} = json(out) as {customers: Array<{customerId: string; customerStatus: string}>}
  return customers.find(({customerStatus}) => customerStatus === status)?.customerId ?? ''
}

describe('svc customers get', () => {
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
})
