// The policy of a service: its versions, who brings them into force, and what binds until then.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {stringify} from 'yaml'
import {afterAll, describe, expect, it} from 'vitest'
import {
  type Policy,
  comparePolicies,
  describePolicy,
  digestPolicy,
  mergeLimits,
  parsePolicy,
  policyFields,
} from '../../../src/controls/policy.ts'
import {bindControls} from '../../../src/controls/bind.ts'
import {policyProposed, readPolicies} from '../../../src/controls/policies.ts'
import type {PolicyEntries} from '../../../src/controls/decisions.ts'
import type {Trust} from '../../../src/controls/trust.ts'
import {type Person, type Team, createKey, createTeam} from '../../support/approvals.ts'
import {payment} from '../../support/payments.ts'
import {json} from '../../support/svc.ts'

const keyFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
afterAll(() => fs.rmSync(keyFolder, {recursive: true}))

const writePolicy = ({folder}: Team, policy: Policy, name = 'policy.yaml') =>
  fs.writeFileSync(path.join(folder, name), stringify(policy))

const toApprovers = (...people: Person[]) => people.map(({name, publicKey}) => ({name, keys: [publicKey]}))

const setPolicy = async (team: Team, policy: Policy, ...flags: string[]) => {
  writePolicy(team, policy)
  return team.run(team.carol, ['policy', 'set', 'policy.yaml', ...flags])
}

// Carol has the journal. Others sign with their own keys, in her journal.
const approvePolicy = (team: Team, {keyFile}: Person, ...flags: string[]) =>
  team.run(team.carol, ['approve', '--policy', '--yes', '--signing-key', keyFile, ...flags])

const show = async (team: Team, ...flags: string[]) =>
  json((await team.run(team.carol, ['policy', 'show', '--json', ...flags])).out)

