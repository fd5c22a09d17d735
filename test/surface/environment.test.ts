// Flags and their environment variables: a typed flag wins, and SVC_DRY_RUN never lets a write through.
import {describe, expect, it} from 'vitest'
import {type Service, customer, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'

const serveCustomers = () =>
  serve((_, response) => reply(response, 200, {customers: [customer(1), customer(2), customer(3), customer(4)]}))

const list = (service: Service, args: readonly string[], env: Record<string, string>) =>
  run(freshHome(), ['customers', 'list', ...args], {env: {...service.env, ...env}})

describe('A typed flag', () => {
  it('overrides the variable of another format', async () => {
    const {code, out} = await list(await serveCustomers(), ['-o', 'csv', '--columns', 'id'], {SVC_JSON: '1'})
    expect({code, first: out.split('\n')[0]}).toEqual({code: 0, first: 'customerId'})
    const other = await list(await serveCustomers(), ['--json'], {SVC_OUTPUT: 'csv'})
    expect(json(other.out)).toHaveProperty('customers')
  })

  it('overrides the variable of another format for errors too', async () => {
    for (const flags of [['--output=table'], ['--output', 'table'], ['-otable'], ['-o', 'table']]) {
      const {err} = await list(await serveCustomers(), ['--limit', 'x', ...flags], {SVC_JSON: '1'})
      expect(err).toMatch(/^svc: --limit "x" is not a whole number/)
    }
  })

  it('is rejected together with one for another format', async () => {
    const service = await serveCustomers()
    const {code, err} = await list(service, ['--json', '-o', 'csv'], {})
    expect({code, asked: service.requests}).toEqual({code: 2, asked: []})
    expect(json(err)['message']).toMatch(/^Two output formats are set/)
    expect((await list(service, ['--json', '-o', 'json'], {})).code).toBe(0)
  })
})

describe('Variables', () => {
  it('that are neither on nor off are rejected', async () => {
    const {code, err} = await list(await serveCustomers(), [], {SVC_QUIET: 'maybe'})
    expect(code).toBe(2)
    expect(err).toContain('SVC_QUIET is neither 1 nor 0')
  })

  it.each([{SVC_TIMEOUT: 'soon'}, {SVC_OUTPUT: 'xml'}])('with a wrong value are rejected: %j', async (env) => {
    const service = await serveCustomers()
    expect(await list(service, [], env)).toMatchObject({code: 2, out: ''})
    expect(service.requests).toEqual([])
  })

  it('with a right value are taken', async () => {
    const {code, out} = await list(await serveCustomers(), [], {SVC_OUTPUT: 'jsonl'})
    expect({code, rows: out.trimEnd().split('\n').length}).toEqual({code: 0, rows: 4})
  })
})

describe('SVC_DRY_RUN', () => {
  const create = ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com']

  it('shows the request and sends nothing, like --dry-run', async () => {
    const service = await serveCustomers()
    const {code, out} = await run(freshHome(), create, {env: {...service.env, SVC_DRY_RUN: '1'}})
    expect({code, asked: service.requests}).toEqual({code: 0, asked: []})
    expect(json(out)).toMatchObject({method: 'POST', path: '/customers'})
  })

  it.each([
    [create, 'on'],
    [['api', 'POST', '/things', '--set', 'a=1'], '1'],
    [['api', 'POST', '/things', '--set', 'a=1'], 'on'],
    [['rules', 'delete', 'rule_1', '--yes'], '1'],
  ])('lets no write through if the command has no dry run: %j', async (args, value) => {
    const service = await serveCustomers()
    const {code, out, err} = await run(freshHome(), args, {env: {...service.env, SVC_DRY_RUN: value}})
    expect({code, out, asked: service.requests}).toEqual({code: 2, out: '', asked: []})
    expect(err).toContain('SVC_DRY_RUN')
  })

  it('does not affect a read', async () => {
    expect((await list(await serveCustomers(), [], {SVC_DRY_RUN: '1'})).code).toBe(0)
  })
})

it('svc sandbox rejects a profile of a service, and accepts one of a sandbox on this machine', async () => {
  const service = await serveCustomers()
  const home = freshHome()
  for (const [name, mode] of [
    ['acme', '--live'],
    ['local', '--sandbox'],
  ] as const) {
    const args = ['login', '-p', name, '--base-url', service.url, mode, '--store', 'file']
    expect((await run(home, args, {input: 'test-key'})).code).toBe(0)
  }
  for (const [name, words] of [
    ['acme', `the profile "acme" belongs to ${service.url}`],
    ['nope', 'There is no profile "nope"'],
  ] as const) {
    const rejected = await run(home, ['sandbox', 'reset', '-p', name])
    expect([rejected.code, rejected.err]).toEqual([2, expect.stringContaining(words)])
  }
  expect((await run(home, ['sandbox', 'status', '-p', 'local'])).code).toBe(0)
  // SVC_PROFILE is meant for other commands.
  expect((await run(home, ['sandbox', 'status'], {env: {SVC_PROFILE: 'acme'}})).code).toBe(0)
})
