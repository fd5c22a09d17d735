// svc rules apply with a newer service: unknown fields and types, and how to restore a deleted rule.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {ruleCreate} from '../../../src/contract/rules.ts'
import {customerId, reply, serve} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {answered, configuration, serveRules} from '../../rules/rule-service.ts'
import {appliedIn, fileOf} from '../../rules/samples.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const novel = (more = {}) =>
  answered('rule-2', {
    name: 'Novel',
    transactionTemplate: {...configuration().transactionTemplate, amount: {type: 'REMAINDER', value: 50, keep: '5'}},
    trigger: {type: 'HOOK_BASED', hook: 'x'},
    ...more,
  })

const losses = 'riskTier, transactionTemplate.memo, transactionTemplate.amount.rounding, trigger.paused (of "Payroll")'
const warning = `Requests carry the whole rule, but not all fields that the service has in it. These may be lost: ${losses}.\n`

const seven = configuration({
  transactionTemplate: {...configuration().transactionTemplate, amount: {type: 'FLAT', value: '7'}},
})

const applying = (home: Home, rules: readonly unknown[]) => ['rules', 'apply', '-f', fileOf(home, rules)]

describe('svc rules apply, with unknown fields', () => {
  it('names them in a notice, in the plan and in its JSON, before anything is written', async () => {
    const service = await serveRules({rules: [answered('rule-1')]})
    const home = freshHome()
    const args = applying(home, [seven])
    const [drawn, asJson] = [
      await run(home, [...args, '--dry-run'], {env: service.env}),
      await run(home, [...args, '--dry-run', '--json'], {env: service.env}),
    ]
    expect(drawn).toMatchObject({code: 0, err: expect.stringContaining(warning) as string})
    expect(drawn.out).toContain(`\
        may lose:
          riskTier
          transactionTemplate.memo
          transactionTemplate.amount.rounding
          trigger.paused
`)
    expect(asJson).toMatchObject({code: 0, err: expect.stringContaining(warning) as string})
    const [row] = json(asJson.out)['plan'] as Array<{loses: string[]}>
    expect(row?.loses).toEqual([
      'riskTier',
      'transactionTemplate.memo',
      'transactionTemplate.amount.rounding',
      'trigger.paused',
    ])
    expect(service.writes).toEqual([])
    expect((await run(home, [...args, '--yes', '--json'], {env: service.env})).err).toContain(warning)
    expect(json(service.writes[0]?.body ?? '')).toEqual({id: 'rule-1', ...seven})
  })

  it('shows them in the question, also with --quiet', async () => {
    const service = await serveRules({rules: [answered('rule-1')]})
    const home = freshHome()
    const screen = onTerminal(home, [...applying(home, [seven]), '--quiet'], {env: service.env, cols: 160})
    await screen.waitFor('live)?')
    expect(screen.text()).toContain('        may lose: riskTier, transactionTemplate.memo, ')
    screen.type('n\r')
    expect(await screen.ended).toBe(130)
  })

  it('treats a rule that differs in nothing else as unchanged, without a notice', async () => {
    const service = await serveRules({rules: [answered('rule-1')]})
    const home = freshHome()
    const ended = await run(home, [...applying(home, [configuration()]), '--yes'], {env: service.env})
    expect(ended).toMatchObject({code: 0, out: ''})
    expect(ended.err).toMatch(/1 rule, nothing to change\.\n$/)
    expect(ended.err).not.toContain('lost')
  })
})

