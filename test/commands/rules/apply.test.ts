// svc rules apply: on a terminal, in a pipe, as JSON, and rejected; creating, updating, replacing, pruning.
import {describe, expect, it} from 'vitest'
import {ruleCreate} from '../../../src/contract/rules.ts'
import {answered, configuration} from '../../rules/rule-service.ts'
import {customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
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
} from '../../rules/samples.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const weekly = payout('Weekly')
const sweep = payout('Sweep', bo, {trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '9000000'}})

describe('svc rules apply', () => {
  it('creates missing rules in a pipe; applied again, it changes nothing and says so', async () => {
    const home = freshHome()
    const file = fileOf(home, [weekly, sweep])
    const first = await sandbox(home, ['rules', 'apply', '-f', file])
    expect(first.code).toBe(0)
    expect(first.out).toMatch(/^ACTION +OUTCOME +NAME +ID\ncreate +done +Weekly +rule_\w+\ncreate +done +Sweep/)
    expect(first.err).toContain('  +   create   Weekly\n')
    expect(first.err).toMatch(/\nPlan: 2 to create\.\n$/)
    const before = await existing(home)
    const again = await sandbox(home, ['rules', 'apply', '-f', file])
    expect(again).toEqual({code: 0, out: '', err: '2 rules, nothing to change.\n'})
    expect(await existing(home)).toEqual(before)
  })

  it('gives a script every rule with its id and outcome as JSON, and prints nothing with --quiet alone', async () => {
    const home = freshHome()
    await apply(home, [weekly])
    const {code, out, err} = await apply(home, [weekly, sweep])
    expect({code, err}).toEqual({code: 0, err: ''})
    const ids = new Map((await existing(home)).map(({name, id}) => [name, id]))
    expect(json(out)).toEqual({
      applied: [
        {action: 'unchanged', id: ids.get('Weekly'), name: 'Weekly', customerId: ada.customerId, outcome: 'done'},
        {action: 'create', id: ids.get('Sweep'), name: 'Sweep', customerId: bo.customerId, outcome: 'done'},
      ],
    })
    const quiet = ['rules', 'apply', '-f', fileOf(home, [ofAmount(weekly, '7')]), '--quiet']
    expect(await sandbox(home, quiet)).toEqual({code: 0, out: '', err: ''})
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
    expect(appliedIn(out)[0]).toMatchObject({replacedId: replaced})
    const after = await existing(home)
    expect(namesIn(after)).toEqual(['Sweep', 'Weekly'])
    expect(after.find(({name}) => name === 'Weekly')).toMatchObject({trigger: {cronSchedule: '0 9 * * 2'}})
    expect(after.map(({id}) => id)).not.toContain(replaced)
  })

  it('prunes only rules of customers that the file names, after a yes', async () => {
    const home = freshHome()
    await apply(home, [weekly, payout('Old'), sweep])
    const unsaid = await apply(home, [weekly], '--prune')
    expect({code: unsaid.code, out: unsaid.out}).toEqual({code: 2, out: ''})
    expect(json(unsaid.err)['message']).toBe('--prune deletes rules and needs confirmation.')
    expect(await existing(home)).toHaveLength(3)
    const {code, out} = await apply(home, [weekly], '--prune', '--yes')
    expect({code, rows: outcomesIn(out)}).toEqual({code: 0, rows: ['unchanged Weekly: done', 'delete Old: done']})
    expect(namesIn(await existing(home))).toEqual(['Sweep', 'Weekly'])
    const empty = await apply(home, [], '--prune', '--yes')
    expect(empty).toMatchObject({code: 0, err: expect.stringContaining('nothing to change') as string})
    expect(await existing(home)).toHaveLength(2)
  })

  it('never prunes rules of other customers that a service lists', async () => {
    const rule = (id: string, whose: typeof ada) => ({...payout(id, whose), id})
    const rules = [rule('mine', ada), rule('theirs', bo), {...rule('nobody’s', ada), customerId: null}]
    const service = await serve(({method}, response) =>
      method === 'GET' ? reply(response, 200, {automationRules: rules}) : reply(response, 200, rules[0]),
    )
    const home = freshHome()
    const args = ['rules', 'apply', '-f', fileOf(home, [payout('new')]), '--prune', '--dry-run', '--json', '--quiet']
    const {out} = await run(home, args, {env: service.env})
    expect(json(out)['plan']).toMatchObject([
      {action: 'create', name: 'new'},
      {action: 'delete', id: 'mine'},
    ])
    expect(json(out)['plan']).toHaveLength(2)
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

  it('shows the plan on live and asks once for all of it', async () => {
    const service = await serve(({method, body}, response) =>
      reply(response, 200, method === 'GET' ? {automationRules: []} : {id: 'r1', ...json(body)}),
    )
    const home = freshHome()
    const args = ['rules', 'apply', '-f', fileOf(home, [weekly, sweep])]
    const no = onTerminal(home, args, {env: service.env})
    await no.waitFor(/Plan: 2 to create\.\n[^]*Make these 2 changes, on http:\/\/127.*live\)\?/)
    no.type('n\r')
    expect(await no.ended).toBe(130)
    expect(service.requests.some(({method}) => method !== 'GET')).toBe(false)
    const yes = onTerminal(home, args, {env: service.env})
    await yes.waitFor(/live\)\?/)
    yes.type('y\r')
    expect(await yes.ended).toBe(0)
    expect(service.requests.filter(({method}) => method === 'POST')).toHaveLength(2)
    expect(yes.text()).toMatch(/create +done +Weekly/)
  })
})

