// svc pay: on a terminal, in a pipe, as JSON, refused; once for each key, whatever is lost, and within its limits.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {entry, fault, inSandbox, lost, pay, payment, route, transactionsOf} from '../helpers/payments.ts'
import {start} from '../helpers/running.ts'
import {reply, serve} from '../helpers/service.ts'
import {freshHome, json, run} from '../helpers/svc.ts'
import {onTerminal} from '../helpers/terminal.ts'
import {seeded} from '../helpers/transactions.ts'

const lines = (text: string) => text.trimEnd().split('\n')

describe('svc pay', () => {
  it('shows the transaction as a record on a terminal, and its present state when it is run again', async () => {
    const home = freshHome()
    const first = onTerminal(home, [...payment('rent', '10'), ...inSandbox])
    expect(await first.ended).toBe(0)
    expect(first.text()).toMatch(/^ID +[0-9a-f-]{36}\nSTATUS +CREATED\nFROM +10\.00 USDC\n/)
    await run(home, ['sandbox', 'clock', 'advance', '1h', '--quiet'])
    const again = onTerminal(home, [...payment('rent', '10.00'), ...inSandbox])
    expect(await again.ended).toBe(0)
    expect(again.text()).toMatch(
      /^The payment rent was made before, at .* UTC; nothing was sent\.\nID .*\nSTATUS +COMPLETED\n/,
    )
    expect(lines(first.text())[0]).toBe(lines(again.text())[1])
  })

  it('prints the service’s own JSON, and nothing with --quiet', async () => {
    const home = freshHome()
    const made = await pay(home, 'a', '10', '--json')
    expect(made).toMatchObject({code: 0, err: ''})
    const {correlationId, transactionId} = json(made.out)
    expect(correlationId).toMatch(/^svc_[0-9a-f]{40}$/)
    expect(await pay(home, 'a', '10', '--quiet')).toEqual({code: 0, out: '', err: ''})
    const listed = (await transactionsOf(home)).filter((one) => one['correlationId'] === correlationId)
    expect(listed).toEqual([json(made.out)])
    expect(await entry(home, 'a')).toMatchObject({state: 'CREATED', transactionId})
  })

  it('names every missing flag at once, and sends and keeps nothing', async () => {
    const service = await serve((_, response) => reply(response, 200, {}))
    const home = freshHome()
    const {code, out, err} = await run(home, ['pay', '--yes', '--to-method', 'ACH'], {env: service.env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain(
      'Missing --customer, --from, --from-currency, --from-method, --to, --to-currency, --amount, --key.',
    )
    expect(service.asked).toEqual([])
    expect(fs.existsSync(path.join(home.folder, 'config', 'state', 'journal.sqlite'))).toBe(false)
  })

  it.each([
    [['--max-fee', '1 USD'], '--max-fee'],
    [['--min-rate', '-1'], '--min-rate'],
    [['--key', 'two words'], '--key'],
    [['--key', 'rent-{week}'], '{week}'],
    [['--key', 'quote:q'], 'quote:'],
    [['--slot', '2026-11-01'], '--slot'],
    [['--amount', '0'], 'sourceAmount'],
  ])('refuses %j here, before anything is sent', async (flags, named) => {
    const service = await serve((_, response) => reply(response, 200, {}))
    const whole = ['pay', ...route, '--amount', '1', '--key', 'k', '--yes', ...flags]
    const {code, out, err} = await run(freshHome(), whole, {env: service.env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain(named)
    expect(service.asked).toEqual([])
  })

  it('asks on live, showing what, where and how much with its key; a script must say --yes', async () => {
    const service = await serve((_, response) => reply(response, 200, {}))
    const script = await run(freshHome(), payment('rent', '10'), {env: service.env})
    expect(script).toMatchObject({code: 2, out: ''})
    expect(script.err).toContain('--yes')
    const screen = onTerminal(freshHome(), payment('rent', '10'), {cols: 120, env: service.env})
    await screen.sees(`Send POST /transactions on ${service.url} (the environment, live)?`)
    expect(screen.text()).toContain('under the key rent')
    expect(screen.text()).toContain('10 USDC by SOLANA')
    expect(screen.text()).toContain(seeded.externalWallet)
    screen.type('n\r')
    expect(await screen.ended).toBe(130)
    expect(service.asked).toEqual([])
  })

  it('takes a plan from a file, numbers as they are written, with flags on top', async () => {
    const home = freshHome()
    fs.writeFileSync(
      path.join(home.folder, 'plan.yaml'),
      `key: "plan-{month}"
customerId: ${seeded.customer}
source:
  sourcePaymentAccountId: ${seeded.wallet}
  sourceCurrency: USDC
  sourcePaymentMethod: SOLANA
  sourceAmount: 10.50
destination:
  destinationPaymentAccountId: ${seeded.externalWallet}
  destinationCurrency: USDC
  destinationPaymentMethod: SOLANA
maxFee: 0.5%
minReceived: 10
`,
    )
    const args = ['pay', '-f', 'plan.yaml', '--slot', '2026-11-30T23:00:00-05:00', ...inSandbox]
    expect(await run(home, [...args, '--quiet'])).toEqual({code: 0, out: '', err: ''})
    expect(await entry(home, 'plan-2026-12')).toMatchObject({
      state: 'CREATED',
      template: 'plan-{month}',
      source: {sourceAmount: '10.50'},
    })
    const stopped = await run(home, [...args, '--key', 'other', '--max-fee', '0.01', '--json'])
    expect(stopped.code).toBe(2)
    const limited = await run(home, [...args.slice(0, 3), ...inSandbox, '--key', 'other', '--max-fee', '0.01'])
    expect(limited.code).toBe(10)
    expect(limited.err).toContain('at most 0.01 USDC may be paid')
  })
})

describe('the limits of svc pay', () => {
  it('stop it with 10 and the figures, and the same key is tried again', async () => {
    const home = freshHome()
    const stopped = await pay(home, 'a', '100', '--max-fee', '0.1%', '--json')
    expect({code: stopped.code, out: stopped.out}).toEqual({code: 10, out: ''})
    const error = json(stopped.err)
    expect(error).toMatchObject({error: 'LIMIT_REACHED', exitCode: 10})
    expect(error['message']).toMatch(/the fees are 0\.\d+ USDC, and at most 0\.1 USDC \(0\.1%\) may be paid/)
    expect(await pay(home, 'a', '100', '--min-received', '100')).toMatchObject({code: 10, out: ''})
    expect(await pay(home, 'a', '100', '--min-rate', '1.01')).toMatchObject({code: 10, out: ''})
    expect(await pay(home, 'a', '100', '--min-rate', '1', '--max-fee', '1%', '--quiet')).toMatchObject({code: 0})
    expect((await entry(home, 'a'))['state']).toBe('CREATED')
  })

  it('ask for a guaranteed quote, unless told otherwise', async () => {
    const service = await serve(({method}, response) => {
      if (method === 'GET') return reply(response, 200, {transactions: []})
      return reply(response, 400, {error: 'BAD_REQUEST', message: 'No.', statusCode: 400})
    })
    const env = {env: service.env}
    const plain = [...payment('k', '1'), '--yes']
    expect(await run(freshHome(), plain, env)).toMatchObject({code: 3, out: ''})
    await run(freshHome(), [...plain, '--min-rate', '1'], env)
    await run(freshHome(), [...plain, '--min-received', '1', '--no-guarantee'], env)
    await run(freshHome(), [...plain, '--guarantee'], env)
    const quotes = service.asked.filter((one) => one.path === '/quotes').map(({body}) => json(body)['guaranteeQuote'])
    expect(quotes).toEqual([undefined, true, undefined, true])
  })

  it('are judged by --dry-run, which sends no transaction and writes nothing into the journal', async () => {
    const home = freshHome()
    const before = await transactionsOf(home)
    const good = await pay(home, 'a', '100', '--max-fee', '1%', '--dry-run', '--json')
    expect(good).toMatchObject({code: 0, err: 'The limits would let it pass; nothing was sent.\n'})
    expect(json(good.out)).toMatchObject({quoteId: expect.any(String) as string})
    const bad = await pay(home, 'a', '100', '--max-fee', '0.1%', '--dry-run', '--json')
    expect(bad.code).toBe(10)
    expect(json(bad.out)).toMatchObject({quoteId: expect.any(String) as string})
    expect(json(bad.err)['message']).toContain('would be stopped: the fees are')
    expect(await run(home, ['journal', 'list', ...inSandbox])).toMatchObject({out: 'No payments.\n'})
    expect(await transactionsOf(home)).toEqual(before)
  })

  it('leave a made payment alone: --dry-run shows it, and other content under its key is 2', async () => {
    const home = freshHome()
    const made = await pay(home, 'a', '10', '--json')
    const shown = await pay(home, 'a', '10', '--dry-run', '--json', '--max-fee', '0')
    expect(shown.code).toBe(0)
    expect(json(shown.out)).toEqual(json(made.out))
    for (const flag of ['--quiet', '--dry-run']) {
      const other = await pay(home, 'a', '11', flag, '--json')
      expect({code: other.code, out: other.out}).toEqual({code: 2, out: ''})
      expect(json(other.err)).toMatchObject({error: 'KEY_USED'})
    }
  })
})

describe('svc pay when something is lost', () => {
  it('settles a lost answer in the same run', async () => {
    const home = freshHome()
    await fault(home, 'lose', '--times', '1', '--quiet')
    const made = await pay(home, 'a', '10', '--json')
    expect(made).toMatchObject({code: 0, err: "The payment a was found in the service's list and adopted.\n"})
    const {correlationId} = json(made.out)
    expect((await transactionsOf(home)).filter((one) => one['correlationId'] === correlationId)).toHaveLength(1)
  })

  it('ends with 7 while nobody knows, and the next run makes it once', async () => {
    const home = freshHome()
    const unknown = await lost(home, 'a', '10', '--json')
    expect({code: unknown.code, out: unknown.out}).toEqual({code: 7, out: ''})
    expect(json(unknown.err)).toMatchObject({error: 'OUTCOME_UNKNOWN', exitCode: 7})
    const hint = await pay(home, 'a', '10', '--dry-run')
    expect(hint.err).toContain('a run would settle that first')
    const made = await pay(home, 'a', '10', '--json')
    expect(made.code).toBe(0)
    const {correlationId} = json(made.out)
    expect((await transactionsOf(home)).filter((one) => one['correlationId'] === correlationId)).toHaveLength(1)
  })

  it('is made once by two processes that begin at once, and both say the same', async () => {
    const home = freshHome()
    await run(home, ['sandbox', 'status'])
    const both = await Promise.all([pay(home, 'a', '10', '--json'), pay(home, 'a', '10', '--json')])
    expect(both.map(({code}) => code)).toEqual([0, 0])
    const [one, other] = both.map(({out}) => json(out))
    expect(one?.['transactionId']).toBe(other?.['transactionId'])
    const made = (await transactionsOf(home)).filter((each) => each['correlationId'] === one?.['correlationId'])
    expect(made).toHaveLength(1)
  })

  it('adopts what another journal has made, and says so', async () => {
    const home = freshHome()
    const made = await pay(home, 'a', '10', '--json')
    const elsewhere = {...home, env: {...home.env, SVC_JOURNAL: path.join(home.folder, 'new.sqlite')}}
    const adopted = await pay(elsewhere, 'a', '10', '--json')
    expect(json(adopted.out)['transactionId']).toBe(json(made.out)['transactionId'])
    expect(adopted).toMatchObject({code: 0, err: expect.stringContaining('adopted') as string})
  })

  it('shows what the journal knows while the list does not show it', async () => {
    const home = freshHome()
    const made = await pay(home, 'a', '10', '--json')
    await run(home, ['sandbox', 'faults', 'set', '--list-lag', '5m', '--quiet'])
    const again = await pay(home, 'a', '10', '--json')
    expect(again.code).toBe(0)
    const {transactionId, correlationId, quoteId} = json(made.out)
    expect(json(again.out)).toMatchObject({transactionId, correlationId, quoteId, source: {sourceAmount: '10'}})
    expect(again.err).toContain("The service's list does not show it yet")
  })

  it('refuses to pay without a journal that it can rely on, and says why', async () => {
    const home = freshHome()
    const [damaged, folder] = ['damaged.sqlite', 'none'].map((name) => path.join(home.folder, name))
    fs.writeFileSync(damaged ?? '', 'this is no database, and long enough to be read as one'.repeat(100))
    fs.mkdirSync(folder ?? '')
    for (const [file, why] of [
      [damaged, 'is not a database'],
      [folder, 'cannot be'],
    ]) {
      const refused = await run(home, [...payment('a', '10'), ...inSandbox, '--json'], {env: {SVC_JOURNAL: file}})
      expect({code: refused.code, out: refused.out}).toEqual({code: 2, out: ''})
      expect(json(refused.err)).toMatchObject({error: 'JOURNAL_UNUSABLE'})
      expect(refused.err).toContain(why)
    }
    expect((await transactionsOf(home)).filter((one) => /^svc_/.test(String(one['correlationId'])))).toEqual([])
  })
})

describe('svc pay with a slot in its key', () => {
  const date = 'rent-{date}'

  it('pays once for each slot, in UTC', async () => {
    const home = freshHome()
    for (const slot of ['2026-11-14T23:59:00Z', '2026-11-15T01:30:00+02:00', '2026-11-15T00:01:00Z']) {
      expect(await pay(home, date, '10', '--slot', slot, '--quiet')).toEqual({code: 0, out: '', err: ''})
    }
    const {out} = await run(home, ['journal', 'list', ...inSandbox, '--json'])
    const keys = (json(out)['payments'] as Array<{key: string}>).map(({key}) => key)
    expect(keys).toEqual(['rent-2026-11-14', 'rent-2026-11-15'])
  })

  it('does not pay the next day while nobody knows of the day before, and settles that first', async () => {
    const home = freshHome()
    expect(await lost(home, date, '10', '--slot', '2026-11-14T23:59:00Z')).toMatchObject({code: 7})
    await fault(home, 'reset', '--quiet')
    const next = ['--slot', '2026-11-15T00:01:00Z', '--timeout', '600ms']
    const held = await pay(home, date, '10', ...next)
    expect(held).toMatchObject({code: 7, out: ''})
    expect(held.err).toContain('rent-2026-11-14')
    await run(home, ['sandbox', 'faults', 'clear', '--quiet'])
    expect(await pay(home, date, '10', ...next.slice(0, 2), '--quiet')).toEqual({code: 0, out: '', err: ''})
    const {out} = await run(home, ['journal', 'list', ...inSandbox, '--json'])
    expect((json(out)['payments'] as Array<{state: string}>).map(({state}) => state)).toEqual(['CREATED', 'CREATED'])
  })
})

describe('svc pay --wait', () => {
  it('ends well when the money has arrived, and with 11 and a word about the key when it never will', async () => {
    const home = freshHome()
    const waiting = start(home, [...payment('good', '12.50'), ...inSandbox, '--wait', '--json'])
    await waiting.says('waiting for its end')
    await run(home, ['sandbox', 'clock', 'advance', '10m', '--quiet'])
    const good = await waiting.ended
    expect(good.code).toBe(0)
    expect(json(good.out)).toMatchObject({transactionStatus: 'COMPLETED'})
    const failing = start(home, [...payment('bad', '7.01'), ...inSandbox, '--wait', '--json'])
    await failing.says('waiting for its end')
    await run(home, ['sandbox', 'clock', 'advance', '10m', '--quiet'])
    const bad = await failing.ended
    expect(bad.code).toBe(11)
    expect(json(bad.out)).toMatchObject({transactionStatus: 'FAILED'})
    expect(json(lines(bad.err).at(-1) ?? '')['hint']).toContain('choose another key')
    expect(await pay(home, 'bad', '7.01', '--wait', '--quiet')).toMatchObject({code: 11, out: ''})
  })

  it('ends with 8 when the time is up, the payment made', async () => {
    const home = freshHome()
    const pending = await pay(home, 'a', '10', '--wait', '--timeout', '1s', '--json')
    expect(pending.code).toBe(8)
    expect(json(pending.out)).toMatchObject({transactionStatus: 'CREATED'})
    expect((await entry(home, 'a'))['state']).toBe('CREATED')
  })
})
