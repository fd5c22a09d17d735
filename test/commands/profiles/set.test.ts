// svc profiles set: on a terminal, in a pipe, as JSON, with wrong usage; and that its limits apply to every command that writes.
import {describe, expect, it} from 'vitest'
import {inSandbox, payWithUnknownOutcome, pay} from '../../support/payments.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {createQuote, seeded} from '../../support/transactions.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const set = (home: Home, ...flags: string[]) => run(home, ['profiles', 'set', 'sandbox', ...flags])
const money = (text: string) => json(text)['message'] as string

describe('svc profiles set', () => {
  it('adds limits to the existing ones, and clears them; profiles show prints them', async () => {
    const home = freshHome()
    expect(await set(home, '--payment-max', 'USDC=10', '--allow', 'a', '--quiet')).toEqual({code: 0, out: '', err: ''})
    const more = await set(home, '--payment-max', 'EUR=5', '--day-max', 'USDC=50', '--allow', 'b', '--json')
    const limits = {paymentMax: {USDC: '10', EUR: '5'}, dayMax: {USDC: '50'}, destinations: ['a', 'b']}
    expect(json(more.out)['limits']).toEqual(limits)
    await set(home, '--resend', 'yes', '--list-lag-max', '10m', '--read-only', '--quiet')
    const shown = await run(home, ['profiles', 'show', 'sandbox', '--json'])
    expect(json(shown.out)).toMatchObject({limits, resend: 'yes', listLagMaxMs: 600_000, readOnly: true})
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
})

describe('svc profiles set without the database of the journal', () => {
  const away = 'postgres://svc@127.0.0.1:1/svc'

  it('changes nothing', async () => {
    const home = freshHome()
    expect((await set(home, '--journal', away, '--quiet')).code).toBe(0)
    const read = async () => json((await run(home, ['profiles', 'show', 'sandbox', '--json'])).out)
    const before = await read()
    expect((await set(home, '--payment-max', 'USDC=10', '--notify', 'true')).code).toBe(6)
    expect((await set(home, '--journal', 'postgres://svc@127.0.0.1:2/svc', '--day-max', 'USDC=10')).code).toBe(6)
    expect(await read()).toEqual(before)
  })
})

describe('the limits of a profile', () => {
  it('stop a payment that is too large, in another currency, or to another account', async () => {
    const home = freshHome()
    await set(home, '--payment-max', 'USDC=50', '--quiet')
    const large = await pay(home, 'a', '50.01', '--json')
    expect({code: large.code, out: large.out}).toEqual({code: 10, out: ''})
    expect(money(large.err)).toContain('50.01 USDC is more than the 50 USDC that one payment may be')
    expect(await pay(home, 'b', '50', '--quiet')).toMatchObject({code: 0})
    await set(home, '--clear-limits', '--payment-max', 'EUR=50', '--quiet')
    expect(money((await pay(home, 'c', '1', '--json')).err)).toContain('o payment in USDC is allowed')
    await set(home, '--clear-limits', '--allow', 'elsewhere', '--quiet')
    const dry = await pay(home, 'd', '1', '--json', '--dry-run')
    expect(dry.code).toBe(10)
    expect(money(dry.err)).toContain(`the account ${seeded.externalWallet} is not among those that may be paid`)
  })

  it('count all payments of the day: pending ones, and those of transactions create too', async () => {
    const home = freshHome()
    const quote = await createQuote(home, '30', 'wallet', 'externalWallet')
    await run(home, ['transactions', 'create', '--quote', quote, ...inSandbox, '--quiet'])
    await payWithUnknownOutcome(home, 'pending', '20')
    await set(home, '--day-max', 'USDC=100', '--quiet')
    const stopped = await pay(home, 'a', '50.01', '--json')
    expect(stopped.code).toBe(10)
    expect(money(stopped.err)).toContain('50 USDC was paid or is pending today, and 50.01 USDC more would exceed')
    const both = await Promise.all(['b', 'c'].map((key) => pay(home, key, '30', '--quiet', '--allow-duplicates')))
    expect(both.map(({code}) => code).toSorted((one, other) => Number(one) - Number(other))).toEqual([0, 10])
  })

  it('stop every payment while a transaction of unknown amount is pending', async () => {
    const home = freshHome()
    const quote = await createQuote(home, '30', 'wallet', 'externalWallet')
    const fault = ['--method', 'POST', '--path', '/transactions', '--kind', 'reset', '--quiet']
    await run(home, ['sandbox', 'faults', 'add', ...fault])
    const unknown = ['transactions', 'create', '--quote', quote, ...inSandbox, '--timeout', '1900ms']
    expect(await run(home, unknown)).toMatchObject({code: 7})
    await run(home, ['sandbox', 'faults', 'clear', '--quiet'])
    await set(home, '--day-max', 'USDC=100', '--quiet')
    const stopped = await pay(home, 'a', '1', '--json')
    expect(stopped.code).toBe(10)
    expect(money(stopped.err)).toContain('its amount is not known')
  })

  it('stop what has an amount that is not known here, and affect no other writes', async () => {
    const home = freshHome()
    await set(home, '--allow', seeded.externalWallet, '--quiet')
    for (const args of [
      ['api', 'POST', '/transactions', '--set', 'quoteId=q'],
      ['api', 'POST', '/%74ransactions', '--set', 'quoteId=q'],
      ['api', 'PUT', '/automation-rules/r', '--set', 'name=n'],
      ['transactions', 'create', '--quote', 'q'],
    ]) {
      const {code, out, err} = await run(home, [...args, ...inSandbox])
      expect([args, code, out, err]).toEqual([args, 10, '', expect.stringContaining('svc pay')])
    }
    const customer = ['--set', 'customerType=INDIVIDUAL', '--set', 'email=ada@example.com']
    expect(await run(home, ['api', 'POST', '/customers', ...customer, ...inSandbox])).toMatchObject({code: 0})
    expect(await run(home, ['api', 'DELETE', '/automation-rules/none', ...inSandbox])).toMatchObject({code: 5})
  })
})

const rule = (...amount: string[]) =>
  [
    ['rules', 'create', '--name', 'Rent', '--customer', seeded.customer, '--cron', '0 9 1 * *', ...amount],
    ['--from', seeded.wallet, '--from-currency', 'USDC', '--from-method', 'SOLANA'],
    ['--to', seeded.externalWallet, '--to-currency', 'USDC', '--to-method', 'SOLANA'],
    [...inSandbox, '--json'],
  ].flat()

describe('the limits of a profile and rules', () => {
  it('stop a rule that would pay too much, a share, or elsewhere, and allow one within them', async () => {
    const home = freshHome()
    await set(home, '--payment-max', 'USDC=50', '--day-max', 'USDC=40', '--quiet')
    for (const [amount, why] of [
      [['--amount', '51'], 'more than the 50 USDC'],
      [['--amount', '45'], 'the 40 USDC that may be paid in a day'],
      [['--percent', '1'], 'a share of the balance'],
    ] as const) {
      const stopped = await run(home, rule(...amount))
      expect({code: stopped.code, out: stopped.out}).toEqual({code: 10, out: ''})
      expect(money(stopped.err)).toContain(why)
    }
    const made = await run(home, rule('--amount', '40'))
    expect(made.code).toBe(0)
    const id = json(made.out)['id'] as string
    const update = await run(home, ['rules', 'update', id, '--amount', '60', ...inSandbox, '--json'])
    expect({code: update.code, out: update.out}).toEqual({code: 10, out: ''})
    await set(home, '--clear-limits', '--allow', 'elsewhere', '--quiet')
    const elsewhere = await run(home, ['rules', 'update', id, '--amount', '1', ...inSandbox, '--json'])
    expect(money(elsewhere.err)).toContain('not among those that may be paid')
  })

  it('stop rules apply before anything is changed, and its --dry-run reports the same', async () => {
    const home = freshHome()
    const made = await run(home, rule('--amount', '40'))
    const whole = json(made.out)
    const template = whole['transactionTemplate'] as Record<string, unknown>
    const input = JSON.stringify({...whole, transactionTemplate: {...template, amount: {type: 'FLAT', value: '99'}}})
    await set(home, '--payment-max', 'USDC=50', '--quiet')
    for (const flags of [[], ['--dry-run']]) {
      const stopped = await run(home, ['rules', 'apply', '-f', '-', ...flags, ...inSandbox, '--json'], {input})
      expect(stopped.code).toBe(10)
      expect(stopped.err).toContain('99 USDC is more than the 50 USDC')
    }
    const after = await run(home, ['rules', 'get', String(whole['id']), ...inSandbox, '--json'])
    expect(json(after.out)).toEqual(whole)
  })
})
