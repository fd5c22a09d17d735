// What the service made is held against the content, the quote and the limits of the payment, by every command that shows it.
import {describe, expect, it} from 'vitest'
import {payment} from '../../support/payments.ts'
import {type Service, reply, serve} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

type Body = Record<string, unknown>

const pay = (home: Home, {env}: AlteringService, ...flags: string[]) =>
  run(home, [...payment('rent', '100'), '--yes', '--quiet', ...flags], {env})

const reconcile = async (home: Home, {env}: AlteringService) => {
  const {out} = await run(home, ['reconcile', '--since', '1d', '--json'], {env})
  return json(out)['findings'] as Body[]
}

// Merges a change into the parts of a transaction.
const change =
  ({source, destination, ...fields}: {source?: Body; destination?: Body} & Body) =>
  (transaction: Body): Body => ({
    ...transaction,
    ...fields,
    source: {...(transaction['source'] as Body), ...source},
    destination: {...(transaction['destination'] as Body), ...destination},
  })

const fees = (svcFee: unknown, developerFee: unknown = '0', label = 'USDC') => ({
  fees: {
    feeCurrency: {label},
    svcFee: {feeAmount: svcFee, feeUSDAmount: '0'},
    developerFee: {feeAmount: developerFee, feeUSDAmount: '0'},
  },
})

interface AlteringService extends Service {
  transactions: Body[]
  alter: (transaction: Body) => Body
}

// A service with one quote, whose transaction is altered before it is sent and listed. Numbers are sent as they are written,
// with every digit.
async function serveQuote(quote: Body): Promise<AlteringService> {
  const transactions: Body[] = []
  let requested: Body = {}
  const base = await serve(({method, path, body}, response) => {
    const at = `${method} ${path}`
    const now = new Date().toISOString()
    if (at === 'GET /transactions') return reply(response, 200, {transactions})
    if (at === 'POST /quotes') {
      requested = JSON.parse(body) as Body
      const expiresAt = new Date(Date.now() + 300_000).toISOString()
      return reply(response, 200, {quoteId: 'quote-1', expiresAt, ...quote})
    }
    if (at !== 'POST /transactions') return reply(response, 200, {customerStatus: 'ACTIVE'})
    const {customerId, source, destination} = requested
    const {correlationId} = JSON.parse(body) as Body
    const transaction = service.alter({
      transactionId: '00000000-0000-4000-9000-000000000001',
      transactionStatus: 'CREATED',
      quoteId: 'quote-1',
      correlationId,
      customerId,
      source,
      destination,
      createdAt: now,
      updatedAt: now,
    })
    transactions.push(transaction)
    return reply(response, 200, transaction)
  })
  const service: AlteringService = {...base, transactions, alter: (transaction) => transaction}
  return service
}

const quoted = {estimatedExchangeRate: '0.92', destinationAmount: '91.08', ...fees('1.00', '0.50')}

describe('a transaction that is not what was meant', () => {
  it.each<[string, Body, string[]]>([
    [
      'the source method',
      {source: {sourcePaymentMethod: 'BASE'}},
      ['the source method BASE, the payment asked for SOLANA'],
    ],
    [
      'the destination method',
      {destination: {destinationPaymentMethod: 'BASE'}},
      ['the destination method BASE, the payment asked for SOLANA'],
    ],
    ['the currency of the fees', fees('1.00', '0.50', 'USD'), ['the fee currency USD, the quote said USDC']],
    [
      'several things at once',
      {source: {sourceAmount: '101'}, ...fees('1.20', '0.75')},
      ['the source amount 101 USDC, ', 'the service fee 1.20 USDC, ', 'the developer fee 0.75 USDC, '],
    ],
  ])('is reported on every run and by reconcile: %s', async (_, changes, expected) => {
    const [home, service] = [freshHome(), await serveQuote(quoted)]
    service.alter = change(changes)
    const first = await pay(home, service)
    expect(first).toMatchObject({code: 0, out: ''})
    const lines = first.err.trimEnd().split('\n')
    expect(lines).toEqual(expected.map((text) => expect.stringContaining(`Warning: the service has ${text}`) as string))
    expect(await pay(home, service)).toEqual(first)
    const detail = lines.map((line) => line.replace('Warning: ', '').replace(/\.$/, '')).join('; ')
    expect(await reconcile(home, service)).toMatchObject([{kind: 'DIFFERS', key: 'rent', detail}])
    expect(service.transactions).toHaveLength(1)
  })

  it.each<[string, Body]>([
    [
      'amounts as numbers',
      {source: {sourceAmount: 100}, destination: {destinationAmount: 91.08, exchangeRate: 0.92}, ...fees(1, 0.5)},
    ],
    [
      'amounts as numbers that a float would change',
      {
        source: {sourceAmount: JSON.rawJSON('100.00')},
        destination: {destinationAmount: JSON.rawJSON('91.080')},
        ...fees(JSON.rawJSON('1.000'), JSON.rawJSON('5e-1')),
      },
    ],
    ['nothing but the ids', {customerId: undefined, source: {}, destination: {}, fees: undefined}],
    ['other spellings', {source: {sourceAmount: '1e2', sourceCurrency: 'usdc', sourcePaymentMethod: 'solana'}}],
    ['a slightly lower price', {destination: {destinationAmount: '90.50', exchangeRate: '0.915'}}],
    ['a better price', {destination: {destinationAmount: '95', exchangeRate: '0.96'}}],
  ])('is not what a service shows with %s', async (_, changes) => {
    const [home, service] = [freshHome(), await serveQuote(quoted)]
    service.alter = change(changes)
    expect(await pay(home, service)).toMatchObject({code: 0, err: ''})
    expect(await reconcile(home, service)).toEqual([])
  })

  it('keeps the digits of a number that is too long for a float', async () => {
    const [home, service] = [freshHome(), await serveQuote(quoted)]
    service.alter = change({source: {sourceAmount: JSON.rawJSON('100.00000000000000000001')}})
    expect((await pay(home, service)).err).toContain('the source amount 100.00000000000000000001 USDC')
  })
})

