// svc profiles set, and that its limits apply to every command that writes.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import type {Profile} from '../../../src/profiles/profiles.ts'
import {addFault, inSandbox, pay, payWithUnknownOutcome, payment} from '../../support/payments.ts'
import {type Home, freshHome, json, run, splitWords} from '../../support/svc.ts'
import {createQuote, seeded} from '../../support/transactions.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {configFile} from './logins.ts'

useVirtualTime()

const set = (home: Home, ...flags: string[]) => run(home, ['profiles', 'set', 'sandbox', ...flags])

it('svc profiles set adds limits to the existing ones, and clears them; profiles show prints them', async () => {
  const home = freshHome()
  expect(await set(home, '--payment-max', 'USDC=10', '--allow', 'a', '--quiet')).toEqual({code: 0, out: '', err: ''})
  const more = await set(home, '--payment-max', 'EUR=5', '--day-max', 'USDC=50', '--allow', 'b', '--json')
  const limits = {paymentMax: {USDC: '10', EUR: '5'}, dayMax: {USDC: '50'}, destinations: ['a', 'b']}
  expect(json(more.out)['limits']).toEqual(limits)
  await set(home, '--resend', 'yes', '--list-lag-max', '10m', '--read-only', '--quiet')
  const shown = await run(home, ['profiles', 'show', 'sandbox', '--json'])
  expect(json(shown.out)).toMatchObject({limits, resend: 'yes', listLagMaxMs: 600_000, readOnly: true})
  const who = await run(home, ['whoami', '-p', 'sandbox', '--json'])
  expect(json(who.out)).toMatchObject({limits, readOnly: true, may: 'read, and write nothing'})
  await set(home, '--clear-limits', '--no-read-only', '--allow', 'c', '--quiet')
  const cleared = json((await run(home, ['profiles', 'show', 'sandbox', '--json'])).out)
  expect(cleared).toMatchObject({limits: {destinations: ['c']}, readOnly: false, resend: 'yes'})
  expect(cleared['limits']).toEqual({destinations: ['c']})
  for (const text of ['100 USDC', 'usdc = 100', 'USDC 100', '100USDC']) {
    const {out} = await set(home, '--clear-limits', '--day-max', text, '--json')
    expect([text, json(out)['limits']]).toEqual([text, {dayMax: {USDC: '100'}}])
  }
  const list = await run(home, ['profiles', 'list', '--columns', 'name'])
  expect(list.out).toBe('NAME\nsandbox\n')
})

const away = 'postgres://svc@127.0.0.1:1/svc'

it('svc profiles set without the database of the journal changes nothing', async () => {
  const home = freshHome()
  expect((await set(home, '--journal', away, '--quiet')).code).toBe(0)
  const read = async () => json((await run(home, ['profiles', 'show', 'sandbox', '--json'])).out)
  const before = await read()
  expect((await set(home, '--payment-max', 'USDC=10', '--notify', 'true')).code).toBe(6)
  expect((await set(home, '--journal', 'postgres://svc@127.0.0.1:2/svc', '--day-max', 'USDC=10')).code).toBe(6)
  expect(await read()).toEqual(before)
})

it('svc profiles set loses nothing that others set at the same time', async () => {
  const home = freshHome()
  expect((await set(home, '--payment-max', 'USDC=1', '--quiet')).code).toBe(0)
  const changes: Array<[flags: string[], expected: object]> = [
    [['--read-only'], {readOnly: true}],
    [['--resend', 'yes'], {resend: 'yes'}],
    [['--list-lag-max', '10m'], {listLagMaxMs: 600_000}],
    [['--duplicate-window', '5d'], {duplicateWindow: '5d'}],
    [['--notify', 'true'], {notify: {command: 'true'}}],
  ]
  const caps = ['EUR=2', 'GBP=3', 'USDT=4'].map((cap) => set(home, '--payment-max', cap, '--quiet'))
  const ended = await Promise.all([...caps, ...changes.map(([flags]) => set(home, ...flags, '--quiet'))])
  expect(ended.map(({code}) => code)).toEqual(ended.map(() => 0))
  const shown = json((await run(home, ['profiles', 'show', 'sandbox', '--json'])).out)
  const limits = {paymentMax: {USDC: '1', EUR: '2', GBP: '3', USDT: '4'}}
  expect(shown).toMatchObject({limits, ...Object.assign({}, ...changes.map(([, expected]) => expected))})
})