describe('a policy', () => {
  it('is trusted as it is when it is the first, and says so', async () => {
    const team = createTeam()
    const set = await setPolicy(team, {approvers: toApprovers(team.alice), approvals: {count: 1}})
    expect([set.code, set.err]).toEqual([0, expect.stringContaining('the first policy of the journal')])
    expect(await show(team)).toMatchObject({state: 'IN_FORCE', approvedBy: [], policy: {approvals: {count: 1}}})
    expect((await team.run(team.carol, payment('p-1', '5'))).code).toBe(10)
    const {out} = await team.run(team.carol, ['doctor'])
    expect(out).toMatch(/policy .*The trust in the policy: none/)
  })

  it('is proposed until those of the version in force have signed it, and the old one binds', async () => {
    const team = createTeam()
    const {alice, bob} = team
    // Alice with another of her keys, which she keeps elsewhere.
    const hardware = {...alice, keyFile: path.join(keyFolder, 'hardware')}
    const [own, ...others] = toApprovers(alice, bob)
    const approvers = [{name: alice.name, keys: [...(own?.keys ?? []), createKey(hardware.keyFile)]}, ...others]
    await setPolicy(team, {approvers, paymentMax: {USDC: '4'}, approvals: {count: 2, above: {USDC: '100'}}})
    const looser = {approvers, paymentMax: {USDC: '50'}, approvals: {count: 2, above: {USDC: '100'}}}
    const proposed = await setPolicy(team, looser, '--why', 'larger bills')
    expect(proposed.code).toBe(10)
    expect(proposed.err).toContain('it needs 2 approvals and has 0; alice, bob may approve it')
    expect(await show(team)).toMatchObject({policy: {paymentMax: {USDC: '4'}}})
    expect((await team.run(team.carol, payment('p-1', '5'))).code).toBe(10)
    const first = await approvePolicy(team, alice)
    expect([first.code, first.err]).toEqual([0, expect.stringContaining('needs 2 approvals and has 1')])
    // The same person twice is one person, with whichever key, and who withdraws it has not
    // approved it.
    for (const again of [alice, hardware]) {
      expect((await approvePolicy(team, again)).err).toContain('needs 2 approvals and has 1')
      expect(await show(team, '--proposed')).toMatchObject({state: 'PROPOSED', approvedBy: ['alice']})
    }
    await approvePolicy(team, alice, '--withdraw')
    expect(await show(team, '--proposed')).toMatchObject({state: 'PROPOSED', approvedBy: []})
    await approvePolicy(team, alice)
    const second = await approvePolicy(team, bob)
    expect([second.code, second.err]).toEqual([0, expect.stringContaining('in force now')])
    expect(await show(team)).toMatchObject({approvedBy: ['alice', 'bob'], why: 'larger bills'})
    expect((await team.run(team.carol, payment('p-1', '5'))).code).toBe(0)
    const history = await team.run(team.carol, ['policy', 'show', '--history', '--json'])
    expect(json(history.out)).toMatchObject({versions: [{state: 'PAST'}, {state: 'IN_FORCE'}]})
  })

  it('is approved beside its file by those who do not have the journal', async () => {
    const team = createTeam()
    const {carol, alice} = team
    await setPolicy(team, {approvers: toApprovers(alice), dayMax: {USDC: '9'}})
    expect((await setPolicy(team, {approvers: toApprovers(alice), dayMax: {USDC: '20'}})).code).toBe(10)
    const {out} = await team.run(carol, ['policy', 'show', '--proposed', '-o', 'yaml'])
    fs.writeFileSync(path.join(team.folder, 'proposal.yaml'), out)
    const approved = await team.approve(alice, 'proposal.yaml')
    expect([approved.code, approved.err]).toEqual([0, expect.stringContaining('svc policy set proposal.yaml')])
    expect((await team.run(carol, ['policy', 'set', 'proposal.yaml'])).code).toBe(0)
    expect(await show(team)).toMatchObject({approvedBy: ['alice'], policy: {dayMax: {USDC: '20'}}})
  })

  it('is approved in the version that was set last, also if it was set before another one', async () => {
    const team = createTeam()
    const withMax = (amount: string) => ({approvers: toApprovers(team.alice), paymentMax: {USDC: amount}})
    await setPolicy(team, withMax('4'))
    for (const amount of ['50', '900', '50']) expect((await setPolicy(team, withMax(amount))).code).toBe(10)
    expect(await show(team, '--proposed')).toMatchObject({policy: {paymentMax: {USDC: '50'}}})
    const approved = await approvePolicy(team, team.alice)
    expect([approved.code, approved.err]).toEqual([0, expect.stringContaining('in force now')])
    expect(await show(team)).toMatchObject({approvedBy: ['alice'], policy: {paymentMax: {USDC: '50'}}})
  })

  it('tells whoever is told when somebody changes it', async () => {
    const team = createTeam()
    const told = path.join(team.folder, 'told')
    await team.run(team.carol, ['profiles', 'set', 'sandbox', '--notify', `cat >> ${told}`, '--quiet'])
    await setPolicy(team, {approvers: toApprovers(team.alice), paymentMax: {USDC: '9'}})
    await setPolicy(team, {approvers: toApprovers(team.alice), paymentMax: {USDC: '90'}})
    const events = fs.readFileSync(told, 'utf8').trim().split('\n').map(json)
    expect(events).toMatchObject([
      {event: 'policy.changed', state: 'IN_FORCE', changes: ['the first version']},
      {event: 'policy.changed', state: 'PROPOSED', changes: expect.arrayContaining(['Payment max: now 90 USDC'])},
    ])
  })

  it.each([
    ['an unknown field', {dayMx: {USDC: '1'}}, 'dayMx: there is no such field'],
    ['more approvals than people', {approvals: {count: 1}}, '1 are wanted, and approvers names nobody'],
    ['a runner who is nobody', {runners: [{approver: 'x'}]}, 'each has either a user or a role'],
    ['an amount that is none', {dayMax: {USDC: 'much'}}, 'is not an amount'],
    ['a key that is none', {approvers: [{name: 'a', keys: ['x']}]}, 'cannot be read'],
    ['a waiting time that is none', {coolDown: 'soon'}, 'is not a number of days'],
  ])('cannot have %s', async (_, policy, message) => {
    const team = createTeam()
    const {code, err} = await setPolicy(team, policy as Policy)
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })
})

const keys: Record<string, string> = Object.fromEntries(
  ['one', 'two'].map((name) => [name, createKey(path.join(keyFolder, name))]),
)
const people = (name: string) => ({approvers: [{name: 'a', keys: [keys[name] ?? '']}]})

// Every field of a policy, with two values that mean different things.
const values: Readonly<Record<keyof Policy, readonly [Partial<Policy>, Partial<Policy>]>> = {
  approvers: [people('one'), people('two')],
  runners: [{runners: [{user: 'a'}]}, {runners: [{role: 'a'}]}],
  approvals: [
    {...people('one'), approvals: {count: 1}},
    {...people('one'), approvals: {count: 1, above: {USDC: '1'}}},
  ],
  paymentMax: [{paymentMax: {USDC: '1'}}, {paymentMax: {USDC: '1.01'}}],
  dayMax: [{dayMax: {USDC: '1'}}, {dayMax: {EUR: '1'}}],
  allow: [{allow: ['a']}, {allow: ['a', 'b']}],
  coolDown: [{coolDown: '1h'}, {coolDown: '2h'}],
  readOnly: [{readOnly: true}, {}],
}

