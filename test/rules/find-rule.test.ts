// A rule named by the beginning of its id, by its name, or not at all.
import {describe, expect, it} from 'vitest'
import {freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {answered, serveRules} from './rule-service.ts'

const rent = answered('rule_5f2c0e9d71a84b36', {name: 'Rent'})
const payroll = answered('rule_5f2caaaa71a84b36', {name: 'Payroll'})
const serveTwo = () => serveRules({rules: [rent, payroll]})
const toPaths = (service: {requests: Array<{method: string; path: string}>}) =>
  service.requests.map(({method, path}) => `${method} ${path}`)

describe('a rule named by a script', () => {
  it('is read with one request if its whole id is given', async () => {
    const service = await serveTwo()
    await run(freshHome(), ['rules', 'get', 'rule_5f2c0e9d71a84b36', '--json'], {env: service.env})
    expect(toPaths(service)).toEqual(['GET /automation-rules/rule_5f2c0e9d71a84b36'])
  })

  it('is found by the beginning of its id, and deleted under its whole id', async () => {
    const service = await serveTwo()
    const {code, out} = await run(freshHome(), ['rules', 'delete', 'rule_5f2c0', '--yes', '--json'], {env: service.env})
    expect({code, id: json(out)['id']}).toEqual({code: 0, id: rent['id']})
    expect(toPaths(service).at(-1)).toBe('DELETE /automation-rules/rule_5f2c0e9d71a84b36')
  })

  it('is refused if several begin like it, and nothing is changed', async () => {
    const service = await serveTwo()
    const {code, out, err} = await run(freshHome(), ['rules', 'delete', 'rule_5f2c', '--yes', '--json'], {
      env: service.env,
    })
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(json(err.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: 'AMBIGUOUS_ID',
      message: 'The rule id "rule_5f2c" matches 2 automation rules.',
    })
    expect(err).not.toContain('Payroll')
    expect(service.writes).toEqual([])
  })

  it('is never searched by its name, nor by less than eight characters', async () => {
    const service = await serveTwo()
    expect(await run(freshHome(), ['rules', 'get', 'Rent'], {env: service.env})).toMatchObject({code: 5})
    expect(await run(freshHome(), ['rules', 'get', 'rule_5f'], {env: service.env})).toMatchObject({code: 5})
    expect(service.requests).toHaveLength(2)
  })
})

describe('a rule named by a person in a terminal', () => {
  it('is found by its name', async () => {
    const service = await serveTwo()
    const screen = onTerminal(freshHome(), ['rules', 'get', 'payr'], {env: service.env, cols: 200})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/"payr" is Payroll, .*, rule_5f2caaaa71a84b36\./)
    expect(screen.text()).toMatch(/^ID +rule_5f2caaaa71a84b36$/m)
  })
})
