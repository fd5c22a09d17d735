// svc rules update: on a terminal, in a pipe, as JSON, rejected, confirmed on live, and with lost replies.
import {describe, expect, it} from 'vitest'
import {ruleUpdate} from '../../../src/contract/rules.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {answered, configuration, serveRules} from '../../rules/rule-service.ts'
import {rulesIn, sandbox, withPayroll} from './payroll.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const update = ['rules', 'update']
const {transactionTemplate: template} = configuration()

// What svc sends for these flags, for a rule as a service may say it.
async function sent(flags: readonly string[], more = {}, input?: string) {
  const service = await serveRules({rules: [answered('rule-1', more)]})
  const args = [...update, 'rule-1', ...flags, '--yes', '--quiet']
  const ended = await run(freshHome(), args, {env: service.env, ...(input && {input})})
  const body: unknown = service.writes[0] && JSON.parse(service.writes[0].body)
  return {...ended, body, asked: service.requests.map(({method}) => method)}
}

describe('svc rules update', () => {
  it('keeps the type of a fee whose amount changes, and removes the fee with 0', async () => {
    const {home, rule} = await withPayroll(['--developer-fee', '1', '--developer-fee-type', 'USD'])
    const change = (fee: string) => run(home, [...update, rule.id, ...sandbox, '--developer-fee', fee, '--json'])
    expect(json((await change('2')).out)['transactionTemplate']).toMatchObject({
      developerFee: {developerFeeType: 'USD', developerFeeAmount: '2'},
    })
    const {code, out} = await change('0')
    expect(code).toBe(0)
    expect(json(out)['transactionTemplate']).not.toHaveProperty('developerFee')
    expect(json(out)).toMatchObject({id: rule.id, name: 'Payroll', trigger: rule.trigger})
  })

  it('sends the complete rule without unknown fields', async () => {
    const {code, body} = await sent(['--percent', '12.5'])
    expect(code).toBe(0)
    expect(ruleUpdate.parse(body)).toEqual({
      id: 'rule-1',
      ...configuration(),
      transactionTemplate: {...template, amount: {type: 'PCT', value: '12.5'}},
    })
  })

  it.each([
    [['--amount', '100'], undefined],
    [['--developer-fee', '0'], undefined],
    [['-f', '-'], JSON.stringify(configuration({id: 'rule-1'}))],
    [['-f', '-'], '{"transactionTemplate": {"developerFee": null}}'],
  ])('says that nothing changes with %j, and sends nothing', async (flags, input) => {
    const service = await serveRules({rules: [answered('rule-1')]})
    const options = {env: service.env, ...(input && {input})}
    const {code, out, err} = await run(freshHome(), [...update, 'rule-1', ...flags, '--yes', '--json'], options)
    expect({code, out: json(out)}).toEqual({code: 0, out: answered('rule-1')})
    expect(err).toContain('The rule already has these values; nothing was sent.\n')
    expect(service.writes).toEqual([])
  })

  const ofPercent = {transactionTemplate: {...template, amount: {type: 'PCT', value: '5'}}}

  it.each([
    [[], 2, 'nothing to change'],
    [['--set', 'id=rule-2', '--amount', '5'], 2, 'another rule, rule-2'],
    [['--set', 'name=Other'], 3, 'name from Payroll to Other'],
    [['--set', 'trigger.cronSchedule=0 8 * * *', '--amount', '5'], 3, 'trigger.cronSchedule from'],
    [['--set', 'transactionTemplate:={"source": {"sourceCurrency": "USDT"}}'], 3, 'source.sourceCurrency from'],
    [['--set', 'transactionTemplate.amount.type=PCT'], 2, 'amount.type has no value'],
    [['--set', 'transactionTemplate.amount.value=-5'], 2, 'amount.value must be a decimal'],
    [['--set', 'transactionTemplate.amount.value=150'], 2, 'percentage from 0 to 100', ofPercent],
    [['--amount', '0'], 2, 'more than 0'],
    [['--developer-fee-type', 'USD'], 2, 'developerFeeAmount is required'],
  ])('rejects %j with %i, and sends nothing', async (flags, code, message, rule: object = {}) => {
    const rejected = await sent(flags, rule)
    expect(rejected).toMatchObject({code, out: ''})
    expect(rejected.asked).not.toContain('PUT')
    expect(rejected.err).toContain(message)
  })

  it('shows the PUT with --dry-run, and sends none', async () => {
    const {home, rule} = await withPayroll()
    const {code, out} = await run(home, [...update, rule.id, ...sandbox, '--amount', '7', '--dry-run'])
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({method: 'PUT', path: `/automation-rules/${rule.id}`, body: {id: rule.id}})
    expect(ruleUpdate.safeParse(json(out)['body']).success).toBe(true)
    expect(await rulesIn(home)).toEqual([rule])
  })

  it('requires --yes from a script on live before it reads anything, and shows a person the differences', async () => {
    const service = await serveRules({rules: [answered('rule-1')]})
    const change = [...update, 'rule-1', '--amount', '7']
    expect(await run(freshHome(), change, {env: service.env})).toMatchObject({code: 2})
    expect(service.requests).toEqual([])
    const screen = onTerminal(freshHome(), change, {env: service.env, cols: 160})
    await screen.waitFor('live)?')
    expect(screen.text()).toMatch(/─ Change a rule on \S+ \(the environment, live\) ─+┐\n│ Rule +Payroll +│\n/)
    expect(screen.text()).toMatch(/│ Changes +transactionTemplate\.amount\.value from 100\.000000 to 7 +│\n/)
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect(service.writes).toHaveLength(1)
  })
})
