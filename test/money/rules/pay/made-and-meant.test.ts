// A service that makes another transaction than was meant: each difference is reported by pay, payouts run and reconcile.
import {expect, it} from 'vitest'
import {differences, servePayments} from '../../../support/scripted-service.ts'
import {
  createHost,
  createRows,
  pay,
  readResultFile,
  readRows,
  reconcile,
  runPayouts,
} from '../../../features/security/attack.ts'

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
const firstAmount = 20

it('a transaction that differs from what was meant is reported on every run of a payment and of a file, and is a finding', async () => {
  const service = await servePayments({svcFee: '0.10'})
  const host = createHost(service)
  const payAll = async (...flags: string[]) => {
    for (const name of names) {
      service.alter = differences[name]
      const {code, err} = await pay(host, name, '10', ...flags)
      expect([name, code, err]).toEqual([name, 0, expect.stringMatching(/^Warning: /m)])
      expect(err).toMatch(reported[name])
    }
  }
  await payAll()
  await payAll('--quiet')
  const {code, findings} = await reconcile(host)
  expect([code, findings.length]).toEqual([12, names.length])
  for (const {kind, key, detail} of findings) {
    expect(kind).toBe('DIFFERS')
    expect(detail).toMatch(reported[key as keyof typeof reported])
  }
  // Rows that are adopted after lost replies.
  const rows = names.flatMap((name, index) => createRows(1, {key: `row-${name}`, amount: String(firstAmount + index)}))
  service.alter = (transaction) => {
    const {sourceAmount} = transaction['source'] as {sourceAmount: string}
    return differences[names[Number(sourceAmount) - firstAmount] ?? 'rate'](transaction)
  }
  service.script({reply: 'reset', times: names.length})
  for (const _ of [1, 2]) {
    const {err} = await runPayouts(host, rows)
    const lines = readResultFile(host).split('\n')
    for (const [index, name] of names.entries()) {
      expect(err).toMatch(reported[name])
      expect(lines[index + 1]).toMatch(reported[name])
    }
  }
  const told = readRows(await runPayouts(host, rows, '--json'))
  for (const [index, name] of names.entries()) expect(String(told[index]?.['difference'])).toMatch(reported[name])
  expect(service.transactions).toHaveLength(2 * names.length)
})

it('a customer that differs is reported from the reply, since the list of the customer never shows it', async () => {
  const service = await servePayments()
  service.alter = customer
  const {err} = await pay(createHost(service), 'rent', '10')
  expect(err).toMatch(/^Warning: .*00000000-0000-4000-8000-0000000000ff/m)
})