describe('a journal that is named by a relative path', () => {
  const inProfile = (home: Home) =>
    json(fs.readFileSync(configFile(home), 'utf8'))['profiles'] as Record<string, Profile>
  const inFolder = (home: Home, name: string) => {
    const cwd = path.join(home.folder, name)
    fs.mkdirSync(cwd)
    return cwd
  }

  it.each(['./pay.sqlite', 'pay.sqlite', '../first/pay.sqlite'])(
    'is one file for every folder: %s',
    async (journal) => {
      const home = freshHome()
      const [first, second] = [inFolder(home, 'first'), inFolder(home, 'second')]
      const args = ['profiles', 'set', 'sandbox', '--journal', journal, '--quiet']
      expect(await run(home, args, {cwd: first})).toMatchObject({code: 0})
      const file = path.join(first, 'pay.sqlite')
      expect(inProfile(home)['sandbox']?.journal).toEqual({address: file})
      for (const cwd of [first, second, home.folder]) {
        expect(await run(home, [...payment('rent', '5'), ...inSandbox], {cwd})).toMatchObject({code: 0})
        expect(fs.readdirSync(cwd).includes('pay.sqlite')).toBe(cwd === first)
      }
      // The same file in a variable, which counts from the folder of the run.
      const same = {SVC_JOURNAL: '../first/pay.sqlite'}
      expect(await run(home, ['journal', 'list', ...inSandbox], {cwd: second, env: same})).toMatchObject({code: 0})
    },
  )

  it('is refused by every command that reads it if an earlier svc stored it so, until it is stated again', async () => {
    const home = freshHome()
    expect((await set(home, '--journal', path.join(home.folder, 'pay.sqlite'), '--quiet')).code).toBe(0)
    fs.writeFileSync(configFile(home), fs.readFileSync(configFile(home), 'utf8').replace(home.folder, '.'))
    expect(inProfile(home)['sandbox']?.journal).toEqual({address: './pay.sqlite'})
    const commands = [[...payment('rent', '5')], ['journal', 'list'], ['reconcile'], ['report']]
    for (const args of commands) {
      const {code, err} = await run(home, [...args, ...inSandbox])
      expect([args, code, err]).toEqual([args, 2, expect.stringContaining('svc profiles set sandbox --journal FILE')])
    }
    expect(fs.readdirSync(home.folder)).not.toContain('pay.sqlite')
    expect((await set(home, '--journal', 'pay.sqlite', '--quiet')).code).toBe(0)
    expect((await run(home, ['journal', 'list', ...inSandbox])).code).toBe(0)
  })
})

const route = payment('k', '1').slice(1, -4).join(' ')
const rule = `rules create --name Rent ${route} --cron '0 9 1 * *'`

