// What somebody who runs payments can try against the controls that bind him: settings, signatures, identities and old approvals.
import fs from 'node:fs'
import path from 'node:path'
import {stringify} from 'yaml'
import {describe, expect, it} from 'vitest'
import type {Policy} from '../../../src/controls/policy.ts'
import {openJournal} from '../../../src/payments/journal/open-journal.ts'
import {createRow, header, logIn} from '../../support/payroll.ts'
import {type Person, type Team, createKey, createTeam, requireApprovals} from '../../support/approvals.ts'
import {payment, route as paymentRoute} from '../../support/payments.ts'
import {reply, serve} from '../../support/service.ts'
import {freshHome, run, setUp} from '../../support/svc.ts'

const write = ({folder}: Team, name: string, text: string) => fs.writeFileSync(path.join(folder, name), text)
const writePayroll = (team: Team, ...rows: string[]) => write(team, 'payroll.csv', `${[header, ...rows].join('\n')}\n`)
const runPayroll = (team: Team, person: Person) => team.run(person, ['payouts', 'run', 'payroll.csv', '--yes'])
const toApprovers = (...people: Person[]) => people.map(({name, publicKey}) => ({name, keys: [publicKey]}))

async function setPolicy(team: Team, policy: Policy) {
  write(team, 'policy.yaml', stringify(policy))
  return team.run(team.carol, ['policy', 'set', 'policy.yaml', '--quiet'])
}

const getSettingsFile = ({home}: Person) => path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'config.json')

const sandbox = {baseUrl: 'sandbox:', environment: 'sandbox', credential: {kind: 'API_KEY'}}

// Whatever the settings say, an attacker writes what he likes.
function editSettings(person: Person, profile: Record<string, unknown>): void {
  const file = getSettingsFile(person)
  const settings = fs.existsSync(file)
    ? (JSON.parse(fs.readFileSync(file, 'utf8')) as {profiles: Record<string, object>})
    : {schemaVersion: 1, profiles: {}}
  fs.mkdirSync(path.dirname(file), {recursive: true, mode: 0o700})
  fs.writeFileSync(
    file,
    JSON.stringify({...settings, profiles: {...settings.profiles, sandbox: {...sandbox, ...profile}}}),
    {
      mode: 0o600,
    },
  )
}

