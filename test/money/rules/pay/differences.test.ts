// What the service made is held against the content, the quote and the limits of the payment, on every run and by reconcile. That
// each single field is, for every caller, stands in attack/made-and-meant.test.ts.
import {describe, expect, it} from 'vitest'
import {createHost, pay, reconcile} from '../../../features/security/attack.ts'
import {servePayments} from '../../../support/scripted-service.ts'
import type {Body} from '../../../support/scripted/behaviour.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'

useVirtualTime()

// Merges a change into the parts of a transaction.
const change =
  ({source, destination, fees, ...fields}: Record<string, unknown>) =>
  (transaction: Body): Body => ({
    ...transaction,
    ...fields,
    source: {...(transaction['source'] as Body), ...(source as Body)},
    destination: {...(transaction['destination'] as Body), ...(destination as Body)},
    fees: fees === null ? undefined : {...(transaction['fees'] as Body), ...(fees as Body)},
  })

const fee = (feeAmount: unknown) => ({feeAmount, feeUSDAmount: '0'})
const raw = (number: string) => JSON.rawJSON(number)

// 100 USDC less both fees, times the rate: 90.62 USDC arrive.
const servePriced = () => servePayments({rate: '0.92', svcFee: '1.00'})
const withFee = ['--developer-fee', '0.50', '--developer-fee-type', 'SOURCE_CURRENCY']
const limitBroken = 'did not keep a limit: '

interface Difference {
  flags?: string[]
  made: Record<string, unknown>
  // What is said of it, after "Warning: the service ".
  says: string[]
}

const differences: Record<string, Difference> = {
  'more digits than a float has': {
    made: {source: {sourceAmount: raw('100.00000000000000000001')}},
    says: ['has the source amount 100.00000000000000000001 USDC, the payment asked for 100 USDC.'],
  },
  'a guaranteed price, also if the difference is small or to our advantage': {
    flags: ['--guarantee'],
    made: {destination: {destinationAmount: '90.63', exchangeRate: 0.9201}},
    says: [
      'has the rate 0.9201, the guaranteed quote said 0.92.',
      'has the received amount 90.63 USDC, the guaranteed quote said 90.62 USDC.',
    ],
  },
  'figures that are no amounts, which reach no limit': {
    flags: ['--max-fee', '2', '--min-received', '90', '--no-guarantee'],
    made: {destination: {destinationAmount: '-1e99999999'}, fees: {svcFee: fee('-1e99999999')}},
    says: [
      'has the service fee -1e99999999 USDC, the quote said 1.00 USDC.',
      'has the received amount -1e99999999 USDC, the quote estimated 90.62 USDC.',
      `${limitBroken}the service fee "-1e99999999" is not an amount, so no limit can be checked against it.`,
      `${limitBroken}the amount received "-1e99999999" is not an amount, so no limit can be checked against it.`,
    ],
  },
  'the limits of the run that paid': {
    flags: ['--min-rate', '0.919', '--min-received', '90.5', '--no-guarantee'],
    made: {destination: {destinationAmount: '90.40', exchangeRate: '0.915'}},
    says: [
      `${limitBroken}the rate is 0.915, but at least 0.919 is required.`,
      `${limitBroken}90.40 USDC would be received, but at least 90.5 USDC is required.`,
    ],
  },
}

describe('a transaction that is not what was meant', () => {
  it.each(Object.entries(differences))('in %s is reported on every run', async (_, {flags = [], made, says}) => {
    const service = await servePriced()
    const host = createHost(service)
    service.alter = change(made)
    const expected = says.map((text) => `Warning: the service ${text}\n`).join('')
    for (const limits of [flags, []]) {
      const {code, err} = await pay(host, 'rent', '100', '--quiet', ...withFee, ...limits)
      expect({code, err}).toEqual({code: 0, err: expected})
    }
    const detail = says.map((text) => `the service ${text.slice(0, -1)}`).join('; ')
    expect((await reconcile(host)).findings).toMatchObject([{kind: 'DIFFERS', key: 'rent', detail}])
    expect(service.transactions).toHaveLength(1)
  })

  it.each<[string, Record<string, unknown>]>([
    [
      'amounts as numbers that a float would change',
      {source: {sourceAmount: raw('100.00')}, fees: {svcFee: fee(raw('1.000')), developerFee: fee(raw('5e-1'))}},
    ],
    ['nothing but the ids', {customerId: undefined, source: {}, destination: {}, fees: null}],
    ['other spellings', {source: {sourceAmount: '1e2', sourceCurrency: 'usdc', sourcePaymentMethod: 'solana'}}],
    ['a slightly lower price', {destination: {destinationAmount: '90.10', exchangeRate: '0.915'}}],
    ['a better price', {destination: {destinationAmount: '95', exchangeRate: '0.96'}}],
  ])('is not what a service shows with %s', async (_, made) => {
    const service = await servePriced()
    const host = createHost(service)
    service.alter = change(made)
    expect(await pay(host, 'rent', '100', '--quiet', ...withFee)).toMatchObject({code: 0, err: ''})
    expect((await reconcile(host)).findings).toEqual([])
  })

  it('is held against the limits of another host, which finds it', async () => {
    const service = await servePriced()
    await pay(createHost(service), 'rent', '100', '--quiet')
    service.ledger.made[0]!.item = change({fees: {developerFee: fee('0.50')}})(service.transactions[0] ?? {})
    const host = createHost(service)
    const limited = await pay(host, 'rent', '100', '--quiet', '--max-fee', '1')
    expect(limited.err).toBe(
      `Warning: the service has the developer fee 0.50 USDC, the payment asked for 0 USDC.\nWarning: the service ${limitBroken}the fees are 1.5 USDC, but at most 1 USDC is allowed.\n`,
    )
    expect(await pay(host, 'rent', '100', '--quiet')).toEqual(limited)
  })

  it('is held against the limits again at the end of --wait, and what was reported is not repeated', async () => {
    const service = await servePriced()
    service.alter = (transaction) => {
      const made = change({fees: {svcFee: fee('1.20')}})(transaction)
      const completed = change({transactionStatus: 'COMPLETED', destination: {destinationAmount: '90'}})(made)
      // The list shows how it ended.
      setImmediate(() => Object.assign(service.ledger.made[0] ?? {}, {item: completed}))
      return made
    }
    const flags = ['--min-received', '90.5', '--no-guarantee', '--wait']
    const {code, err} = await pay(createHost(service), 'rent', '100', '--quiet', ...flags)
    expect(code).toBe(0)
    expect(err.split('\n').map((line) => line.replace('Warning: the service ', ''))).toEqual([
      'has the service fee 1.20 USDC, the quote said 1.00 USDC.',
      'has the received amount 90 USDC, the quote estimated 91.08 USDC.',
      `${limitBroken}90 USDC would be received, but at least 90.5 USDC is required.`,
      '',
    ])
  })
})