describe('the limits of a profile', () => {
  it.each([
    ['--payment-max USDC=50', `pay ${route} --key a --amount 50.01`, '50.01 USDC is more than the 50 USDC'],
    ['--payment-max USDC=230', `pay ${route} --key a --receive 230`, 'is more than the 230 USDC'],
    ['--payment-max EUR=50', `pay ${route} --key a --amount 1`, 'o payment in USDC is allowed'],
    ['--allow elsewhere', `pay ${route} --key a --amount 1 --dry-run`, `${seeded.externalWallet} is not among those`],
    ['--payment-max USDC=50', `${rule} --amount 51`, 'more than the 50 USDC'],
    ['--payment-max USDC=50 --day-max USDC=40', `${rule} --amount 45`, 'the 40 USDC that may be paid in a day'],
    ['--payment-max USDC=50', `${rule} --percent 1`, 'a share of the balance'],
    ['--allow elsewhere', `${rule} --amount 1`, 'not among those that may be paid'],
    // Their amount is not known here.
    ['--allow elsewhere', 'api POST /transactions --set quoteId=q', 'svc pay'],
    ['--allow elsewhere', 'api POST /%74ransactions --set quoteId=q', 'svc pay'],
    ['--allow elsewhere', 'api PUT /automation-rules/r --set name=n', 'svc pay'],
    ['--allow elsewhere', 'transactions create --quote q', 'svc pay'],
  ])('%s stop svc %s', async (limits, line, words) => {
    const home = freshHome()
    await set(home, ...limits.split(' '), '--quiet')
    const {code, err} = await run(home, [...splitWords(line), ...inSandbox, '--json'])
    expect([code, json(err.trimEnd().split('\n').at(-1) ?? '')]).toMatchObject([10, {exitCode: 10}])
    expect(err).toContain(words)
  })

  it('affect no other writes, and no payment within them', async () => {
    const home = freshHome()
    await set(home, '--payment-max', 'USDC=50', '--allow', seeded.externalWallet, '--quiet')
    expect((await pay(home, 'b', '50', '--quiet')).code).toBe(0)
    for (const [line, code] of [
      ['api POST /customers --set customerType=INDIVIDUAL --set email=ada@example.com', 0],
      ['api DELETE /automation-rules/none', 5],
      [`${rule} --amount 40`, 0],
    ] as const) {
      expect((await run(home, [...splitWords(line), ...inSandbox])).code).toBe(code)
    }
  })

  it('count all payments of the day: pending ones, and those of transactions create too', async () => {
    const home = freshHome()
    const quote = await createQuote(home, '30', 'wallet', 'externalWallet')
    await run(home, ['transactions', 'create', '--quote', quote, ...inSandbox, '--quiet'])
    await payWithUnknownOutcome(home, 'pending', '20')
    await set(home, '--day-max', 'USDC=100', '--quiet')
    const stopped = await pay(home, 'a', '50.01', '--json')
    expect(stopped.code).toBe(10)
    expect(stopped.err).toContain('50 USDC was paid or is pending today, and 50.01 USDC more would exceed')
    const both = await Promise.all(['b', 'c'].map((key) => pay(home, key, '30', '--quiet', '--allow-duplicates')))
    expect(both.map(({code}) => code).toSorted((one, other) => Number(one) - Number(other))).toEqual([0, 10])
  })

  it('stop every payment while a transaction of unknown amount is pending', async () => {
    const home = freshHome()
    const quote = await createQuote(home, '30', 'wallet', 'externalWallet')
    await addFault(home, 'reset', '--quiet')
    const unknown = ['transactions', 'create', '--quote', quote, ...inSandbox, '--timeout', '1900ms']
    expect(await run(home, unknown)).toMatchObject({code: 7})
    await run(home, ['sandbox', 'faults', 'clear', '--quiet'])
    await set(home, '--day-max', 'USDC=100', '--quiet')
    const stopped = await pay(home, 'a', '1', '--json')
    expect(stopped.code).toBe(10)
    expect(stopped.err).toContain('its amount is not known')
  })

  it('stop a change of a rule before anything is changed, also in a dry run of svc rules apply', async () => {
    const home = freshHome()
    const made = json((await run(home, [...splitWords(rule), '--amount', '40', ...inSandbox, '--json'])).out)
    const template = made['transactionTemplate'] as Record<string, unknown>
    const input = JSON.stringify({...made, transactionTemplate: {...template, amount: {type: 'FLAT', value: '99'}}})
    await set(home, '--payment-max', 'USDC=50', '--quiet')
    const id = String(made['id'])
    for (const line of [`rules update ${id} --amount 99`, 'rules apply -f -', 'rules apply -f - --dry-run']) {
      const stopped = await run(home, [...line.split(' '), ...inSandbox, '--json'], {input})
      expect([stopped.code, stopped.err]).toEqual([10, expect.stringContaining('99 USDC is more than the 50 USDC')])
    }
    expect(json((await run(home, ['rules', 'get', id, ...inSandbox, '--json'])).out)).toEqual(made)
  })
})