async function listDecisions({home}: Person) {
  const journal = await openJournal({text: path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state', 'journal.sqlite')})
  try {
    return (await journal.listDecisions()).map(({detail}) => detail ?? {})
  } finally {
    await journal.close()
  }
}

describe('settings that the runner edits', () => {
  it('do not change who may approve, or how much may be paid (C1)', async () => {
    const team = createTeam()
    const {carol} = team
    await setPolicy(team, {
      approvers: toApprovers(team.alice, team.bob),
      approvals: {count: 2},
      paymentMax: {USDC: '50'},
    })
    const own = [1, 2].map((number) => {
      const keyFile = path.join(team.folder, `mine-${number}`)
      return {name: `mine-${number}`, keyFile, line: `mine-${number}@example.com ${createKey(keyFile)}`}
    })
    write(team, 'mine', `${own.map(({line}) => line).join('\n')}\n`)
    editSettings(carol, {
      approvals: {required: 2, signers: path.join(team.folder, 'mine')},
      limits: {paymentMax: {USDC: '5000000'}},
    })
    writePayroll(team, createRow('a', {amount: '5000.00'}))
    for (const {keyFile} of own) {
      const flags = ['--yes', '--signers', 'mine', '--signing-key', keyFile]
      await team.run(carol, ['approve', 'payroll.csv', ...flags])
    }
    const {code, err} = await runPayroll(team, carol)
    expect([code, err]).toEqual([10, expect.stringContaining('nobody who may sign has its key')])
  })

  it('do not free a command from approvals and waiting (C2)', async () => {
    const team = createTeam()
    await requireApprovals(team, team.carol, {approvals: 2, coolDown: '24h'})
    editSettings(team.carol, {})
    write(team, 'rule.json', '{}')
    const rule = ['--name', 'x', '--percent', '1', '--threshold', '10', ...paymentRoute]
    const commands = [
      payment('p-1', '5'),
      ['transactions', 'create', '--quote', 'q-1', '--yes'],
      ['rules', 'create', ...rule, '--yes'],
      ['rules', 'update', 'r-1', '-f', 'rule.json', '--yes'],
      ['api', 'POST', '/transactions', '-f', 'rule.json', '--yes'],
      ['api', 'PUT', '/automation-rules/r-1', '-f', 'rule.json', '--yes'],
    ]
    for (const command of commands) {
      const {code, err} = await team.run(team.carol, command)
      expect([command[0], code, err]).toEqual([command[0], 10, expect.stringContaining('approv')])
    }
  })

  it('do not make another service of the same one (C3)', async () => {
    const home = freshHome()
    const service = await serve((_, response) => reply(response, 200, {customers: [], transactions: []}))
    await logIn(home, service)
    const policy = path.join(home.folder, 'policy.yaml')
    fs.writeFileSync(policy, stringify({readOnly: true}))
    expect((await run(home, ['policy', 'set', policy, '-p', 'acme', '--quiet'])).code).toBe(0)
    const tryAll = async (...flags: string[]) => {
      const {code, err} = await run(home, [...payment('p-1', '5'), '--yes', ...flags])
      return [code, err]
    }
    expect(await tryAll('-p', 'acme')).toEqual([2, expect.stringContaining('is read-only')])
    const refused = [10, expect.stringContaining('and none for')]
    const settings = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'config.json')
    const text = fs.readFileSync(settings, 'utf8')
    // The id with a slash more, by hand.
    fs.writeFileSync(settings, text.replaceAll(`"service": "${service.url}"`, `"service": "${service.url}/"`))
    expect(fs.readFileSync(settings, 'utf8')).not.toBe(text)
    expect(await tryAll('-p', 'acme')).toEqual(refused)
    fs.writeFileSync(settings, text)
    // Another profile of the same service is bound as well.
    await logIn(home, service, 'other')
    expect(await tryAll('-p', 'other')).toEqual([2, expect.stringContaining('is read-only')])
    // The environment has no profile at all.
    const env = {SVC_API_KEY: 'test-key', SVC_BASE_URL: service.url, SVC_SERVICE: 'zzz'}
    const free = await run(home, [...payment('p-1', '5'), '--yes'], {env})
    expect([free.code, free.err]).toEqual(refused)
    await setUp(home, ['profiles', 'set', 'acme', '--service', 'zzz', '--quiet'])
    expect(await tryAll('-p', 'acme')).toEqual(refused)
    expect(service.requests.filter(({method}) => method === 'POST')).toEqual([])
  })

  it('leave what the journal knows about limits and approvals (C15)', async () => {
    const team = createTeam()
    await requireApprovals(team, team.carol, {approvals: 2})
    for (const max of ['USDC=100', 'USDC=900']) {
      const limit = ['profiles', 'set', 'sandbox', '--payment-max', max, '--why', 'a test', '--quiet']
      expect((await run(team.carol.home, limit, {cwd: team.folder})).code).toBe(0)
    }
    const ended = await setPolicy(team, {approvers: toApprovers(team.alice, team.bob), approvals: {count: 0}})
    expect([ended.code, ended.err]).toEqual([10, expect.stringContaining('it needs 2 approvals and has 0')])
    expect((await team.run(team.carol, payment('p-1', '5'))).code).toBe(10)
    const decisions = await listDecisions(team.carol)
    expect(decisions.filter(({kind}) => kind === 'LIMITS_CHANGED')).toMatchObject([
      {data: {after: {paymentMax: {USDC: '100'}}}},
      {data: {after: {paymentMax: {USDC: '900'}}}, why: 'a test'},
    ])
    expect(decisions.filter(({kind}) => kind === 'POLICY_PROPOSED')).toHaveLength(2)
  })
})

it('a trust file keeps a journal from being replaced, with its policy', async () => {
  const team = createTeam()
  const {carol} = team
  await setPolicy(team, {paymentMax: {USDC: '3'}})
  const shown = JSON.parse((await team.run(carol, ['policy', 'show', '--json'])).out) as Record<string, string>
  const trust = path.join(team.folder, 'trust.json')
  fs.writeFileSync(trust, JSON.stringify({services: {[shown['service'] ?? '']: {policy: shown['digest']}}}))
  const pay = (key: string, env: Record<string, string> = {}) =>
    run(carol.home, [...payment(key, '2'), '-p', 'sandbox'], {cwd: team.folder, env: {SVC_TRUST_FILE: trust, ...env}})
  expect((await pay('p-1')).code).toBe(0)
  const other = await pay('p-2', {SVC_JOURNAL: path.join(team.folder, 'other.sqlite')})
  expect([other.code, other.err]).toEqual([10, expect.stringContaining('pins a policy')])
  const looser = path.join(team.folder, 'looser.yaml')
  fs.writeFileSync(looser, stringify({paymentMax: {USDC: '300'}}))
  const journal = path.join(team.folder, 'third.sqlite')
  await run(carol.home, ['policy', 'set', looser, '-p', 'sandbox'], {env: {SVC_JOURNAL: journal}})
  const third = await pay('p-3', {SVC_JOURNAL: journal})
  expect([third.code, third.err]).toEqual([10, expect.stringContaining('has another one')])
  expect(shown['trust']).toContain('none: whoever can write the journal')
})
