// Four eyes and new payees, as people meet them: each row is what somebody runs, the code that it ends with, and words that it says.
import fs from 'node:fs'
import path from 'node:path'
import {stringify} from 'yaml'
import {afterEach, describe, expect, it, vi} from 'vitest'
import {askedPlan, startAgent} from '../../features/mcp/agent.ts'
import {recheckEveryMs} from '../../../src/controls/approvals.ts'
import {openJournal} from '../../../src/payments/journal/open-journal.ts'
import {type Team, createTeam, requireApprovals} from '../../support/approvals.ts'
import {addFault, payment, writePlan} from '../../support/payments.ts'
import {json} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {seeded} from '../../support/transactions.ts'
import {bank, createRow, createRows, header, listCreated} from '../../support/payroll.ts'

const [plan, payroll, rules] = ['rent.yaml', 'payroll.csv', 'rules.yaml']

type Person = 'alice' | 'bob' | 'carol'
type Act = [who: Person, args: string[], code: number, says?: string | RegExp]

// Returns what the last one printed.
async function play(team: Team, ...acts: Act[]) {
  let out = ''
  for (const [who, args, code, says = ''] of acts) {
    const [command, file = '', ...flags] = args
    const ran = await (command === 'approve' ? team.approve(team[who], file, ...flags) : team.run(team[who], args))
    expect([args.join(' '), ran.code, ran.err]).toEqual([args.join(' '), code, expect.stringMatching(says)])
    out = ran.out
  }
  return out
}

const payPlan = (...flags: string[]) => ['pay', '-f', plan, ...flags]
const payFile = (...flags: string[]) => ['payouts', 'run', payroll, '--allow-duplicates', ...flags]
const applyRules = (...flags: string[]) => ['rules', 'apply', '-f', rules, '--yes', ...flags]
const approve = (file: string, ...flags: string[]) => ['approve', file, ...flags]

