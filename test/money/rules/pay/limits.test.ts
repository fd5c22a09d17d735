// The limits of svc pay: they stop it with code 10 and the figures, and --dry-run checks them.
import {describe, expect, it} from 'vitest'
import {createHost, createRows, pay as payAt, runPayouts} from '../../../features/security/attack.ts'
import {inSandbox, listTransactions, pay, route as walletRoute} from '../../../support/payments.ts'
import {servePayments} from '../../../support/scripted-service.ts'
import type {Body} from '../../../support/scripted/behaviour.ts'
import {freshHome, json, run} from '../../../support/svc.ts'
import {onTerminal} from '../../../support/terminal.ts'
import {bank, wallet, zoe} from '../../../support/payroll.ts'

// A service whose quotes have these figures.
async function serveQuotes(change: (quote: Body) => Body) {
  const service = await servePayments()
  service.present = (answer, {path}) => (path === '/quotes' ? {...answer, body: change(answer.body as Body)} : answer)
  return service
}

const withFees = (more: Body) => (quote: Body) => ({...quote, fees: {...(quote['fees'] as Body), ...more}})
const endless = '1e99999999'

describe('the limits of svc pay', () => {
  it('are asked about at a terminal, and are a warning in a script, if fees are above 5 % and have none', async () => {
    const home = freshHome()
    const buildArgs = (key: string, amount: string, ...flags: string[]) => {
      const route = ['--customer', zoe, '--from', wallet, '--from-currency', 'USDC', '--to', bank]
      return ['pay', ...route, '--amount', amount, '--key', key, ...inSandbox, ...flags]
    }
    const asked = onTerminal(home, buildArgs('small', '2.50'))
    await asked.waitFor('Pay this, as small, although the fees are 10.6 % of it?')
    asked.type('y\r')
    expect(await asked.ended).toBe(0)
    expect(asked.text()).not.toContain('Warning')
    const warning = 'Warning: the fees are 10.6 % of what is sent, more than the usual 5 %; --max-fee sets a limit.\n'
    // The last but one was made before, at a price that was warned of.
    for (const [key, amount, flags, err] of [
      ['b', '2.50', [], warning],
      ['c', '2.50', ['--max-fee', '20%'], ''],
      ['b', '2.50', [], ''],
      ['d', '100', [], ''],
    ] as const) {
      const args = buildArgs(key, amount, '--allow-duplicates', '--quiet', ...flags)
      expect(await run(home, args)).toEqual({code: 0, out: '', err})
    }
    expect((await run(home, buildArgs('e', '2.50', '--dry-run', '--allow-duplicates'))).err).toContain(warning)
  })

  it('imply a guaranteed quote, unless a flag says otherwise', async () => {
    const service = await servePayments()
    for (const flags of [[], ['--min-rate', '1'], ['--min-received', '1', '--no-guarantee'], ['--guarantee']]) {
      await payAt(createHost(service), `k${flags.length}${flags[0]}`, '1', ...flags)
    }
    const asked = service.requestsTo('POST /quotes').map(({body}) => json(body)['guaranteeQuote'])
    expect(asked).toEqual([undefined, true, undefined, true])
  })

  it.each([
    ['a fee far below zero', withFees({svcFee: {feeAmount: `-${endless}`}}), `service fee "-${endless}"`],
    ['a fee below zero', withFees({developerFee: {feeAmount: '-0.01'}}), 'developer fee "-0.01"'],
    ['a fee without end', withFees({svcFee: {feeAmount: endless}}), `service fee "${endless}"`],
    ['a number without end', withFees({svcFee: {feeAmount: JSON.rawJSON(endless)}}), `service fee "${endless}"`],
    ['a rate without end', (quote: Body) => ({...quote, estimatedExchangeRate: endless}), `rate "${endless}"`],
    ['an amount without end', (quote: Body) => ({...quote, destinationAmount: endless}), `received "${endless}"`],
  ])('stop a quote with %s, which no limit can be checked against', async (_, change, named) => {
    const service = await serveQuotes(change)
    const flags = ['--max-fee', '1', '--min-rate', '0.5', '--min-received', '0.5']
    const stopped = await payAt(createHost(service), 'k', '1', ...flags)
    expect(stopped).toMatchObject({code: 10, out: ''})
    expect(stopped.err).toContain(`${named} is not an amount`)
    expect(service.requestsTo('POST /transactions')).toEqual([])
  })

  it.each([
    ['0', [], 10],
    ['0.00', ['--max-fee', '200'], 10],
    [0, ['--min-rate', '0.5'], 10],
    ['-1', [], 10],
    [' 0 ', [], 10],
    ['+0.0', [], 10],
    ['0e-400', [], 10],
    ['0', ['--min-received', '0'], 0],
    ['0.000001', [], 0],
    // The quote does not say it.
    [undefined, [], 0],
  ])('let a quote with which %j arrives pass with %j: code %i', async (destinationAmount, flags, code) => {
    const service = await serveQuotes((quote) => ({...quote, destinationAmount}))
    const [host, row] = [createHost(service), createRows(1)[0]]
    const pays = [
      await payAt(host, 'k', '1', '--dry-run', ...flags),
      await payAt(host, 'k', '1', ...flags),
      ...(row && flags.length === 0 ? [await runPayouts(host, [row])] : []),
    ]
    for (const ended of pays) expect(ended).toMatchObject({code})
    expect(service.requestsTo('POST /transactions')).toHaveLength(code === 0 ? pays.length - 1 : 0)
  })

  it.each([
    ['counts as none if nobody asked for one', [], 0],
    ['stops a payment that asks for one', ['--developer-fee', '0.01'], 10],
  ])('a developer fee that the quote leaves out %s', async (_, fee, code) => {
    const service = await serveQuotes(withFees({developerFee: null}))
    expect((await payAt(createHost(service), 'k', '1', '--max-fee', '1', '--dry-run', ...fee)).code).toBe(code)
  })

  it('are checked by --dry-run, which sends no transaction and writes nothing to the journal', async () => {
    const home = freshHome()
    const before = await listTransactions(home)
    const good = await pay(home, 'a', '100', '--max-fee', '1%', '--dry-run', '--json')
    expect(good).toMatchObject({code: 0, err: 'No limit would stop it; nothing was sent.\n'})
    const bad = await pay(home, 'a', '100', '--max-fee', '0.1%', '--dry-run', '--json')
    expect(bad.code).toBe(10)
    for (const {out} of [good, bad]) expect(json(out)).toMatchObject({quoteId: expect.any(String), sourceAmount: '100'})
    const arriving = ['pay', ...walletRoute, '--receive', '50', '--key', 'c', '--dry-run', '--json', ...inSandbox]
    expect(Number(json((await run(home, arriving)).out)['sourceAmount'])).toBeGreaterThan(50)
    expect(json(bad.err)['message']).toContain('would be stopped: the fees are')
    expect(await run(home, ['journal', 'list', ...inSandbox])).toEqual({code: 0, out: '', err: 'No payments.\n'})
    expect(await listTransactions(home)).toHaveLength(before.length)
  })
})

describe('a payment of the same amount to the same account', () => {
  it('is made once by runs that are under way at the same time, each under a key of its own', async () => {
    const service = await servePayments()
    const host = createHost(service, {SVC_DUPLICATE_WINDOW: '3d'})
    // All of them have looked for duplicates before any of them is sent.
    const [quoted, {promise, resolve}] = [{count: 0}, Promise.withResolvers<void>()]
    service.script({
      at: 'POST /quotes',
      times: Infinity,
      before: promise,
      matches: () => {
        quoted.count += 1
        if (quoted.count === 3) resolve()
        return true
      },
    })
    const rows = createRows(1, {amount: '10.00'})
    const ended = await Promise.all([payAt(host, 'a', '10'), payAt(host, 'b', '10.0'), runPayouts(host, rows)])
    expect(ended.map(({code}) => String(code)).toSorted()).toEqual(['0', '10', '10'])
    for (const {code, out, err} of ended) if (code === 10) expect(err + out).toContain('may be a duplicate')
    expect(service.transactions).toHaveLength(1)
    expect((await payAt(host, 'c', '10', '--allow-duplicates')).code).toBe(0)
  })
})
