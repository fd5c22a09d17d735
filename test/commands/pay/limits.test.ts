// The limits of svc pay: they stop it with code 10 and the figures, and --dry-run checks them.
import {describe, expect, it} from 'vitest'
import {readJournalEntry, inSandbox, pay, payment, listTransactions} from '../../support/payments.ts'
import {reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {bank, wallet, zoe} from '../payouts/payroll.ts'

describe('the limits of svc pay', () => {
  it('stop it with 10 and the figures, and the same key can be tried again', async () => {
    const home = freshHome()
    const stopped = await pay(home, 'a', '100', '--max-fee', '0.1%', '--json')
    expect({code: stopped.code, out: stopped.out}).toEqual({code: 10, out: ''})
    const error = json(stopped.err)
    expect(error).toMatchObject({error: 'LIMIT_REACHED', exitCode: 10})
    expect(error['message']).toMatch(/the fees are 0\.\d+ USDC, but at most 0\.1 USDC \(0\.1%\) is allowed/)
    expect(await pay(home, 'a', '100', '--min-received', '100')).toMatchObject({code: 10, out: ''})
    expect(await pay(home, 'a', '100', '--min-rate', '1.01')).toMatchObject({code: 10, out: ''})
    expect(await pay(home, 'a', '100', '--min-rate', '1', '--max-fee', '1%', '--quiet')).toMatchObject({code: 0})
    expect((await readJournalEntry(home, 'a'))['state']).toBe('CREATED')
  })

  it('are asked about at a terminal, and are a warning in a script, if fees are above 5 % and have none', async () => {
    const home = freshHome()
    const buildArgs = (key: string, amount: string, ...flags: string[]) => {
      const route = ['--customer', zoe, '--from', wallet, '--from-currency', 'USDC', '--to', bank]
      return ['pay', ...route, '--amount', amount, '--key', key, ...inSandbox, ...flags]
    }
    const asked = onTerminal(home, buildArgs('small', '2.50'))
    await asked.waitFor('Pay this, as small, although the fees are 10.6 % of it?')
    expect(asked.text()).toMatch(/High fees +10\.6 % of what is sent, more than the usual 5 %/)
    asked.type('y\r')
    expect(await asked.ended).toBe(0)
    expect(asked.text()).not.toContain('Warning')
    const warning = 'Warning: the fees are 10.6 % of what is sent, more than the usual 5 %; --max-fee sets a limit.\n'
    const payQuietly = (...args: Parameters<typeof buildArgs>) =>
      run(home, [...buildArgs(...args), '--allow-duplicates', '--quiet'])
    expect(await payQuietly('b', '2.50')).toEqual({code: 0, out: '', err: warning})
    expect((await payQuietly('c', '2.50', '--dry-run')).err).toContain(warning)
    expect(await payQuietly('d', '2.50', '--max-fee', '20%')).toEqual({code: 0, out: '', err: ''})
    // It was made before, at a price that was warned of.
    expect(await payQuietly('b', '2.50')).toEqual({code: 0, out: '', err: ''})
    expect(await payQuietly('e', '100')).toEqual({code: 0, out: '', err: ''})
  })

  it('imply a guaranteed quote, unless a flag says otherwise', async () => {
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
    const quotes = service.requests
      .filter((one) => one.path === '/quotes')
      .map(({body}) => json(body)['guaranteeQuote'])
    expect(quotes).toEqual([undefined, true, undefined, true])
  })

  it.each([
    ['a fee far below zero', {svcFee: '-1e99999999'}, 'The service fee "-1e99999999"'],
    ['a fee below zero', {svcFee: '0', developerFee: '-0.01'}, 'The developer fee "-0.01"'],
    ['a fee without end', {svcFee: '1e99999999'}, 'The service fee "1e99999999"'],
    ['a fee that is a number without end', {svcFee: JSON.rawJSON('1e99999999')}, 'The service fee "1e99999999"'],
    ['a rate without end', {rate: '1e99999999'}, 'The rate "1e99999999"'],
    ['a received amount without end', {received: '1e99999999'}, 'The amount received "1e99999999"'],
  ])('stop a quote with %s, which no limit can be checked against', async (_, quote, named) => {
    const {svcFee = '0', developerFee = '0', rate = '1', received = '1'} = quote as Record<string, unknown>
    const service = await serve(({method, path}, response) => {
      if (method === 'GET') return reply(response, 200, {transactions: []})
      if (path !== '/quotes') return reply(response, 400, {error: 'BAD_REQUEST', message: 'No.', statusCode: 400})
      return reply(response, 200, {
        quoteId: 'quote-1',
        expiresAt: new Date(Date.now() + 300_000).toISOString(),
        estimatedExchangeRate: rate,
        destinationAmount: received,
        fees: {feeCurrency: {label: 'USDC'}, svcFee: {feeAmount: svcFee}, developerFee: {feeAmount: developerFee}},
      })
    })
    const flags = ['--yes', '--max-fee', '1', '--min-rate', '0.5', '--min-received', '0.5']
    const stopped = await run(freshHome(), [...payment('k', '1'), ...flags], {env: service.env})
    expect(stopped).toMatchObject({code: 10, out: ''})
    expect(stopped.err.toLowerCase()).toContain(`${named.toLowerCase()} is not an amount`)
    expect(service.requests.filter(({path, method}) => method === 'POST' && path === '/transactions')).toEqual([])
  })

  it.each([
    ['counts as none if nobody asked for one', [], 0],
    ['stops a payment that asks for one', ['--developer-fee', '0.01'], 10],
  ])('a developer fee that the quote leaves out %s', async (_, fee, code) => {
    const service = await serve(({method}, response) => {
      if (method === 'GET') return reply(response, 200, {transactions: []})
      return reply(response, 200, {
        quoteId: 'quote-1',
        expiresAt: new Date(Date.now() + 300_000).toISOString(),
        estimatedExchangeRate: '1',
        destinationAmount: '1',
        fees: {feeCurrency: {label: 'USDC'}, svcFee: {feeAmount: '0', feeUSDAmount: '0'}, developerFee: null},
      })
    })
    const dryRun = [...payment('k', '1'), '--max-fee', '1', '--dry-run', ...fee]
    expect((await run(freshHome(), dryRun, {env: service.env})).code).toBe(code)
  })

  it('are checked by --dry-run, which sends no transaction and writes nothing to the journal', async () => {
    const home = freshHome()
    const before = await listTransactions(home)
    const good = await pay(home, 'a', '100', '--max-fee', '1%', '--dry-run', '--json')
    expect(good).toMatchObject({code: 0, err: 'No limit would stop it; nothing was sent.\n'})
    expect(json(good.out)).toMatchObject({quoteId: expect.any(String) as string})
    const bad = await pay(home, 'a', '100', '--max-fee', '0.1%', '--dry-run', '--json')
    expect(bad.code).toBe(10)
    expect(json(bad.out)).toMatchObject({quoteId: expect.any(String) as string})
    expect(json(bad.err)['message']).toContain('would be stopped: the fees are')
    expect(await run(home, ['journal', 'list', ...inSandbox])).toEqual({code: 0, out: '', err: 'No payments.\n'})
    expect(await listTransactions(home)).toHaveLength(before.length)
  })

  it('do not apply to a payment that was made: --dry-run shows it, and other content under its key ends with 2', async () => {
    const home = freshHome()
    const made = await pay(home, 'a', '10', '--json')
    const shown = await pay(home, 'a', '10', '--dry-run', '--json', '--max-fee', '0')
    expect(shown.code).toBe(0)
    expect(json(shown.out)['transactionId']).toBe(json(made.out)['transactionId'])
    for (const flag of ['--quiet', '--dry-run']) {
      const other = await pay(home, 'a', '11', flag, '--json')
      expect({code: other.code, out: other.out}).toEqual({code: 2, out: ''})
      expect(json(other.err)).toMatchObject({error: 'KEY_USED'})
    }
  })
})
