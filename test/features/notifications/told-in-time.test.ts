// What svc pay and svc payouts run tell the notify command of a profile, and payouts that of a run.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {createRow, logIn, writePayroll} from '../../support/payroll.ts'
import {runDoctor} from '../doctor/doctor-run.ts'
import {inSandbox, pay, payWithUnknownOutcome, payment} from '../../support/payments.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run, setUp} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

const {advance} = useVirtualTime()
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

const getToldFile = ({folder}: Home) => path.join(folder, 'told')
const createCommand = (home: Home) => `cat >> '${getToldFile(home)}'`

function readTold(home: Home): Array<Record<string, unknown>> {
  const file = getToldFile(home)
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n').map(json) : []
}

async function notifyBy(home: Home, ...flags: string[]): Promise<void> {
  const set = ['profiles', 'set', 'sandbox', '--notify', createCommand(home), '--quiet', ...flags]
  expect(await run(home, set)).toMatchObject({code: 0, err: ''})
}

describe('svc pay', () => {
  it('tells that a limit stopped it, once, and nothing about a payment that was made', async () => {
    const home = freshHome()
    await notifyBy(home)
    for (let again = 0; again < 2; again++) {
      expect(await pay(home, 'rent', '10', '--min-rate', '5')).toMatchObject({code: 10})
    }
    expect(await pay(home, 'food', '20')).toMatchObject({code: 0})
    expect(readTold(home)).toEqual([
      {
        id: expect.stringMatching(/^ntf_/),
        event: 'payment.stopped',
        at: expect.any(String),
        profile: 'sandbox',
        service: expect.stringMatching(/^sandbox:/),
        key: 'rent',
        amount: '10',
        currency: 'USDC',
        error: 'LIMIT_REACHED',
        exitCode: 10,
        reason: expect.stringContaining('at least 5 is required'),
        next: 'svc journal show rent',
      },
    ])
  })

  it('tells that a wallet is drained, once a day', async () => {
    const home = freshHome()
    await notifyBy(home)
    // Midnight must not come between the two.
    advance(dayMs - (Date.now() % dayMs) + 12 * 60 * minuteMs)
    for (const key of ['a', 'b']) expect(await pay(home, key, '99999999')).toMatchObject({code: 3})
    expect(readTold(home)).toMatchObject([
      {event: 'wallet.drained', account: expect.any(String), currency: 'USDC', error: 'INSUFFICIENT_BALANCE', key: 'a'},
    ])
  })

  it('tells that a transaction ended badly', async () => {
    const [home, service] = [freshHome(), await servePayments({status: 'FAILED'})]
    await logIn(home, service)
    await setUp(home, ['profiles', 'set', 'acme', '--notify', createCommand(home), '--quiet'])
    for (let again = 0; again < 2; again++) {
      expect(await run(home, [...payment('rent', '10'), '--yes', '-p', 'acme'])).toMatchObject({code: 11})
    }
    const {transactionId} = service.transactions[0] ?? {}
    expect(readTold(home)).toMatchObject([{event: 'payment.ended', key: 'rent', status: 'FAILED', transactionId}])
  })

  it('tells about an unknown outcome only when it is older than the profile allows', async () => {
    const home = freshHome()
    await notifyBy(home, '--notify-after', '10m')
    await setUp(home, ['sandbox', 'faults', 'set', '--idempotency', 'ignore', '--quiet'])
    expect(await payWithUnknownOutcome(home, 'rent', '10')).toMatchObject({code: 7})
    expect(readTold(home)).toEqual([])
    advance(11 * minuteMs)
    // Another payment: the journal knows what is unknown.
    expect(await pay(home, 'food', '20')).toMatchObject({code: 0})
    expect(readTold(home)).toMatchObject([
      {event: 'payment.unknown', key: 'rent', state: 'UNKNOWN', exitCode: 7, next: 'svc journal settle rent'},
    ])
    expect(Date.parse(String(readTold(home)[0]?.['since']))).toBeLessThan(Date.now() - 10 * minuteMs)
  })

  it('prints and ends as without it if the command fails, and doctor shows that', async () => {
    const home = freshHome()
    const stopped = await pay(home, 'rent', '10', '--min-rate', '5', '--json')
    await setUp(home, ['profiles', 'set', 'sandbox', '--notify', 'exit 3', '--quiet'])
    const failing = await pay(home, 'rent', '10', '--min-rate', '5', '--json')
    expect(failing).toMatchObject({code: stopped.code, out: stopped.out})
    expect(failing.err).toContain('The notify command ended with code 3')
    const {row, code} = await runDoctor(home, {}, ...inSandbox)
    expect(code).toBe(12)
    expect(row('notify')).toMatchObject({
      outcome: 'warning',
      found: 'The notify command ended with code 3; 1 notification waits',
    })
    advance(2 * minuteMs)
    await notifyBy(home)
    expect(await pay(home, 'food', '20')).toMatchObject({code: 0})
    expect(readTold(home)).toMatchObject([{key: 'rent'}])
    expect((await runDoctor(home, {}, ...inSandbox)).code).toBe(0)
  })

  it('tells nobody in a dry run, and makes no file if nobody is to be told', async () => {
    const home = freshHome()
    await pay(home, 'rent', '10', '--min-rate', '5')
    const state = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state')
    expect(fs.readdirSync(state).filter((file) => file.includes('notifications'))).toEqual([])
    await notifyBy(home)
    expect(await pay(home, 'rent', '10', '--min-rate', '5', '--dry-run')).toMatchObject({code: 10})
    expect(readTold(home)).toEqual([])
  })
})

describe('svc payouts run', () => {
  it('tells once which rows a limit stopped', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await logIn(home, service)
    await setUp(home, ['profiles', 'set', 'acme', '--day-max', 'USDC=25', '--notify', createCommand(home), '--quiet'])
    const file = writePayroll(
      home,
      ['10', '20', '30'].map((amount, index) => createRow(`r-${index}`, {amount})),
    )
    for (let again = 0; again < 2; again++) {
      expect(await run(home, ['payouts', 'run', file, '-p', 'acme', '--yes'])).toMatchObject({code: 10})
    }
    expect(readTold(home)).toMatchObject([
      {event: 'payouts.stopped', profile: 'acme', rows: 2, keys: ['r-1', 'r-2'], error: 'LIMIT_REACHED', exitCode: 10},
    ])
  })

  it('tells about each row that ended badly, with nothing that the service said', async () => {
    const [home, service] = [freshHome(), await servePayments({status: 'CANCELLED'})]
    const file = writePayroll(home, [createRow('r-1'), createRow('r-2', {amount: '3'})])
    const flags = ['--yes', '--on-result', createCommand(home)]
    expect(await run(home, ['payouts', 'run', file, ...flags], service)).toMatchObject({code: 9})
    const told = readTold(home).map(({event, key, status}) => [event, key, status].join(' '))
    expect(new Set(told)).toEqual(new Set(['payment.ended r-1 CANCELLED', 'payment.ended r-2 CANCELLED']))
  })
})

it('svc profiles set keeps, shows and removes the notify command', async () => {
  const home = freshHome()
  await notifyBy(home, '--notify-after', '15m')
  const show = async () => json((await run(home, ['profiles', 'show', 'sandbox', '--json'])).out)
  expect(await show()).toMatchObject({notify: {command: createCommand(home), afterMs: 15 * minuteMs}})
  await setUp(home, ['profiles', 'set', 'sandbox', '--notify', '', '--quiet'])
  expect(await show()).not.toHaveProperty('notify')
})
