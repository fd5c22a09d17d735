// --wait of `svc customers create` and `svc customers update`: reads that are older than the reply to the write do not count.
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve, serveFirstCustomer} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {writePerson} from '../../support/person.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const ada = ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com', '--wait', '--json']
const created = customer(1, {customerStatus: 'CREATED'})

describe('svc customers update --wait', () => {
  it('ignores a read that is older than its own PATCH', async () => {
    const [before, after] = ['2026-11-01T12:00:00.000Z', '2026-11-01T12:00:05.250Z']
    const needing = customer(1, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION', updatedAt: before})
    // The first read is the one before the PATCH.
    const reads = [needing, needing, needing, customer(1, {updatedAt: after})]
    const service = await serve(({method}, response) =>
      reply(
        response,
        200,
        method === 'PATCH' ? customer(1, {customerStatus: 'UNDER_REVIEW', updatedAt: after}) : reads.shift(),
      ),
    )
    const args = ['customers', 'update', customerId(1), '--set', 'kycData.phoneNumber=+15551234567', '--wait', '--json']
    const {code, out} = await run(freshHome(), args, {env: service.env})
    expect({code, out: json(out)}).toEqual({code: 0, out: customer(1, {updatedAt: after})})
    expect(service.requests.map(({method}) => method)).toEqual(['GET', 'PATCH', 'GET', 'GET', 'GET'])
  })
})

describe('svc customers create --wait', () => {
  it('warns that nobody has submitted data if it sent none', async () => {
    const service = await serveFirstCustomer(() => created)
    const {code, err} = await run(freshHome(), [...ada, '--timeout', '1500ms'], {env: service.env})
    expect(code).toBe(8)
    expect(err).toContain('nobody has submitted its verification data yet')
  })

  it('does not warn if the data was sent with the creation', async () => {
    const service = await serveFirstCustomer(() => created)
    const home = freshHome()
    const {file} = writePerson(path.join(home.folder, 'papers'))
    const {code, err} = await run(home, [...ada, '--kyc-file', file, '--timeout', '1500ms'], {env: service.env})
    expect(code).toBe(8)
    expect(err).not.toMatch(/nobody/i)
    expect(err).toContain('its verification data was sent, and its review has not started')
    expect(service.requests.filter(({method}) => method === 'GET').length).toBeGreaterThan(0)
  })
})
