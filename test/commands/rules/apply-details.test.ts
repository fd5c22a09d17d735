// svc rules apply: ids as the file spells them, fields that the service has beside, and how to restore a deleted rule.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {ruleCreate} from '../../../src/contract/rules.ts'
import {customerId, reply, serve} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {answered, configuration, serveRules} from '../../rules/rule-service.ts'
import {appliedIn, fileOf} from '../../rules/samples.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const applying = (home: Home, rules: readonly unknown[]) => ['rules', 'apply', '-f', fileOf(home, rules)]

it('svc rules apply treats a rule that differs only in fields that no request can carry as unchanged', async () => {
  const service = await serveRules({rules: [answered('rule-1')]})
  const home = freshHome()
  const ended = await run(home, [...applying(home, [configuration()]), '--yes'], {env: service.env})
  expect(ended).toMatchObject({code: 0, out: ''})
  expect(ended.err).toMatch(/1 rule, nothing to change\.\n$/)
})

it('svc rules apply refuses a rule of a type that the interface does not have, and writes nothing', async () => {
  const novel = answered('rule-2', {name: 'Novel', trigger: {type: 'HOOK_BASED', hook: 'x'}})
  const service = await serveRules({rules: [answered('rule-1'), novel]})
  const home = freshHome()
  const {out} = await run(home, ['rules', 'export'], {env: service.env})
  const apply = ['rules', 'apply', '-f', '-', '--prune', '--yes']
  const {code, err} = await run(home, apply, {env: service.env, input: out})
  expect(code).toBe(2)
  expect(err).toContain('trigger.type must be one of THRESHOLD_BASED, TIME_BASED (found "HOOK_BASED")')
  expect(service.writes).toEqual([])
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
