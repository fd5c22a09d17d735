// svc rules apply: on a terminal, in a pipe, as JSON, and rejected; creating, updating, replacing, pruning.
import {describe, expect, it} from 'vitest'
import {ruleCreate} from '../../../src/contract/rules.ts'
import {answered, configuration} from './rule-service.ts'
import {reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {
  ada,
  appliedIn,
  apply,
  atTime,
  bo,
  existing,
  fileOf,
  namesIn,
  ofAmount,
  outcomesIn,
  payout,
  sandbox,
} from './samples.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const weekly = payout('Weekly')
const sweep = payout('Sweep', bo, {trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '9000000'}})

describe('svc rules apply', () => {
  it('takes what svc rules export prints, in any format, and then nothing changes', async () => {
    const home = freshHome()
    const names = ['yes', '0100', ': # "odd" \u202e name', '👩‍👩‍👧‍👦 Rent', 'a\u200Db', '=', 'two\nlines']
    await apply(home, [...names.map((name) => payout(name)), sweep])
    const before = await existing(home)
    for (const format of ['table', 'json', 'yaml']) {
      const {out} = await sandbox(home, ['rules', 'export', '-o', format])
      const applied = await sandbox(home, ['rules', 'apply', '-f', '-', '--prune', '--yes'], out)
      expect(applied).toEqual({code: 0, out: '', err: '8 rules, nothing to change.\n'})
    }
    expect(await existing(home)).toEqual(before)
  })

  it('rejects changes of fixed fields before any write, and makes them with --replace', async () => {
    const home = freshHome()
    await apply(home, [weekly, sweep])
    const before = await existing(home)
    const wanted = [atTime(weekly, '0 9 * * 2'), ofAmount(sweep, '5')]
    const refused = await apply(home, wanted)
    expect({code: refused.code, out: refused.out}).toEqual({code: 3, out: ''})
    expect(json(refused.err)).toMatchObject({
      error: 'RULE_FIELD_FIXED',
      exitCode: 3,
      problems: [expect.stringContaining('trigger.cronSchedule from 0 9 * * 1 to 0 9 * * 2')],
    })
    expect(await existing(home)).toEqual(before)
    const {code, out, err} = await apply(home, wanted, '--replace')
    expect({code, rows: outcomesIn(out)}).toEqual({code: 0, rows: ['replace Weekly: done', 'update Sweep: done']})
    expect(err).toContain('If it is due in between, it does not fire.')
    const replaced = before.find(({name}) => name === 'Weekly')?.id
    expect(appliedIn(out)[0]).toMatchObject({replacedId: replaced, customerId: ada.customerId})
    const after = await existing(home)
    expect(namesIn(after)).toEqual(['Sweep', 'Weekly'])
    expect(after.find(({name}) => name === 'Weekly')).toMatchObject({trigger: {cronSchedule: '0 9 * * 2'}})
    expect(after.map(({id}) => id)).not.toContain(replaced)
  })

  it('prunes only rules of customers that the file names, after a yes', async () => {
    const home = freshHome()
    await apply(home, [weekly, payout('Old'), sweep])
    expect(await apply(home, [weekly], '--prune')).toMatchObject({code: 2, out: ''})
    expect(await existing(home)).toHaveLength(3)
    const {code, out} = await apply(home, [weekly], '--prune', '--yes')
    expect({code, rows: outcomesIn(out)}).toEqual({code: 0, rows: ['unchanged Weekly: done', 'delete Old: done']})
    expect(namesIn(await existing(home))).toEqual(['Sweep', 'Weekly'])
    expect((await apply(home, [], '--prune', '--yes')).code).toBe(0)
    expect(await existing(home)).toHaveLength(2)
  })

  it('continues if one rule is rejected, exits with 9, and names what failed', async () => {
    const home = freshHome()
    await apply(home, [payout('Old')])
    const wrong = {...payout('Wrong'), transactionTemplate: structuredClone(sweep.transactionTemplate)}
    const {code, out, err} = await apply(home, [wrong, weekly, sweep], '--prune', '--yes')
    expect(code).toBe(9)
    expect(outcomesIn(out)).toEqual([
      'create Wrong: failed',
      'create Weekly: done',
      'create Sweep: done',
      // It may be what the failed rule was to take the place of.
      'delete Old: not tried',
    ])
    expect(appliedIn(out)[0]?.error).toMatchObject({error: 'BAD_REQUEST', statusCode: 400})
    expect(json(err)).toMatchObject({
      error: 'PARTLY_DONE',
      exitCode: 9,
      problems: [expect.stringContaining('Wrong'), 'delete "Old": not tried'],
    })
    expect(namesIn(await existing(home))).toEqual(['Old', 'Sweep', 'Weekly'])
  })

  it('with --dry-run prints the plan, changes nothing, and exits as it would without', async () => {
    const home = freshHome()
    await apply(home, [weekly, payout('Fixed')])
    const before = await existing(home)
    const wanted = [ofAmount(weekly, '120'), atTime(payout('Fixed'), '0 9 * * 2')]
    const {code, out} = await apply(home, wanted, '--dry-run', '--replace')
    expect(code).toBe(0)
    const id = before.find((rule) => rule.name === 'Weekly')?.id
    const changes = [{path: 'transactionTemplate.amount.value', from: '100.10', to: '120'}]
    expect(json(out)['plan']).toMatchObject([
      {action: 'update', id, name: 'Weekly', customerId: ada.customerId, changes},
      {action: 'replace', name: 'Fixed'},
    ])
    expect((await apply(home, wanted, '--dry-run')).code).toBe(3)
    expect(await existing(home)).toEqual(before)
  })
})

describe('svc rules apply --replace, if the new rule is rejected', () => {
  const old = answered('rule-1', {name: 'Pay \u202e it’s "odd"'})
  const name = old['name'] as string

  async function applyRejected(status: number) {
    let rules = [old]
    const service = await serve(({method}, response) => {
      if (method === 'POST') return reply(response, status, {error: 'RULES_TOO_MANY', message: 'Too many rules.'})
      if (method === 'DELETE') rules = []
      return reply(response, 200, method === 'GET' ? {automationRules: rules} : old)
    })
    const home = freshHome()
    const wanted = configuration({name, trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * 1'}})
    const args = ['rules', 'apply', '-f', fileOf(home, [wanted]), '--replace', '--yes', '--json']
    return {home, ...(await run(home, args, {env: service.env}))}
  }

  it('exits with 9, and gives the old rule for svc rules create', async () => {
    const {home, code, out, err} = await applyRejected(400)
    expect(code).toBe(9)
    expect(appliedIn(out)).toMatchObject([{action: 'replace', outcome: 'failed', replacedId: 'rule-1', deleted: old}])
    expect(appliedIn(out)[0]).not.toHaveProperty('id')
    const {hint, problems} = json(err.trimEnd().split('\n').at(-1) ?? '') as {hint: string; problems: string[]}
    expect(hint).toContain('save it to a file and run `svc rules create -f FILE`')
    const input = problems.at(-1)?.replace('the old rule: ', '') ?? ''
    const again = await run(home, ['rules', 'create', '-f', '-', '--dry-run'], {input})
    expect(ruleCreate.parse(json(again.out)['body'])).toMatchObject({name, trigger: configuration().trigger})
  })

  it('does not offer to restore the old rule if the new one may exist', async () => {
    const {code, err} = await applyRejected(500)
    expect(code).toBe(7)
    expect(err).toContain('the old rule was deleted, and it is not known whether the new one exists')
    expect(err).not.toContain('svc rules create')
  })
})