describe('a guaranteed price', () => {
  it('must be exact, also if the difference is small or to our advantage', async () => {
    const [home, service] = [freshHome(), await serveQuote(quoted)]
    service.alter = change({destination: {destinationAmount: '91.09', exchangeRate: 0.9201}})
    const {err} = await pay(home, service, '--guarantee')
    expect(err).toBe(
      [
        'Warning: the service has the rate 0.9201, the guaranteed quote said 0.92.',
        'Warning: the service has the received amount 91.09 USDC, the guaranteed quote said 91.08 USDC.',
        '',
      ].join('\n'),
    )
  })
})

describe('the limits of the run that paid', () => {
  it('are not reached by figures that are no amounts', async () => {
    const [home, service] = [freshHome(), await serveQuote(quoted)]
    service.alter = change({destination: {destinationAmount: '-1e99999999'}, ...fees('-1e99999999', '0.50')})
    const {err} = await pay(home, service, '--max-fee', '2', '--min-received', '91', '--no-guarantee')
    expect(err).toBe(
      [
        'Warning: the service has the service fee -1e99999999 USDC, the quote said 1.00 USDC.',
        'Warning: the service has the received amount -1e99999999 USDC, the quote estimated 91.08 USDC.',
        'Warning: the service did not keep a limit: the service fee "-1e99999999" is not an amount, so no limit can be checked against it.',
        'Warning: the service did not keep a limit: the amount received "-1e99999999" is not an amount, so no limit can be checked against it.',
        '',
      ].join('\n'),
    )
  })

  it('are held against the transaction on every later run, also without them', async () => {
    const [home, service] = [freshHome(), await serveQuote({...quoted, ...fees(undefined)})]
    service.alter = change({destination: {destinationAmount: '90.90', exchangeRate: '0.915'}})
    const limits = ['--min-rate', '0.919', '--min-received', '91', '--no-guarantee']
    const first = await pay(home, service, ...limits)
    expect(first.err).toBe(
      [
        'Warning: the service did not keep a limit: the rate is 0.915, but at least 0.919 is required.',
        'Warning: the service did not keep a limit: 90.90 USDC would be received, but at least 91 USDC is required.',
        '',
      ].join('\n'),
    )
    expect((await pay(home, service)).err).toBe(first.err)
    expect(await reconcile(home, service)).toMatchObject([{kind: 'DIFFERS', key: 'rent'}])
  })

  it.each([
    ['1.6', ''],
    ['1.6%', ' (1.6%)'],
  ])('report fees above --max-fee %s', async (feeMax, percent) => {
    const [home, service] = [freshHome(), await serveQuote(quoted)]
    service.alter = change(fees('1.20', '0.50'))
    expect((await pay(home, service, '--max-fee', feeMax)).err).toBe(
      [
        'Warning: the service has the service fee 1.20 USDC, the quote said 1.00 USDC.',
        `Warning: the service did not keep a limit: the fees are 1.7 USDC, but at most 1.6 USDC${percent} is allowed.`,
        '',
      ].join('\n'),
    )
  })

  it('are held against a transaction that another host made', async () => {
    const service = await serveQuote(quoted)
    const [home, elsewhere] = [freshHome(), freshHome()]
    service.alter = change(fees('1.00', '0.50'))
    await pay(elsewhere, service)
    const {code, err} = await pay(home, service, '--max-fee', '1')
    expect(code).toBe(0)
    expect(err).toBe(
      [
        'Warning: the service has the developer fee 0.50 USDC, the payment asked for 0 USDC.',
        'Warning: the service did not keep a limit: the fees are 1.5 USDC, but at most 1 USDC is allowed.',
        '',
      ].join('\n'),
    )
    expect((await pay(home, service)).err).toBe(err)
  })
})

describe('a price that changes until the transaction is completed', () => {
  it('is held against the limits at the end of --wait, and a difference that was reported is not repeated', async () => {
    const [home, service] = [freshHome(), await serveQuote(quoted)]
    service.alter = (transaction) => {
      const made = change({...fees('1.20', '0.50'), destination: {destinationAmount: '91.08'}})(transaction)
      const completed = change({transactionStatus: 'COMPLETED', destination: {destinationAmount: '90'}})(made)
      // The list shows how it ended.
      setImmediate(() => service.transactions.splice(0, 1, completed))
      return made
    }
    const {code, err} = await pay(home, service, '--min-received', '91', '--no-guarantee', '--wait')
    expect(code).toBe(0)
    expect(err).toBe(
      [
        'Warning: the service has the service fee 1.20 USDC, the quote said 1.00 USDC.',
        'Warning: the service has the received amount 90 USDC, the quote estimated 91.08 USDC.',
        'Warning: the service did not keep a limit: 90 USDC would be received, but at least 91 USDC is required.',
        '',
      ].join('\n'),
    )
  })
})