it.each<[own: Parameters<typeof mergeLimits>[0], policy: Policy, together: object]>([
  [{paymentMax: {USDC: '5', USDT: '1'}}, {paymentMax: {USDC: '3', EUR: '3'}}, {paymentMax: {USDC: '3'}}],
  [{dayMax: {usdc: '2', EUR: '1'}}, {dayMax: {USDC: '9'}}, {dayMax: {USDC: '2'}}],
  [{destinations: ['a', 'b']}, {allow: ['b', 'c']}, {destinations: ['b']}],
  [{}, {allow: ['a']}, {destinations: ['a']}],
])('the limits %j of a profile and the policy %j are %j together, the stricter ones', (own, policy, together) => {
  expect(mergeLimits(own, policy)).toEqual(together)
})

it.each(policyFields)('each field of a policy changes the digest and what people see: %s', (field) => {
  const [one, other] = values[field].map((value) => parsePolicy(value, 'a test'))
  const digest = (policy: Policy = {}) => digestPolicy({serviceId: 's', policy})
  expect(digest(one)).not.toBe(digest(other))
  expect(comparePolicies(one, other ?? {})).not.toEqual([])
})

it.each<[string, Policy, Policy]>([
  ['a user called like a role', {runners: [{user: 'role w'}]}, {runners: [{role: 'w'}]}],
  ['one runner called like two', {runners: [{user: 'a; user b'}]}, {runners: [{user: 'a'}, {user: 'b'}]}],
  ['a name with something invisible', {runners: [{user: 'al\u200Bice'}]}, {runners: [{user: 'alice'}]}],
  ['an empty list and none', {runners: []}, {}],
  ['an account called like no limit', {allow: ['any account']}, {}],
  ['sums without approvals', {approvals: {count: 0, above: {USDC: '1'}}}, {approvals: {count: 0}}],
])('two policies that differ look different: %s', (_, one, other) => {
  const look = (policy: Policy) => JSON.stringify(describePolicy(parsePolicy(policy, 'a test')))
  expect(look(one)).not.toBe(look(other))
})

it('a policy of a sandbox binds that sandbox alone', () => {
  const serviceId = 'https://api.example.com'
  const [sandbox, other] = ['sandbox:one', 'sandbox:other']
  const two: Policy = {
    approvers: ['one', 'two'].map((name) => ({name, keys: [keys[name] ?? '']})),
    approvals: {count: 2},
  }
  const entries: PolicyEntries & {versions: unknown[]} = {versions: [], approvals: []}
  const propose = (policy: Policy, service: string) => {
    const data = {serviceId: service, policy: parsePolicy(policy, 'a test')}
    entries.versions.push({at: entries.versions.length, detail: {kind: policyProposed, user: 'u', host: 'h', data}})
  }
  const bind = (service: string, isEmbedded: boolean, files: Trust['files'] = []) => {
    const trust = {files, journal: ''}
    const situation = {serviceId: service, entries, running: {user: 'u', host: 'h'}, trust, isEmbedded}
    const {readOnly, binding} = bindControls({label: 'a test', readOnly: false}, situation)
    return binding?.refusal?.error ?? (readOnly ? 'read-only' : 'free')
  }
  propose({...two, readOnly: true}, sandbox)
  expect([bind(sandbox, true), bind(other, true), bind(serviceId, false)]).toEqual(['read-only', 'free', 'free'])
  // The first one for money is trusted as it is, too, and from then on no other name of a service is free.
  propose(two, serviceId)
  expect(readPolicies(entries).inForce.size).toBe(2)
  expect([bind(serviceId, false), bind('https://other.example.com', false)]).toEqual(['free', 'NO_POLICY'])
  expect([bind(sandbox, true), bind(other, true), bind(sandbox, false)]).toEqual(['read-only', 'free', 'NO_POLICY'])
  // Nor does a trust file that pins the policies of other services bind a sandbox that has none.
  const pinned = [{file: 'trust.json', isOwn: false, services: {[serviceId]: {policy: 'sha256:other'}}}]
  expect([bind(other, true, pinned), bind(serviceId, false, pinned)]).toEqual(['free', 'POLICY_NOT_TRUSTED'])
})