describe('svc rules apply, with a rule of an unknown type', () => {
  it.each([
    ['svc rules export', ['rules', 'export']],
    ['svc rules list --json', ['rules', 'list', '--json']],
  ])('changes nothing with the output of %s', async (_, command) => {
    const service = await serveRules({rules: [answered('rule-1'), novel()]})
    const home = freshHome()
    const {out} = await run(home, command, {env: service.env})
    const apply = ['rules', 'apply', '-f', '-', '--prune', '--yes']
    const applied = await run(home, apply, {env: service.env, input: out})
    expect(applied).toMatchObject({code: 0, out: ''})
    expect(applied.err).toMatch(/2 rules, nothing to change\.\n$/)
    expect(service.writes).toEqual([])
  })

  it('changes the other rules', async () => {
    const service = await serveRules({rules: [answered('rule-1'), novel()]})
    const home = freshHome()
    const {out} = await run(home, ['rules', 'export'], {env: service.env})
    const input = out.replace('"100.000000"', '"7"')
    const applied = await run(home, ['rules', 'apply', '-f', '-', '--yes', '--json'], {env: service.env, input})
    expect(applied.code).toBe(0)
    expect(appliedIn(applied.out).map(({action, id}) => `${action} ${id}`)).toEqual([
      'unchanged rule-2',
      'update rule-1',
    ])
  })

  it('refuses to change it or to create it, and writes nothing', async () => {
    const service = await serveRules({rules: [novel()]})
    const home = freshHome()
    const {out} = await run(home, ['rules', 'export'], {env: service.env})
    for (const [input, why] of [
      [out.replace('"50"', '"60"'), 'differs from the service in transactionTemplate.amount.value'],
      [out.replaceAll(/rule-2|Novel/g, 'other'), 'the service does not have it'],
    ] as const) {
      const {code, err} = await run(home, ['rules', 'apply', '-f', '-', '--yes'], {env: service.env, input})
      expect(code).toBe(3)
      expect(err).toContain(why)
      expect(err).toContain('transactionTemplate.amount.type must be one of FLAT, PCT (found "REMAINDER")')
    }
    expect(service.writes).toEqual([])
  })
})

describe('svc rules apply, with ids in capitals', () => {
  it('asks for the rules of a customer as the file spells its id, and creates none again', async () => {
    const id = customerId(1).replace('0000-4000', 'ABCD-4000')
    const service = await serve(({method, query}, response) => {
      const automationRules = query.get('customerId') === id ? [answered('rule-1', {customerId: id})] : []
      reply(response, 200, method === 'GET' ? {automationRules} : answered('rule-2', {customerId: id}))
    })
    const home = freshHome()
    const args = [...applying(home, [configuration({customerId: id})]), '--yes']
    const ended = await run(home, args, {env: service.env})
    expect(ended).toMatchObject({code: 0, err: expect.stringContaining('1 rule, nothing to change.\n') as string})
    expect(service.requests.map(({method}) => method)).toEqual(['GET'])
  })
})

describe('svc rules apply --replace, if the new rule is rejected', () => {
  const old = answered('rule-1', {name: 'Pay \u202e it’s "odd"'})
  const name = old['name'] as string

  async function serveRejection(status = 400) {
    let rules = [old]
    const service = await serve(({method}, response) => {
      if (method === 'POST') return reply(response, status, {error: 'RULES_TOO_MANY', message: 'Too many rules.'})
      if (method === 'DELETE') rules = []
      return reply(response, 200, method === 'GET' ? {automationRules: rules} : old)
    })
    const home = freshHome()
    const wanted = configuration({name, trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * 1'}})
    return {home, env: service.env, args: [...applying(home, [wanted]), '--replace', '--yes']}
  }

  it('exits with 9, and prints the old rule for svc rules create', async () => {
    const {home, env, args} = await serveRejection()
    const {code, err} = await run(home, [...args, '--quiet'], {env})
    expect(code).toBe(9)
    expect(err).toContain('save it to a file and run `svc rules create -f FILE`')
    const was = /^ {2}the old rule: (\{.*\})$/m.exec(err)?.[1] ?? ''
    fs.writeFileSync(path.join(home.folder, 'old.json'), was)
    const again = await run(home, ['rules', 'create', '-f', 'old.json', '--dry-run'])
    expect(again.code).toBe(0)
    const body = json(again.out)['body']
    expect(ruleCreate.parse(body)).toMatchObject({name, customerId: customerId(1), trigger: configuration().trigger})
  })

  it('gives a script the old rule instead of an id that no longer exists', async () => {
    const {home, env, args} = await serveRejection(422)
    const {code, out, err} = await run(home, [...args, '--json'], {env})
    expect(code).toBe(9)
    expect(appliedIn(out)).toMatchObject([{action: 'replace', outcome: 'failed', replacedId: 'rule-1', deleted: old}])
    expect(appliedIn(out)[0]).not.toHaveProperty('id')
    expect(json(err.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({error: 'PARTLY_DONE', exitCode: 9})
  })

  it('does not offer to restore the old rule if the new one may exist', async () => {
    const {home, env, args} = await serveRejection(500)
    const {code, err} = await run(home, args, {env})
    expect(code).toBe(7)
    expect(err).toContain('the old rule was deleted, and it is not known whether the new one exists')
    expect(err).not.toContain('svc rules create')
  })
})
