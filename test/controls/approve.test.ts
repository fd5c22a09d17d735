// What else a policy can ask for: approved rules, and new payees who wait.
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
    await requireApprovals(team, team.carol, {approvals: 1, above: '1000000'})
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

describe('a new payee', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  const hourMs = 3_600_000
  // Only the time of day moves; nothing waits.
  const setTime = (aheadMs: number) => vi.useFakeTimers({toFake: ['Date'], now: Date.now() + aheadMs})
  const coolDown = '24h'

  it('waits from the first time that the journal sees it, and is paid afterwards', async () => {
    const team = createTeam()
    await requireApprovals(team, team.carol, {coolDown})
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
    expect((await team.run(team.carol, payment('known', '5'))).code).toBe(0)
    await requireApprovals(team, team.carol, {approvals: 0, coolDown})
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

  it('does not wait if the policy names it among those who may be paid', async () => {
    const team = createTeam()
    const {carol} = team
    const setPolicy = (allow: string[]) => {
      write(team, 'policy.yaml', stringify({coolDown: '24h', allow}))
      return team.run(carol, ['policy', 'set', 'policy.yaml', '--quiet'])
    }
    await requireApprovals(team, carol, {coolDown})
    const allow = ['profiles', 'set', 'sandbox', '--allow', seeded.externalWallet, '--quiet']
    expect((await run(carol.home, allow, {cwd: team.folder})).code).toBe(0)
    expect((await team.run(carol, payment('p-1', '5'))).code).toBe(10)
    expect((await setPolicy([bank])).code).toBe(0)
    expect((await team.run(carol, payment('p-1', '5'))).code).toBe(10)
    expect((await setPolicy([bank, seeded.externalWallet])).code).toBe(0)
    expect((await team.run(carol, payment('p-1', '5'))).code).toBe(0)
  })

  it('keeps rules from paying it, and what cannot be checked from being sent', async () => {
    const team = createTeam()
    await requireApprovals(team, team.carol, {coolDown})
    writeRules(team, [createRule('one')])
    const rules = await team.run(team.carol, ['rules', 'apply', '-f', 'rules.yaml', '--yes'])
    expect([rules.code, rules.err]).toEqual([10, expect.stringContaining('was never paid before')])
    expect((await team.run(team.carol, ['transactions', 'create', '--quote', 'q', '--yes'])).code).toBe(10)
  })
})
