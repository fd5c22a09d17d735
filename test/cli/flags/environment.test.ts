// Flags and the variables that stand for them: what is typed counts, and SVC_DRY_RUN never lets a write through.
import {describe, expect, it} from 'vitest'
import {type Service, customer, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'

const ofCustomers = () =>
  serve((_, response) => reply(response, 200, {customers: [customer(1), customer(2), customer(3), customer(4)]}))

const listed = (service: Service, args: readonly string[], env: Record<string, string>) =>
  run(freshHome(), ['customers', 'list', ...args], {env: {...service.env, ...env}})

describe('A flag that is typed', () => {
  it('beats the variable of another format', async () => {
    const {code, out} = await listed(await ofCustomers(), ['-o', 'csv', '--columns', 'id'], {SVC_JSON: '1'})
    expect({code, first: out.split('\n')[0]}).toEqual({code: 0, first: 'customerId'})
    const other = await listed(await ofCustomers(), ['--json'], {SVC_OUTPUT: 'csv'})
    expect(json(other.out)).toHaveProperty('customers')
  })

  it.each([
    [['--all'], {SVC_LIMIT: '2'}, 4],
    [['--limit', '2'], {SVC_ALL: '1'}, 2],
    [['--limit', '2'], {SVC_ALL: '0'}, 2],
    [[], {SVC_ALL: 'no', SVC_LIMIT: '2'}, 2],
  ])('beats the variable of a flag it excludes: %j with %j', async (args, env, rows) => {
    const {code, out} = await listed(await ofCustomers(), [...args, '-o', 'jsonl'], env)
    expect({code, rows: out.trimEnd().split('\n').length}).toEqual({code: 0, rows})
  })

  it('is refused beside one that asks for another format', async () => {
    const service = await ofCustomers()
    const {code, err} = await listed(service, ['--json', '-o', 'csv'], {})
    expect({code, asked: service.asked}).toEqual({code: 2, asked: []})
    expect(json(err)['message']).toMatch(/^Two output formats are set/)
    expect((await listed(service, ['--json', '-o', 'json'], {})).code).toBe(0)
  })
})

describe('Variables', () => {
  it('that exclude each other are refused by their own names', async () => {
    const {code, err} = await listed(await ofCustomers(), [], {SVC_ALL: '1', SVC_LIMIT: '3'})
    expect(code).toBe(2)
    expect(err).toBe('svc: SVC_ALL and SVC_LIMIT exclude each other, and both are set. Unset one of them.\n')
  })

  it('that say neither yes nor no are refused', async () => {
    const {code, err} = await listed(await ofCustomers(), [], {SVC_ALL: 'maybe'})
    expect(code).toBe(2)
    expect(err).toContain('SVC_ALL is neither 1 nor 0')
  })
})

describe('SVC_DRY_RUN', () => {
  const create = ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com']

  it('shows the request and sends nothing, as --dry-run does', async () => {
    const service = await ofCustomers()
    const {code, out} = await run(freshHome(), create, {env: {...service.env, SVC_DRY_RUN: '1'}})
    expect({code, asked: service.asked}).toEqual({code: 0, asked: []})
    expect(json(out)).toMatchObject({method: 'POST', path: '/customers'})
  })

  it.each([
    [create, 'on'],
    [['api', 'POST', '/things', '--set', 'a=1'], '1'],
    [['api', 'POST', '/things', '--set', 'a=1'], 'on'],
    [['rules', 'delete', 'rule_1', '--yes'], '1'],
  ])('lets no write through where it cannot be followed: %j', async (args, value) => {
    const service = await ofCustomers()
    const {code, out, err} = await run(freshHome(), args, {env: {...service.env, SVC_DRY_RUN: value}})
    expect({code, out, asked: service.asked}).toEqual({code: 2, out: '', asked: []})
    expect(err).toContain('SVC_DRY_RUN')
  })

  it('is no matter for a read', async () => {
    expect((await listed(await ofCustomers(), [], {SVC_DRY_RUN: '1'})).code).toBe(0)
  })

  it('is not given up for a flag that does not go with it', async () => {
    const args = ['payouts', 'run', 'none.csv', '--result', 'x.csv']
    const {code, err} = await run(freshHome(), args, {env: {SVC_DRY_RUN: '1'}})
    expect(code).toBe(2)
    expect(err).toContain('--result does not go with SVC_DRY_RUN')
  })
})

describe('svc sandbox', () => {
  it.each(['reset', 'status'])(
    '%s refuses a profile that there is not, and leaves the sandbox as it is',
    async (verb) => {
      const home = freshHome()
      await run(home, [
        'api',
        'POST',
        '/customers',
        '--set',
        'customerType=INDIVIDUAL',
        '--set',
        'email=a@example.com',
        '-p',
        'sandbox',
      ])
      const refused = await run(home, ['sandbox', verb, '-p', 'nope'])
      expect(refused.code).toBe(2)
      expect(refused.err).toContain('There is no profile "nope"')
      const {out} = await run(home, ['customers', 'list', '--all', '-p', 'sandbox', '--json'])
      expect(json(out)['customers']).toHaveLength(25)
    },
  )

  it('refuses a profile of a service, and takes one of a sandbox on this machine', async () => {
    const service = await ofCustomers()
    const home = freshHome()
    for (const mode of ['live', 'sandbox']) {
      const args = [
        'login',
        '-p',
        mode === 'live' ? 'acme' : 'local',
        '--base-url',
        service.url,
        `--${mode}`,
        '--store',
        'file',
      ]
      expect((await run(home, args, {input: 'test-key'})).code).toBe(0)
    }
    const refused = await run(home, ['sandbox', 'reset', '-p', 'acme'])
    expect(refused.code).toBe(2)
    expect(refused.err).toContain(`the profile "acme" belongs to ${service.url}`)
    expect((await run(home, ['sandbox', 'status', '-p', 'local'])).code).toBe(0)
    // What stands in the environment is for other commands.
    expect((await run(home, ['sandbox', 'status'], {env: {SVC_PROFILE: 'acme'}})).code).toBe(0)
  })
})
