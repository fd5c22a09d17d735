// A service that makes another transaction than was meant: each difference is reported by pay, payouts run and reconcile.
import {describe, expect, it} from 'vitest'
import {differences, servePayments} from '../support/scripted-service.ts'
import {createHost, createRows, pay, readResultFile, readRows, reconcile, runPayouts} from './attack.ts'

const {amountAsNumber, customer, ...visible} = differences

// What a report of each difference must contain: the value that was made.
const reported: Record<keyof typeof visible, RegExp> = {
  amount: /999\.01/,
  otherAmountAsNumber: /999\.01/,
  sourceCurrency: /USDT/,
  sourceAccount: /another-source-account/,
  destinationAccount: /another-destination-account/,
  destinationCurrency: /EUR/,
  destinationAmount: /0\.07/,
  rate: /0\.5\b/,
  svcFee: /4\.44/,
  developerFee: /3\.33/,
}

const names = Object.keys(reported) as Array<keyof typeof reported>

describe('a transaction that differs from what was meant', () => {
  it.each(names)('in %s is reported by svc pay, now, on a rerun and with --quiet, and is a finding', async (name) => {
    const service = await servePayments({svcFee: '0.10'})
    service.alter = differences[name]
    const host = createHost(service)
    for (const flags of [[], [], ['--quiet']]) {
      const {code, err} = await pay(host, 'rent', '10', ...flags)
      expect(code).toBe(0)
      expect(err).toMatch(/^Warning: /m)
      expect(err).toMatch(reported[name])
    }
    expect(service.transactions).toHaveLength(1)
    const {code, findings} = await reconcile(host)
    expect(code).toBe(12)
    expect(findings).toMatchObject([{kind: 'DIFFERS', key: 'rent'}])
    expect(String(findings[0]?.['detail'])).toMatch(reported[name])
  })

  it.each(names)(
    'in %s is reported for a row that is adopted after a lost reply, and again on a rerun',
    async (name) => {
      const service = await servePayments({svcFee: '0.10'})
      service.alter = differences[name]
      service.script({reply: 'reset'})
      const host = createHost(service)
      for (let again = 0; again < 2; again += 1) {
        const {err} = await runPayouts(host, createRows(1))
        expect(err).toMatch(reported[name])
        expect(readResultFile(host)).toMatch(reported[name])
      }
      const [row] = readRows(await runPayouts(host, createRows(1), '--json'))
      expect(String(row?.['difference'])).toMatch(reported[name])
      expect(service.transactions).toHaveLength(1)
    },
  )

  it('in its customer is reported from the reply, since the list of the customer never shows it', async () => {
    const service = await servePayments()
    service.alter = customer
    const {err} = await pay(createHost(service), 'rent', '10')
    expect(err).toMatch(/^Warning: .*00000000-0000-4000-8000-0000000000ff/m)
  })
})

describe('a transaction that is the same in another spelling', () => {
  it.each([
    ['an amount as a number', amountAsNumber],
    [
      'trailing zeros and a label in lower case',
      (transaction: Record<string, unknown>) => ({
        ...transaction,
        source: {...(transaction['source'] as object), sourceAmount: '10.1000', sourceCurrency: {label: 'usdc'}},
      }),
    ],
    ['no fees at all', (transaction: Record<string, unknown>) => ({...transaction, fees: undefined})],
  ])('is not reported: %s', async (_, alter) => {
    const service = await servePayments()
    service.alter = alter
    const host = createHost(service)
    const {code, err} = await pay(host, 'rent', '10.1', '--quiet')
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(await reconcile(host)).toEqual({code: 0, findings: []})
  })
})