const write = ({folder}: Team, name: string, text: string) => fs.writeFileSync(path.join(folder, name), text)
const writeRows = (team: Team, rows: readonly string[]) => write(team, payroll, `${[header, ...rows].join('\n')}\n`)
const toBank = {destinationPaymentAccountId: bank, destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'}
const toWallet = {
  destinationPaymentAccountId: seeded.externalWallet,
  destinationPaymentMethod: 'SOLANA',
  destinationCurrency: 'USDC',
}
const createRule = (name: string, value = '10', destination = toBank) => ({
  name,
  customerId: seeded.customer,
  transactionTemplate: {
    source: {sourcePaymentAccountId: seeded.wallet, sourcePaymentMethod: 'SOLANA', sourceCurrency: 'USDC'},
    destination: {...destination},
    amount: {type: 'FLAT', value},
  },
  trigger: {type: 'TIME_BASED', cronSchedule: '0 9 1 * *'},
})
const writeRules = (team: Team, ...all: unknown[]) => write(team, rules, stringify({rules: all}))

// A team in which Carol pays, with a plan and a file that others may have to approve.
async function createRun(wanted: Parameters<typeof requireApprovals>[2]): Promise<Team> {
  const team = createTeam()
  await requireApprovals(team, team.carol, wanted)
  writePlan(path.join(team.folder, plan), 'rent-1', '5', {maxFee: '3'})
  writeRows(team, createRows('a', 2))
  return team
}

// What the approvals were for that Carol's journal says were used, and of which file, if it was one.
async function listUsed({carol}: Team) {
  const text = path.join(carol.home.env['SVC_CONFIG_DIR'] ?? '', 'state', 'journal.sqlite')
  const journal = await openJournal({text})
  const decisions = (await journal.listDecisions()).map(({detail = {}}) => detail)
  await journal.close()
  return decisions
    .filter(({kind}) => kind === 'APPROVAL_USED')
    .map(({file, data}) => [(data as {kind: string}).kind, file])
}

describe('a payment that another has to approve', () => {
  it('is paid from a file that was approved', async () => {
    const team = await createRun({approvals: 1})
    const paid = await play(
      team,
      ['carol', payment('rent-1', '5'), 10, 'only a file can be approved'],
      ['carol', payPlan(), 10, 'rent.yaml needs 1 approval'],
      ['alice', approve(plan), 0, /Amount +5\.00 USDC[^]*Max fee +3\.00 USDC/],
      ['carol', payPlan('--amount', '6'), 10, 'it is for other content'],
      ['carol', payPlan('--json'), 0],
    )
    expect(json(paid)['source']).toMatchObject({sourceAmount: '5.00'})
    expect(await listUsed(team)).toEqual([['payment', undefined]])
  })

  it('is reported once it was made, also when its approval no longer counts, and no other is made', async () => {
    const team = await createRun({approvals: 1})
    const paid = await play(team, ['alice', approve(plan), 0], ['carol', payPlan('--json'), 0])
    const again = await play(team, ['alice', approve(plan, '--withdraw'), 0], ['carol', payPlan('--json'), 0])
    expect(json(again)['transactionId']).toBe(json(paid)['transactionId'])
    expect(await play(team, ['carol', payPlan('--key', 'rent-2', '--json'), 10])).toBe('')
  })

  it('needs no approval up to the sum that the policy names, by flags and in a file', async () => {
    const team = await createRun({approvals: 1, above: '5'})
    await play(
      team,
      ['carol', payment('small', '5.00'), 0],
      ['carol', payment('large', '5.01'), 10],
      ['carol', payFile(), 0],
    )
    writeRows(team, [createRow('b-1', {amount: '2.50'}), createRow('b-2', {amount: '2.51'})])
    expect(await play(team, ['carol', payFile(), 10])).toBe('')
  })
})

describe('a payout file that two others have to approve', () => {
  it('is refused until both have, and then paid once; a dry run says what is missing', async () => {
    const team = await createRun({approvals: 2})
    await play(
      team,
      ['carol', payFile('--dry-run'), 0, 'needs 2 approvals'],
      ['carol', payFile(), 10, /needs 2 approvals by others .* has none[^]*`svc approve payroll\.csv -p sandbox`/],
      ['alice', approve(payroll), 0],
      ['carol', payFile(), 10, 'has 1 \\(alice@example.com\\)'],
    )
    expect(await listCreated(team.carol.home)).toEqual([])
    await play(team, ['bob', approve(payroll), 0], ['carol', payFile(), 0])
    expect(await listCreated(team.carol.home)).toHaveLength(2)
    expect(await listUsed(team)).toEqual([['payouts', payroll]])
    // All of it was paid, so that a rerun needs no approval any more.
    fs.rmSync(path.join(team.folder, `${payroll}.approvals`), {recursive: true})
    expect(await play(team, ['carol', payFile(), 0])).toContain('before this run')
  })

  it('is paid no further once its approval was withdrawn, which a run notices after a few seconds', async () => {
    const team = await createRun({approvals: 1})
    await play(team, ['alice', approve(payroll), 0])
    await addFault(team.carol.home, 'delay', '--delay', `${recheckEveryMs / 1000 + 1}s`, '--times', '1')
    const running = team.run(team.carol, payFile('--concurrency', '1', '--json'))
    const list = async () => json((await team.run(team.carol, ['journal', 'list', '--json'])).out)
    await expect.poll(list).toMatchObject({payments: [{state: 'ARMED'}]})
    await play(team, ['alice', approve(payroll, '--withdraw'), 0])
    const {code, out} = await running
    expect([code, json(out)]).toMatchObject([
      9,
      {payouts: [{state: 'CREATED'}, {state: 'STOPPED', error: {error: 'NOT_APPROVED'}}]},
    ])
  })

  it('has no approval of the one who runs it, as the run says', async () => {
    const team = await createRun({approvals: 1})
    await play(team, ['carol', approve(payroll), 0])
    const show = async (who: Person) =>
      json((await team.run(team[who], ['approve', payroll, '--show', '--json'])).out)['approvals']
    expect(await show('carol')).toMatchObject([{counts: false, reason: 'it is of the one who runs this'}])
    await play(team, ['carol', payFile(), 10])
    await requireApprovals(team, team.bob, {approvals: 1})
    expect(await show('bob')).toMatchObject([{signer: 'carol@example.com', counts: true}])
    await play(team, ['bob', payFile(), 0])
  })
})

it('rules have to be approved whatever their amount, in any order and spelling, and with what is pruned', async () => {
  const team = await createRun({approvals: 1, above: '1000000'})
  writeRules(team, createRule('one'), createRule('two'))
  await play(
    team,
    ['carol', applyRules(), 10, 'rules.yaml needs 1 approval'],
    ['alice', approve(rules), 0, /amount 10\.00/],
  )
  writeRules(team, createRule('two', '10.00'), createRule('one'))
  await play(team, ['carol', applyRules('--prune'), 10, 'it is for other content'], ['carol', applyRules(), 0])
  expect(await listUsed(team)).toEqual([['rules', rules]])
  writeRules(team, createRule('two', '11'), createRule('one'))
  await play(team, ['carol', applyRules(), 10])
})

// The clock of the service is two hours ahead of this machine's.
it.each([
  {file: plan, pays: payPlan()},
  {file: payroll, pays: payFile()},
  {file: rules, pays: applyRules()},
])('$file is not paid once its approval has expired by the clock of the service', async ({file, pays}) => {
  const team = await createRun({approvals: 1})
  writeRules(team, createRule('one'))
  await play(
    team,
    ['alice', approve(file, '--expires-in', '1h'), 0],
    ['carol', ['sandbox', 'clock', 'advance', '2h'], 0],
  )
  const {code, out, err} = await team.run(team.carol, [...pays, '--json'])
  expect([code, out + err]).toEqual([10, expect.stringContaining('NOT_APPROVED')])
})

describe('a new payee', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  // Only the time of day moves; nothing waits.
  const passHours = (hours: number) => vi.useFakeTimers({toFake: ['Date'], now: Date.now() + hours * 3_600_000})
  const coolDown = '24h'

  it('waits from the first time that the journal sees it, and is paid afterwards', async () => {
    const team = await createRun({coolDown})
    const waits = `the account ${seeded.externalWallet} was never paid before, and waits until`
    await play(team, ['carol', payment('new-1', '5'), 10, waits])
    passHours(23)
    // The clock of the service alone does not shorten it.
    await play(team, ['carol', ['sandbox', 'clock', 'advance', '25h'], 0], ['carol', payment('new-1', '5'), 10])
    passHours(2)
    expect(await play(team, ['carol', payment('new-1', '5'), 0], ['carol', payment('new-2', '6'), 0])).not.toBe('')
  })

  // The clock of the machine is two days behind when the payee is seen.
  it.each([
    {what: 'a payment', pays: payment('new-1', '5')},
    {what: 'a payout file', pays: payFile()},
    {what: 'a rule', pays: applyRules()},
  ])('waits from when it was seen by the clock of the service: $what', async ({pays}) => {
    const team = await createRun({coolDown})
    writeRules(team, createRule('one'))
    await play(team, ['carol', ['sandbox', 'clock', 'advance', '48h'], 0], ['carol', pays, 10])
    passHours(25)
    await play(team, ['carol', pays, 10])
    passHours(48)
    expect((await team.run(team.carol, pays)).code).toBe(0)
  })

  const askers: Array<[who: string, begins: boolean, ask: (team: Team) => Promise<unknown>]> = [
    ['a script', true, (team) => play(team, ['carol', payment('new-1', '5'), 10])],
    ['a person who said yes', true, (team) => play(team, ['carol', [...payment('new-1', '5'), '--yes'], 10])],
    [
      'a person at a terminal',
      true,
      ({carol}) => onTerminal(carol.home, [...payment('new-1', '5'), '-p', 'sandbox']).ended,
    ],
    [
      'an agent',
      true,
      async ({carol}) =>
        (await startAgent(carol.home, '--allow-writes', '-p', 'sandbox')).call('pay_prepare', askedPlan),
    ],
    ['a payout run', true, (team) => play(team, ['carol', payFile(), 10])],
    ['rules that are applied', true, (team) => play(team, ['carol', applyRules(), 10])],
    ['a dry run of rules', false, (team) => play(team, ['carol', applyRules('--dry-run'), 0])],
    ['a dry run', false, (team) => play(team, ['carol', [...payment('new-1', '5'), '--dry-run'], 10])],
    ['a dry run of a file', false, (team) => play(team, ['carol', payFile('--dry-run'), 10])],
  ]

  it.each(askers)('begins to wait when %s first asks to pay it: %s', async (_, begins, ask) => {
    const team = await createRun({coolDown})
    writeRows(team, [createRow('a', {to: seeded.externalWallet}).replace('USD,ACH', 'USDC,SOLANA')])
    writeRules(team, createRule('one', '10', toWallet))
    await ask(team)
    passHours(25)
    expect((await team.run(team.carol, payment('new-1', '5'))).code).toBe(begins ? 0 : 10)
  })

  it('holds a payout file, or only its rows with --up-to-cap, until it is approved', async () => {
    const team = createTeam()
    await play(team, ['carol', payment('known', '5'), 0])
    await requireApprovals(team, team.carol, {approvals: 0, coolDown})
    writeRows(team, [createRow('a'), createRow('b', {to: seeded.externalWallet}).replace('USD,ACH', 'USDC,SOLANA')])
    await play(team, [
      'carol',
      payFile(),
      10,
      '1 of 2 rows pays a new payee, who waits \\(line 2\\), so nothing was paid',
    ])
    expect(await play(team, ['carol', payFile('--up-to-cap', '--json'), 9])).toContain('PAYEE_WAITS')
    await play(team, ['alice', approve(payroll), 0], ['carol', payFile(), 0])
  })

  it('leaves what it would have used of the daily cap to the rows below it', async () => {
    const team = createTeam()
    await play(team, ['carol', payment('known', '5'), 0])
    await requireApprovals(team, team.carol, {approvals: 0, coolDown})
    writeRows(team, [createRow('a'), createRow('b', {to: seeded.externalWallet}).replace('USD,ACH', 'USDC,SOLANA')])
    const limit: Act = ['carol', ['profiles', 'set', 'sandbox', '--day-max', 'USDC=8', '--quiet'], 0]
    const out = await play(team, limit, ['carol', payFile('--up-to-cap', '--json'), 9])
    expect(JSON.parse(out)).toMatchObject({
      payouts: [{state: 'STOPPED', error: {error: 'PAYEE_WAITS'}}, {state: 'CREATED'}],
    })
  })

  it('is paid for its slot once it has waited, and for the next slot without being taken for a duplicate', async () => {
    const team = await createRun({coolDown})
    const paySlot = (slot: string) => ['payouts', 'run', payroll, '--slot', slot]
    writeRows(team, [createRow('a')])
    await play(team, ['carol', paySlot('2020-01'), 10])
    passHours(25)
    await play(team, ['carol', paySlot('2020-01'), 0], ['carol', paySlot('2020-02'), 0])
    const out = await play(team, ['carol', ['journal', 'list', '--json'], 0])
    const {payments} = JSON.parse(out) as {payments: unknown[]}
    expect(payments).toMatchObject([
      {key: '2020-02-a', template: '{month}-a', slot: '2020-02', state: 'CREATED'},
      {key: '2020-01-a', template: '{month}-a', slot: '2020-01', state: 'CREATED'},
    ])
  })

  it('does not wait if the policy names it among those who may be paid; a profile cannot', async () => {
    const team = await createRun({coolDown})
    const setPolicy = (...allow: string[]): Act => {
      write(team, 'policy.yaml', stringify({coolDown, allow}))
      return ['carol', ['policy', 'set', 'policy.yaml', '--quiet'], 0]
    }
    await play(
      team,
      ['carol', ['profiles', 'set', 'sandbox', '--allow', seeded.externalWallet, '--quiet'], 0],
      ['carol', payment('p-1', '5'), 10],
    )
    await play(team, setPolicy(bank), ['carol', payment('p-1', '5'), 10])
    expect(await play(team, setPolicy(bank, seeded.externalWallet), ['carol', payment('p-1', '5'), 0])).not.toBe('')
  })

  it('keeps rules from paying it, and what cannot be checked from being sent', async () => {
    const team = await createRun({coolDown})
    writeRules(team, createRule('one'))
    expect(
      await play(
        team,
        ['carol', applyRules(), 10, 'was never paid before'],
        ['carol', ['transactions', 'create', '--quote', 'q', '--yes'], 10],
      ),
    ).toBe('')
  })
})
