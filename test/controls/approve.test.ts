// What else a profile can ask for: approved rules, signed settings, and new payees who wait.
import fs from 'node:fs'
import path from 'node:path'
import {stringify} from 'yaml'
import {afterEach, describe, expect, it, vi} from 'vitest'
import {openJournal} from '../../src/payments/journal/open-journal.ts'
import {type Person, type Team, createTeam, requireApprovals} from '../support/approvals.ts'
import {payment} from '../support/payments.ts'
import {run} from '../support/svc.ts'
import {seeded} from '../support/transactions.ts'
import {bank, createRow, header} from '../commands/payouts/payroll.ts'

const createRule = (name: string, value = '10') => ({
  name,
  customerId: seeded.customer,
  transactionTemplate: {
    source: {sourcePaymentAccountId: seeded.wallet, sourcePaymentMethod: 'SOLANA', sourceCurrency: 'USDC'},
    destination: {
      destinationPaymentAccountId: bank,
      destinationPaymentMethod: 'ACH',
      destinationCurrency: 'USD',
    },
    amount: {type: 'FLAT', value},
  },
  trigger: {type: 'TIME_BASED', cronSchedule: '0 9 1 * *'},
})

const write = ({folder}: Team, name: string, text: string) => fs.writeFileSync(path.join(folder, name), text)
const writeRules = (team: Team, rules: unknown[]) => write(team, 'rules.yaml', stringify({rules}))

