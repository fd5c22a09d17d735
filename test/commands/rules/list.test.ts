// svc rules list: on a terminal, in a pipe, as JSON, and rejected.
import {describe, expect, it} from 'vitest'
import {customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {answered, serveRules} from '../../rules/rule-service.ts'
import {customer, made, payroll, sandbox, sweep, wallet} from './payroll.ts'

const list = ['rules', 'list']

describe('svc rules list', () => {
  it('shows what each rule does within eighty columns', async () => {
    const home = freshHome()
    await made(home, payroll)
    await made(home, sweep)
    const screen = onTerminal(home, [...list, ...sandbox])
    expect(await screen.ended).toBe(0)
    const [header, first, second] = screen.text().split('\n')
    expect(header).toMatch(/^ID +NAME +TRIGGER +AMOUNT +PAYEE$/)
    expect(first).toMatch(/^rule_\w{8} +Sweep +≥ 500000.00 USDC +25 % +Zoë Ångst.* \*{4}\d{4}$/)
    expect(second).toMatch(/^rule_\w{8} +Payroll +0 9 \* \* 1-5 +100.00 USDC +Zoë Ångst.* \*{4}\d{4}$/)
  })

  it('is complete and plain in a pipe', async () => {
    const home = freshHome()
    await made(home, payroll)
    const {code, out, err} = await run(home, [...list, ...sandbox])
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toMatch(/^ID +NAME +TRIGGER +AMOUNT +FROM +TO +CUSTOMER +CREATED \(UTC\)\n/)
    expect(out).toContain(`${wallet} SOLANA USDC`)
  })

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

  it('says how many rules have no time to filter by', async () => {
    const service = await serveRules({rules: [answered('rule-1'), answered('rule-2', {createdAt: null})]})
    const {code, err} = await run(freshHome(), [...list, '--since', '2026-11-01'], {env: service.env})
    expect(code).toBe(0)
    expect(err).toMatch(/1 automation rule.*no createdAt that can be read/)
  })

  it('shows rules that break the contract', async () => {
    const odd = [
      {id: 'rule-1'},
      {id: 2, name: null, transactionTemplate: 'none', trigger: ['x']},
      answered('rule-3', {
        transactionTemplate: {amount: {type: 'ALL', value: 7.5}, source: null},
        trigger: {type: 'MOON'},
      }),
    ]
    const service = await serve((_, response) => reply(response, 200, {automationRules: odd}))
    for (const format of ['table', 'csv', 'yaml']) {
      const {code, out} = await run(freshHome(), [...list, '-o', format], {env: service.env})
      expect(code).toBe(0)
      expect(out).toContain('MOON')
    }
  })

  it('says that there are none, and exits with 0', async () => {
    const {code, out, err} = await run(freshHome(), [...list, ...sandbox, '--customer', customer])
    expect({code, out, err}).toEqual({code: 0, out: '', err: 'No automation rules.\n'})
  })

  it.each([
    [['--customer', 'acme'], '--customer'],
    [['--from', ''], '--from'],
    [['--type', 'LUNAR'], 'LUNAR'],
    [['--since', 'lately'], '--since'],
    [['--since', '2026-13-45'], '--since'],
    [['--limit', '3'], '--limit'],
    [['--columns', 'shoeSize'], 'shoeSize'],
  ])('rejects %j before anything is sent', async (flags, named) => {
    const service = await serveRules()
    const {code, out, err} = await run(freshHome(), [...list, ...flags], {env: service.env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain(named)
    expect(service.requests).toEqual([])
  })
})
