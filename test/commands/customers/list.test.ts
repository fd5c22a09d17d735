// svc customers list: in a terminal, in a pipe, as JSON, and rejected.
import {describe, expect, it} from 'vitest'
import {customer, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'

describe('svc customers list', () => {
  it('takes dashes and spaces in a status for underscores', async () => {
    const home = freshHome()
    const list = async (status: string) =>
      (await run(home, ['customers', 'list', '-p', 'sandbox', '--status', status, '--columns', 'status'])).out
    expect(await list('needs-additional-information')).toMatch(/^STATUS\n(?:NEEDS_ADDITIONAL_INFORMATION\n)+$/)
    expect(await list('Under review')).toMatch(/^STATUS\n(?:UNDER_REVIEW\n)+$/)
  })

  it('keeps fields and values that are new in the service', async () => {
    const grown = customer(1, {customerStatus: 'ON_HOLD', riskTier: 'gold'})
    const service = await serve((_, response) => reply(response, 200, {customers: [grown], total: 1}))
    const {code, out, err} = await run(freshHome(), ['customers', 'list', '--json'], {env: service.env})
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(json(out)).toEqual({total: 1, customers: [grown]})
  })

  it('filters by status, type and time of change', async () => {
    const home = freshHome()
    const list = async (...flags: string[]) =>
      json((await run(home, ['customers', 'list', '-p', 'sandbox', '--all', '--json', ...flags])).out)[
        'customers'
      ] as Array<Record<string, string>>
    const [whole, some] = [
      await list(),
      await list('--status', 'active,REJECTED', '--type', 'business', '--since', '2026-10-01'),
    ]
    const wanted = whole.filter(
      (c) =>
        /^(ACTIVE|REJECTED)$/.test(c['customerStatus'] ?? '') &&
        c['customerType'] === 'BUSINESS' &&
        (c['updatedAt'] ?? '') >= '2026-10-01',
    )
    expect(some).toEqual(wanted)
  })
})