describe('svc rules apply --dry-run', () => {
  it('is a plan in JSON without a question, and exits as apply would', async () => {
    const home = freshHome()
    await apply(home, [weekly, payout('Fixed'), payout('Same'), payout('Old')])
    const before = await existing(home)
    const wanted = [payout('New'), ofAmount(weekly, '120'), atTime(payout('Fixed'), '0 9 * * 2'), payout('Same')]
    const {code, out} = await apply(home, wanted, '--dry-run', '--replace', '--prune')
    expect(code).toBe(0)
    const plan = json(out)['plan'] as Array<Record<string, unknown>>
    expect(plan.map(({action, name}) => `${String(action)} ${String(name)}`)).toEqual([
      'create New',
      'update Weekly',
      'replace Fixed',
      'unchanged Same',
      'delete Old',
    ])
    expect(plan[1]).toEqual({
      action: 'update',
      id: before.find((rule) => rule.name === 'Weekly')?.id,
      name: 'Weekly',
      customerId: ada.customerId,
      changes: [{path: 'transactionTemplate.amount.value', from: '100.10', to: '120'}],
    })
    const refused = await sandbox(home, ['rules', 'apply', '-f', fileOf(home, wanted), '--dry-run'])
    expect(refused.code).toBe(3)
    expect(refused.out).toMatch(/ {2}! {3}refused {2}Fixed {2}rule_\w+\n/)
    expect(refused.out).toMatch(/Plan: 1 to create, 1 to update, 1 refused, 1 unchanged\.\n$/)
    expect(await existing(home)).toEqual(before)
  })
})

it('svc rules apply asks for the rules of a customer as the file spells its id, and creates none again', async () => {
  const id = customerId(1).replace('0000-4000', 'ABCD-4000')
  const service = await serve(({method, query}, response) => {
    const automationRules = query.get('customerId') === id ? [answered('rule-1', {customerId: id})] : []
    reply(response, 200, method === 'GET' ? {automationRules} : answered('rule-2', {customerId: id}))
  })
  const home = freshHome()
  const args = ['rules', 'apply', '-f', fileOf(home, [configuration({customerId: id})]), '--yes']
  const ended = await run(home, args, {env: service.env})
  expect(ended).toMatchObject({code: 0, err: expect.stringContaining('1 rule, nothing to change.\n') as string})
  expect(service.requests.map(({method}) => method)).toEqual(['GET'])
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
