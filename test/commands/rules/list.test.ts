// svc rules list: on a terminal, in a pipe, as JSON, and rejected.
import {describe, expect, it} from 'vitest'
import {customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {answered, serveRules} from '../../rules/rule-service.ts'

const list = ['rules', 'list']

describe('svc rules list', () => {
  it('prints the complete list of the service as JSON', async () => {
    const rules = Array.from({length: 130}, (_, index) => answered(`rule-${index}`))
    const service = await serve((_, response) => reply(response, 200, {automationRules: rules}))
    const {code, out, err} = await run(freshHome(), [...list, '--json'], {env: service.env})
    expect({code, out: json(out)}).toEqual({code: 0, out: {automationRules: rules}})
    // The service breaks the contract, which causes only a warning.
    expect(err).toContain('breaks the interface')
    expect([...(service.requests[0]?.query ?? [])]).toEqual([])
  })

  it('lets the service filter by customer and by account, and itself by type and time', async () => {
    const timed = answered('rule-1')
    const later = answered('rule-2', {createdAt: '2026-11-10T00:00:00Z'})
    const threshold = answered('rule-3', {trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '5'}})
    const undated = answered('rule-4', {createdAt: null, trigger: null})
    const service = await serveRules({rules: [timed, later, threshold, undated]})
    const ids = async (...flags: string[]) => {
      const {out} = await run(freshHome(), [...list, '--json', '--quiet', ...flags], {env: service.env})
      return (json(out)['automationRules'] as Array<{id: string}>).map(({id}) => id)
    }
    expect(await ids('--customer', customerId(1), '--from', 'a&b')).toHaveLength(4)
    expect(service.requests[0]?.query.get('customerId')).toBe(customerId(1))
    expect(service.requests[0]?.query.get('sourcePaymentAccountId')).toBe('a&b')
    expect(await ids('--type', 'THRESHOLD_BASED')).toEqual(['rule-3'])
    expect(await ids('--since', '2026-11-05')).toEqual(['rule-2'])
    expect(await ids('--since', '2026-11-01T13:00:00+01:00')).toHaveLength(3)
  })
})
