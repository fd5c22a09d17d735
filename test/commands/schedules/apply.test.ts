// svc schedules apply and delete: the file, the plan, the question, and what is refused.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {formatSlot} from '../../../src/fleet/schedules/schedule.ts'
import {listNextFirings} from '../../../src/values/schedules.ts'
import {useFleet} from '../../support/fleet.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {bank, createRow, logIn, wallet, writePayroll, zoe} from '../payouts/payroll.ts'
import {apply, createPlan, createSchedule, runSchedules, writeSchedules} from './schedule-files.ts'

const {freshHost} = useFleet()

const listNext = (cron: string, zone = 'UTC') => listNextFirings(cron, Date.now(), 3, zone).map(formatSlot).join(', ')

const noWorkers = 'No worker runs now, and slots are paid only while one does. Start one: svc payouts work -p sandbox\n'

describe('svc schedules apply', () => {
  it('shows a plan, applies it, and changes nothing when it is applied again', async () => {
    const home = freshHost()
    writePayroll(home, [createRow('anna'), createRow('bob', {amount: '3'})])
    const file = writeSchedules(home, [
      createSchedule('rent', {cron: '0 9 1 1 *', zone: 'europe/berlin', pay: createPlan('2.50', {maxFee: '1%'})}),
      {name: 'payroll', cron: '0 6 25 1 *', missed: 'all', payouts: 'payroll.csv'},
    ])
    const plan = `\
  + create  rent
      cron             0 9 1 1 *
      zone             Europe/Berlin
      missed           latest
      customer         ${zoe}
      amount           2.5 USDC
      from             ${wallet}
      from-method      SOLANA
      to               ${bank}
      to-method        ACH
      to-currency      USD
      max-fee          1%
      next             ${listNext('0 9 1 1 *', 'Europe/Berlin')}
  + create  payroll
      cron             0 6 25 1 *
      zone             UTC
      missed           all
      pays             2 rows, 5.50 USDC (payroll.csv)
      next             ${listNext('0 6 25 1 *')}
Plan: 2 to create.
`
    expect(await runSchedules(home, 'apply', '-f', file, '--dry-run')).toEqual({code: 0, out: plan, err: ''})
    expect(await runSchedules(home, 'list')).toEqual({code: 0, out: '', err: 'No schedules.\n'})
    expect(await runSchedules(home, 'apply', '-f', file)).toEqual({
      code: 0,
      out: 'ACTION  OUTCOME  NAME\ncreate  done     rent\ncreate  done     payroll\n',
      err: `${plan}${noWorkers}`,
    })
    const again = await runSchedules(home, 'apply', '-f', file)
    expect(again).toEqual({code: 0, out: '', err: '2 schedules, nothing to change.\n'})
    const {out} = await runSchedules(home, 'apply', '-f', file, '--json')
    expect(json(out)).toEqual({
      applied: ['rent', 'payroll'].map((name) => ({action: 'unchanged', name, outcome: 'done'})),
    })
  })

  it('takes shortened ids in plans and payout files, which mean the same', async () => {
    const home = freshHost()
    const rows = [createRow('anna'), createRow('bob', {amount: '3'})]
    writePayroll(home, rows)
    const payroll = {name: 'payroll', cron: '0 6 25 1 *', payouts: 'payroll.csv'}
    await apply(home, [createSchedule('rent'), payroll])
    const shorten = (text: string) => text.replaceAll(/([0-9a-f]{8})(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '$1')
    writePayroll(home, rows.map(shorten))
    const file = writeSchedules(home, [JSON.parse(shorten(JSON.stringify(createSchedule('rent')))) as object, payroll])
    expect(await runSchedules(home, 'apply', '-f', file)).toEqual({
      code: 0,
      out: '',
      err: '2 schedules, nothing to change.\n',
    })
  })

  it('shows what differs, row by row of a file, and deletes the others only with --prune', async () => {
    const home = freshHost()
    writePayroll(home, [createRow('anna'), createRow('bob', {amount: '3'})])
    const payroll = {name: 'payroll', cron: '0 6 25 1 *', payouts: 'payroll.csv'}
    await apply(home, [createSchedule('rent', {cron: '0 9 1 1 *'}), payroll, createSchedule('old')])
    writePayroll(home, [
      createRow('anna', {amount: '4'}),
      createRow('cy', {amount: '5'}),
      createRow('di', {amount: '6'}),
    ])
    const file = writeSchedules(home, [
      createSchedule('rent', {cron: '0 10 1 1 *', missed: 'all', paused: true, pay: createPlan('3', {minRate: '0.9'})}),
      payroll,
    ])
    const {out} = await runSchedules(home, 'apply', '-f', file, '--dry-run')
    expect(out).toBe(`\
  ~ update  rent
      cron             0 9 1 1 * → 0 10 1 1 *
      missed           latest → all
      paused           (none) → true
      amount           2.5 USDC → 3 USDC
      min-rate         (none) → 0.9
      guarantee        (none) → yes
  ~ update  payroll
      pays             2 rows, 5.50 USDC (payroll.csv)
                     → 3 rows, 15.00 USDC (payroll.csv)
      rows             2 added, 1 removed, 1 changed
      next             ${listNext('0 6 25 1 *')}
Plan: 2 to update.
`)
    expect(await runSchedules(home, 'apply', '-f', file, '--prune')).toEqual({
      code: 2,
      out: '',
      err: 'svc: --prune deletes schedules and needs confirmation. Add --yes to confirm; nothing was changed.\n',
    })
    const pruned = json((await runSchedules(home, 'apply', '-f', file, '--prune', '--yes', '--json')).out)
    expect(pruned['applied']).toMatchObject([{action: 'update'}, {action: 'update'}, {action: 'delete', name: 'old'}])
    const {schedules} = json((await runSchedules(home, 'list', '--json')).out) as {schedules: object[]}
    expect(schedules).toMatchObject([
      {name: 'payroll', rows: 3, sums: [{currency: 'USDC', amount: '15'}]},
      {name: 'rent', cron: '0 10 1 1 *', missed: 'all', paused: true},
    ])
    expect(schedules[1]).not.toHaveProperty('nextSlot')
  })

  it('reads plans from files beside it, from standard input, and lets the accounts decide the rest of a route', async () => {
    const home = freshHost()
    fs.mkdirSync(path.join(home.folder, 'pay'))
    const {customerId, source, destination} = createPlan('7')
    const short = {
      customerId,
      source: {sourcePaymentAccountId: source.sourcePaymentAccountId, sourceCurrency: 'USDC', sourceAmount: '7'},
      destination: {destinationPaymentAccountId: destination.destinationPaymentAccountId},
    }
    fs.writeFileSync(path.join(home.folder, 'pay/rent.json'), JSON.stringify({...short, key: 'rent-{date}'}))
    fs.writeFileSync(path.join(home.folder, 'pay/all.yaml'), '- name: rent\n  cron: 0 9 * * *\n  pay: rent.json\n')
    expect(await runSchedules(home, 'apply', '-f', 'pay/all.yaml', '--quiet')).toEqual({code: 0, out: '', err: ''})
    const listed = json((await runSchedules(home, 'list', '--json')).out)
    expect(listed['schedules']).toMatchObject([
      {name: 'rent', key: 'rent-{date}', file: 'rent.json', pays: '7.00 USDC (rent.json)'},
    ])
    const input = '- name: rent\n  cron: 0 9 * * *\n  pay: pay/rent.json\n'
    const again = await run(home, ['schedules', 'apply', '-f', '-', '--dry-run', '-p', 'sandbox'], {input})
    expect(again.out).toContain('pays             7.00 USDC (rent.json) → 7.00 USDC (pay/rent.json)')
  })

  it('names all problems of the file at once, and changes nothing', async () => {
    const home = freshHost()
    const file = writeSchedules(home, [
      {name: 'a b', cron: '0 9 * *', zone: 'Mars/Olympus', missed: 'some', pay: createPlan()},
      createSchedule('x', {payouts: 'payroll.csv', paid: true}),
      {name: 'y', cron: '0 9,17 * * *', pay: createPlan('2.50', {key: 'y-{date}'})},
      {name: 'z', cron: '0 9 * * *', pay: createPlan('-1', {key: 'z'})},
      createSchedule('x'),
      {name: 'w', cron: '0 0 31 2 *'},
    ])
    const {code, out, err} = await runSchedules(home, 'apply', '-f', file)
    expect([code, out]).toEqual([2, ''])
    expect(err.split('\n').map((line) => line.trim())).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^schedules\[0\]\.name must be 1 to 60 letters.* \(found "a b"\)$/),
        'schedules[0].missed must be one of skip, latest, all (found "some")',
        'schedules[0].cron is not a cron expression of five fields, such as "0 9 * * 1-5" (found "0 9 * *")',
        'schedules[0].zone is not a time zone; write its IANA name, such as Europe/Berlin (found "Mars/Olympus")',
        expect.stringMatching(/^schedules\[1\]\.paid is not a field of a schedule/),
        'schedules[1] has both pay and payouts, but can have only one',
        expect.stringMatching(
          /^schedules\[2\]\.pay\.key is the same for the slots .*T09:00Z and .*T17:00Z; leave it out/,
        ),
        expect.stringMatching(/^schedules\[3\]\.pay\.source\.sourceAmount /),
        expect.stringMatching(/^schedules\[3\]\.pay\.key has no placeholder, so all slots would be one payment/),
        'schedules[4].name is also that of schedules[1] (found "x")',
        'schedules[5].cron never fires (found "0 0 31 2 *")',
        'schedules[5] needs one of pay and payouts',
      ]),
    )
    expect((await runSchedules(home, 'apply')).err).toContain('Missing --file')
    fs.writeFileSync(path.join(home.folder, 'other.yaml'), 'schedules: []\nrules: []\n')
    const beside = await runSchedules(home, 'apply', '-f', 'other.yaml')
    expect(beside.err).toContain('other.yaml has rules beside its schedules')
    fs.writeFileSync(path.join(home.folder, 'none.yaml'), 'schedules:\n')
    expect(await runSchedules(home, 'apply', '-f', 'none.yaml')).toMatchObject({
      code: 0,
      err: 'The file has no schedules.\n',
    })
    const missing = writeSchedules(home, [{name: 'p', cron: '0 9 * * *', payouts: 'nowhere.csv'}])
    expect(await runSchedules(home, 'apply', '-f', missing)).toMatchObject({code: 2, out: ''})
    const shared = [createSchedule('one', {pay: createPlan('1', {key: 'k-{date}'})})]
    await apply(home, shared)
    const other = writeSchedules(home, [createSchedule('two', {pay: createPlan('1', {key: 'k-{date}'})})])
    expect((await runSchedules(home, 'apply', '-f', other)).err).toContain('is also that of the schedule "one"')
  })

  it('refuses what is over the limits of the profile, or pays the same twice, with 10', async () => {
    const [home, service] = [freshHost(), await servePayments()]
    await logIn(home, service)
    await run(home, ['profiles', 'set', 'acme', '--payment-max', 'USDC=5', '--day-max', 'USDC=8', '--quiet'])
    const applyLive = async (schedules: readonly object[], ...flags: string[]) =>
      run(home, ['schedules', 'apply', '-f', writeSchedules(home, schedules), '-p', 'acme', '--yes', ...flags])
    const one = await applyLive([createSchedule('rent', {pay: createPlan('6')})])
    expect(one).toMatchObject({code: 10, out: ''})
    expect(one.err).toMatch(
      /^svc: rent: .*5 USDC.* \(profile "acme"\)\. Nothing was changed; change the schedule, or the limits/,
    )
    const payroll = [{name: 'payroll', cron: '0 9 * * *', payouts: 'payroll.csv'}]
    writePayroll(home, [createRow('anna', {amount: '4'}), createRow('bob', {amount: '5'})])
    const whole = await applyLive(payroll)
    expect(whole.code).toBe(10)
    expect(whole.err).toMatch(/^svc: payroll: .*9 USDC/)
    writePayroll(home, [createRow('anna', {amount: '4'}), createRow('bob', {amount: '4'})])
    const twice = await applyLive(payroll)
    expect(twice.code).toBe(10)
    expect(twice.err).toContain(`payroll, line 3 (bob): line 2 (anna) also pays 4 USDC to ${bank} (profile "acme")`)
    const planned = await applyLive(payroll, '--dry-run', '--json')
    expect(planned.code).toBe(10)
    expect(json(planned.out)['plan']).toMatchObject([{action: 'create', name: 'payroll'}])
    const meant = [{...payroll[0], allowDuplicates: true}]
    expect((await applyLive(meant, '--quiet')).code).toBe(0)
  })

  it('needs --yes of a script on a live profile, and a journal on PostgreSQL', async () => {
    const [home, service] = [freshHost(), await servePayments()]
    await logIn(home, service)
    const file = writeSchedules(home, [createSchedule('rent')])
    for (const args of [
      ['apply', '-f', file],
      ['delete', 'rent'],
    ]) {
      const {code, err} = await run(home, ['schedules', ...args, '-p', 'acme'])
      expect(code).toBe(2)
      expect(err).toContain('--yes')
    }
    const alone = freshHome()
    writeSchedules(alone, [createSchedule('rent')])
    for (const args of [['apply', '-f', file], ['list'], ['runs'], ['delete', 'rent']]) {
      const {code, err} = await runSchedules(alone, ...args)
      expect(code).toBe(2)
      expect(err).toContain('Schedules need a journal on PostgreSQL, but the journal is a file')
      expect(err).toContain('or let cron of this machine run')
      expect(err).not.toContain('payouts run')
    }
  })

  it('asks a person on a live profile after it has shown the plan', async () => {
    const [home, service] = [freshHost(), await servePayments()]
    await logIn(home, service)
    const args = ['schedules', 'apply', '-f', writeSchedules(home, [createSchedule('rent')]), '-p', 'acme']
    const no = onTerminal(home, args, {cols: 120})
    await no.waitFor(/Plan: 1 to create\.\n[^]*Create the schedule “rent”, on http:\/\/127.*live\)\?/)
    no.type('n\r')
    expect(await no.ended).toBe(130)
    expect((await run(home, ['schedules', 'list', '-p', 'acme'])).err).toBe('No schedules.\n')
    const yes = onTerminal(home, args, {cols: 120})
    await yes.waitFor(/live\)\?/)
    yes.type('y\r')
    expect(await yes.ended).toBe(0)
    expect(yes.text()).toMatch(/create +done +rent/)
    const removal = onTerminal(home, ['schedules', 'delete', 'rent', '-p', 'acme'], {cols: 120})
    await removal.waitFor(
      /- delete {2}rent\n[^]*Plan: 1 to delete\.\n[^]*Delete the schedule “rent”, on http:\/\/127.*live\)\?/,
    )
    removal.type('y\r')
    expect(await removal.ended).toBe(0)
    expect(service.requests).toEqual([])
  })
})

describe('svc schedules delete', () => {
  it('deletes one by its name, and says when there is none', async () => {
    const home = freshHost()
    await apply(home, [createSchedule('rent'), createSchedule('other')])
    const planned = await runSchedules(home, 'delete', 'rent', '--dry-run', '--json')
    expect(json(planned.out)['plan']).toMatchObject([{action: 'delete', name: 'rent', nextSlots: []}])
    const deleted = await runSchedules(home, 'delete', 'rent', '--json')
    expect(json(deleted.out)).toEqual({applied: [{action: 'delete', name: 'rent', outcome: 'done'}]})
    expect(await runSchedules(home, 'delete', 'rent')).toEqual({
      code: 5,
      out: '',
      err: 'svc: There is no schedule "rent". `svc schedules list -p sandbox` lists those of this profile.\n',
    })
    expect((await runSchedules(home, 'runs', 'nobody')).code).toBe(5)
    expect(json((await runSchedules(home, 'runs', 'rent', '--json')).out)).toEqual({runs: []})
  })
})
