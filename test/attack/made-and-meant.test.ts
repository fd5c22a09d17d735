// A service that makes another transaction than was meant: each difference is reported by pay, payouts run and reconcile.
import {describe, expect, it} from 'vitest'
import {differences, servePayments} from '../support/scripted-service.ts'
import {createHost, createRows, pay, readResultFile, readRows, reconcile, runPayouts} from './attack.ts'

const {customer, ...visible} = differences

// What a report of each difference must contain: the value that was made.
const reported: Record<keyof typeof visible, RegExp> = {
  amount: /999\.01/,
  otherAmountAsNumber: /999\.01/,
  sourceCurrency: /USDT/,
  sourceMethod: /BASE/,
  destinationMethod: /POLYGON/,
  feeCurrency: /GBP/,
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
  it.each(names)('in %s is reported on every run of a payment and of a file, and is a finding', async (name) => {
    const service = await servePayments({svcFee: '0.10'})
    service.alter = differences[name]
    const host = createHost(service)
    for (const flags of [[], ['--quiet']]) {
      const {code, err} = await pay(host, 'rent', '10', ...flags)
      expect([code, err]).toEqual([0, expect.stringMatching(/^Warning: /m)])
      expect(err).toMatch(reported[name])
    }
    const {code, findings} = await reconcile(host)
    expect([code, findings]).toMatchObject([12, [{kind: 'DIFFERS', key: 'rent'}]])
    expect(String(findings[0]?.['detail'])).toMatch(reported[name])
    // A row that is adopted after a lost reply.
    service.script({reply: 'reset'})
    for (const _ of [1, 2]) {
      const {err} = await runPayouts(host, createRows(1))
      expect(err).toMatch(reported[name])
      expect(readResultFile(host)).toMatch(reported[name])
    }
    const [row] = readRows(await runPayouts(host, createRows(1), '--json'))
    expect(String(row?.['difference'])).toMatch(reported[name])
    expect(service.transactions).toHaveLength(2)
  })

  it('in its customer is reported from the reply, since the list of the customer never shows it', async () => {
    const service = await servePayments()
    service.alter = customer
    const {err} = await pay(createHost(service), 'rent', '10')
    expect(err).toMatch(/^Warning: .*00000000-0000-4000-8000-0000000000ff/m)
  })
})