async function listDecisions({home}: Person) {
  const journal = await openJournal({text: path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state', 'journal.sqlite')})
  try {
    return (await journal.listDecisions()).map(({detail}) => detail ?? {})
  } finally {
    await journal.close()
  }
}

describe('svc rules apply', () => {
  it('is refused with 10 until the rules are approved, whatever their amount', async () => {
    const team = createTeam()
    await requireApprovals(team, team.carol, '--approvals', '1', '--above', '1000000 USDC')
    writeRules(team, [createRule('one'), createRule('two')])
    const apply = (...flags: string[]) =>
      team.run(team.carol, ['rules', 'apply', '-f', 'rules.yaml', '--yes', ...flags])
    const refused = await apply()
    expect([refused.code, refused.err]).toEqual([10, expect.stringContaining('rules.yaml needs 1 approval')])
    const {err} = await team.approve(team.alice, 'rules.yaml')
    expect(err).toMatch(/amount 10\.00/)
    writeRules(team, [createRule('two', '10.00'), createRule('one')])
    const pruning = await apply('--prune')
    expect([pruning.code, pruning.err]).toEqual([10, expect.stringContaining('it is for other content')])
    expect((await apply()).code).toBe(0)
    expect(await listDecisions(team.carol)).toContainEqual(
      expect.objectContaining({kind: 'APPROVAL_USED', file: 'rules.yaml'}),
    )
    writeRules(team, [createRule('two', '11'), createRule('one')])
    expect((await apply()).code).toBe(10)
  })
})

describe('a protected profile', () => {
  const settingsFile = ({home}: Person) => path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'config.json')

  function editSettings(person: Person, change: (profile: Record<string, unknown>) => void): void {
    const settings = JSON.parse(fs.readFileSync(settingsFile(person), 'utf8')) as {
      profiles: Record<string, Record<string, unknown>>
    }
    change(settings.profiles['sandbox'] ?? {})
    fs.writeFileSync(settingsFile(person), JSON.stringify(settings))
  }

  // Others sign the settings in the home of the one who uses them, each with their own key.
  async function signSettings({alice, carol, folder}: Team): Promise<void> {
    const args = ['approve', '--settings', '--yes', '--signing-key', alice.keyFile, '-p', 'sandbox']
    const {code, err} = await run(carol.home, args, {cwd: folder, env: {SVC_STATE_DIR: path.join(folder, 'other')}})
    expect([code, err]).toEqual([0, expect.stringContaining('Approved until')])
  }

  it('writes nothing until its settings are signed, and notices a changed file', async () => {
    const team = createTeam()
    const {carol} = team
    await requireApprovals(team, carol, '--protect', '--payment-max', 'USDC=100')
    const pay = (key: string) => team.run(carol, [...payment(key, '5'), '--allow-duplicates'])
    const unsigned = await pay('p-1')
    expect(unsigned.code).toBe(10)
    expect(unsigned.err).toContain('The profile "sandbox", with the settings that it has now, needs 1 approval')
    await signSettings(team)
    expect((await pay('p-1')).code).toBe(0)
    const before = fs.readFileSync(settingsFile(carol), 'utf8')
    for (const change of [
      (profile: Record<string, unknown>) => Object.assign(profile, {limits: {paymentMax: {USDC: '100000'}}}),
      (profile: Record<string, unknown>) => delete profile['limits'],
      (profile: Record<string, unknown>) => Object.assign(profile, {coolDown: '1m'}),
    ]) {
      editSettings(carol, change)
      const changed = await pay('p-2')
      expect([changed.code, changed.err]).toEqual([10, expect.stringContaining('it is for other content')])
      fs.writeFileSync(settingsFile(carol), before)
    }
    expect((await pay('p-2')).code).toBe(0)
    team.writeSigners([`mallory@example.com ${carol.publicKey}`, `x@example.com ${team.alice.publicKey}`])
    expect((await pay('p-3')).code).toBe(10)
  })

  it('is noticed without a signature too, if its settings ask for less than the journal knows', async () => {
    const team = createTeam()
    await requireApprovals(team, team.carol, '--approvals', '2', '--cool-down', '1h')
    editSettings(team.carol, (profile) => delete profile['approvals'])
    const {code, err} = await team.run(team.carol, payment('p-1', '5'))
    expect(code).toBe(10)
    expect(err).toContain('The journal says that profile "sandbox" wants 2 approvals, and its settings ask for 0')
    write(team, 'payroll.csv', `${[header, createRow('a')].join('\n')}\n`)
    expect((await team.run(team.carol, ['payouts', 'run', 'payroll.csv', '--yes'])).code).toBe(10)
    writeRules(team, [createRule('one')])
    const rules = await team.run(team.carol, ['rules', 'apply', '-f', 'rules.yaml', '--yes'])
    expect([rules.code, rules.err]).toEqual([10, expect.stringContaining('wants 2 approvals')])
    const off = ['profiles', 'set', 'sandbox', '--approvals', '0', '--why', 'a test', '--quiet']
    expect((await run(team.carol.home, off, {cwd: team.folder})).code).toBe(0)
    editSettings(team.carol, (profile) => delete profile['coolDown'])
    const waiting = await team.run(team.carol, payment('p-1', '5'))
    expect([waiting.code, waiting.err]).toEqual([10, expect.stringContaining('new payees to wait 1h')])
  })

  it('records who set and who turned off the requirement, and why', async () => {
    const team = createTeam()
    await requireApprovals(team, team.carol, '--approvals', '2')
    await requireApprovals(team, team.carol, '--approvals', '0', '--why', 'the others are away')
    const [set, off] = await listDecisions(team.carol)
    expect(set).toMatchObject({kind: 'CONTROLS_CHANGED', profile: 'sandbox', data: {after: {approvals: 2}}})
    expect(off).toMatchObject({kind: 'APPROVALS_OFF', why: 'the others are away', data: {after: {approvals: 0}}})
    expect(off).toMatchObject({user: expect.any(String), host: expect.any(String)})
    expect((await team.run(team.carol, payment('free', '5'))).code).toBe(0)
  })

  it.each([
    [['--approvals', '2'], 'needs the people who may approve'],
    [['--protect'], 'needs the people who may approve'],
    [['--approvals', '4', '--signers', 'allowed_signers'], 'names 3 people, and 4 have to approve'],
    [['--above', '5 USDC', '--signers', 'allowed_signers'], 'and none are'],
    [['--approvals', '1', '--signers', 'allowed_signers', '--above', 'USDC'], 'is not an amount and a currency'],
    [['--cool-down', 'soon'], 'is not a number of days, hours or minutes'],
    [['--approvals', '1', '--signers', 'nowhere'], 'cannot be read (ENOENT)'],
  ])('cannot be set with %j', async (flags, message) => {
    const team = createTeam()
    const {code, err} = await run(team.carol.home, ['profiles', 'set', 'sandbox', ...flags], {cwd: team.folder})
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('a new payee', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  const hourMs = 3_600_000
  // Only the time of day moves; nothing waits.
  const setTime = (aheadMs: number) => vi.useFakeTimers({toFake: ['Date'], now: Date.now() + aheadMs})
  const setCoolDown = async (team: Team, ...flags: string[]) => {
    const args = ['profiles', 'set', 'sandbox', '--cool-down', '24h', '--quiet', ...flags]
    expect((await run(team.carol.home, args, {cwd: team.folder})).code).toBe(0)
  }

  it('waits from the first time that the journal sees it, and is paid afterwards', async () => {
    const team = createTeam()
    await setCoolDown(team)
    const held = await team.run(team.carol, payment('new-1', '5'))
    expect(held.code).toBe(10)
    expect(held.err).toContain(`the account ${seeded.externalWallet} was never paid before, and waits until`)
    setTime(23 * hourMs)
    expect((await team.run(team.carol, payment('new-1', '5'))).code).toBe(10)
    setTime(2 * hourMs)
    expect((await team.run(team.carol, payment('new-1', '5'))).code).toBe(0)
    expect((await team.run(team.carol, payment('new-2', '6'))).code).toBe(0)
  })

  it('holds a payout file, or only its rows with --up-to-cap', async () => {
    const team = createTeam()
    await requireApprovals(team, team.carol)
    expect((await team.run(team.carol, payment('known', '5'))).code).toBe(0)
    await setCoolDown(team)
    const known = createRow('b', {to: seeded.externalWallet}).replace('USD,ACH', 'USDC,SOLANA')
    write(team, 'payroll.csv', `${[header, createRow('a'), known].join('\n')}\n`)
    const pay = (...flags: string[]) => team.run(team.carol, ['payouts', 'run', 'payroll.csv', '--yes', ...flags])
    const held = await pay()
    expect(held.code).toBe(10)
    expect(held.err).toContain('1 of 2 rows pays a new payee, who waits (line 2), so nothing was paid')
    const part = await pay('--up-to-cap', '--json')
    expect([part.code, part.out]).toEqual([9, expect.stringContaining('PAYEE_WAITS')])
    await team.approve(team.alice, 'payroll.csv')
    expect((await pay()).code).toBe(0)
  })

  it('does not wait if it is in a signed list of those who are allowed', async () => {
    const team = createTeam()
    const {carol, alice, folder, signersFile} = team
    await setCoolDown(team, '--allow', seeded.externalWallet)
    expect((await team.run(carol, payment('p-1', '5'))).code).toBe(10)
    await setCoolDown(team, '--protect', '--signers', signersFile)
    const args = ['approve', '--settings', '--yes', '--signing-key', alice.keyFile, '-p', 'sandbox']
    await run(carol.home, args, {cwd: folder, env: {SVC_STATE_DIR: path.join(folder, 'other')}})
    expect((await team.run(carol, payment('p-1', '5'))).code).toBe(0)
  })

  it('keeps rules from paying it, and what cannot be checked from being sent', async () => {
    const team = createTeam()
    await setCoolDown(team)
    writeRules(team, [createRule('one')])
    const rules = await team.run(team.carol, ['rules', 'apply', '-f', 'rules.yaml', '--yes'])
    expect([rules.code, rules.err]).toEqual([10, expect.stringContaining('which was never paid before')])
    expect((await team.run(team.carol, ['transactions', 'create', '--quote', 'q', '--yes'])).code).toBe(10)
  })
})
