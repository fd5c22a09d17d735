// --wait of `svc customers create` and `svc customers update`: reads that are older than the reply to the write do not count.
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {customer, serveFirstCustomer} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'
import {writePerson} from '../../support/person.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const ada = ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com', '--wait', '--json']
const created = customer(1, {customerStatus: 'CREATED'})

describe('svc customers create --wait', () => {
  it('warns that nobody has submitted data if it sent none', async () => {
    const service = await serveFirstCustomer(() => created)
    const {code, err} = await run(freshHome(), [...ada, '--timeout', '1500ms'], {env: service.env})
    expect(code).toBe(8)
    expect(err).toContain('Nothing happens until a person acts')
  })

  it('does not warn if the data was sent with the creation', async () => {
    const service = await serveFirstCustomer(() => created)
    const home = freshHome()
    const {file} = writePerson(path.join(home.folder, 'papers'))
    const {code, err} = await run(home, [...ada, '-f', file, '--timeout', '1500ms'], {env: service.env})
    expect(code).toBe(8)
    expect(err).not.toMatch(/until a person acts/)
    expect(err).toContain('its verification data was sent, and its review has not started')
    expect(service.requests.filter(({method}) => method === 'GET').length).toBeGreaterThan(0)
  })
})
