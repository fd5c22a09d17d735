// What is checked of a payout file before its first row: the limits of the profile, duplicates, keys that were used, and other addresses
// of the service. `svc payouts submit` makes the same checks (fleet.test.ts).
import {describe, expect, it} from 'vitest'
import {type PaymentService, servePayments} from '../../../support/scripted-service.ts'
import {freshHome, run} from '../../../support/svc.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'
import {
  addBankAccounts,
  bank,
  createRow,
  header,
  logIn,
  readResultRows,
  readStates,
  writePayroll,
} from '../../../support/payroll.ts'

useVirtualTime()

const other = 'e6086267-7e5a-4a91-b136-a94b38bbbfb9'

// A profile for a service, with these limits.
async function prepare(...limits: string[]) {
  const [home, service] = [freshHome(), await servePayments()]
  addBankAccounts(service, other)
  await logIn(home, service)
  const set = ['profiles', 'set', 'acme', '--duplicate-window', '3d', ...limits, '--quiet']
  expect(await run(home, set)).toMatchObject({code: 0})
  const pay = (rows: readonly string[], ...flags: string[]) =>
    run(home, ['payouts', 'run', writePayroll(home, rows), '-p', 'acme', '--yes', ...flags])
  return {home, service, pay}
}

const hasSent = (service: PaymentService) => service.requests.some(({method}) => method === 'POST')

describe('a file that does not fit the limits', () => {
  const rows = ['10', '20', '30', '5'].map((amount, index) => createRow(`r-${index + 1}`, {amount}))

  it('is not paid at all, by a dry run neither, and its lines are named; --up-to-cap pays what fits', async () => {
    const {home, service, pay} = await prepare('--day-max', 'USDC=45')
    for (const [flags, words] of [
      [[], 'so nothing was paid: '],
      [['--dry-run'], 'so nothing would be paid: '],
    ] as const) {
      const {code, out, err} = await pay(rows, ...flags)
      expect(code).toBe(10)
      expect(err).toContain(`1 of 4 rows does not fit the limits (line 4), ${words}`)
      expect(err).toContain('30 USDC is paid or pending today, with the rows above, and 30 USDC more would exceed')
      expect(out).toContain('STOPPED  line 4  r-3')
    }
    expect(readStates(home)).toEqual(['NOT_TRIED', 'NOT_TRIED', 'STOPPED', 'NOT_TRIED'])
    expect(readResultRows(home)[2]).toMatchObject({error: 'LIMIT_REACHED'})
    expect((await pay(rows, '--dry-run', '--up-to-cap')).code).toBe(9)
    expect(hasSent(service)).toBe(false)
    for (const _ of [1, 2]) {
      expect((await pay(rows, '--up-to-cap')).code).toBe(9)
      expect(readStates(home)).toEqual(['CREATED', 'CREATED', 'STOPPED', 'CREATED'])
      expect(service.transactions).toHaveLength(3)
    }
  })

  it('counts the days of the service', async () => {
    const {service, pay} = await prepare('--day-max', 'USDC=40')
    service.clock.advance(5 * 86_400_000)
    expect(await pay(rows.slice(0, 2))).toMatchObject({code: 0})
    expect(await pay(rows.slice(2, 3))).toMatchObject({code: 10})
    service.clock.advance(86_400_000)
    expect(await pay(rows.slice(2, 3))).toMatchObject({code: 0})
  })

  it('names rows over the payment cap, other currencies, other destinations and fees over max-fee', async () => {
    const {home, service} = await prepare('--payment-max', 'USDC=20', '--allow', bank)
    const lines = [
      `${header},developer-fee`,
      `${createRow('fits')},`,
      `${createRow('big', {amount: '20.01'})},`,
      `${createRow('elsewhere', {to: other})},`,
      `${createRow('currency').replace('USDC', 'EUR')},`,
      `${createRow('fee', {maxFee: '1%'})},0.03`,
    ]
    const input = `${lines.join('\n')}\n`
    const {code, out, err} = await run(home, ['payouts', 'run', '-', '-p', 'acme', '--yes'], {input})
    expect(code).toBe(10)
    expect(err).toContain('4 of 5 rows do not fit the limits (lines 3, 4, 5, 6)')
    expect(out).toContain('20.01 USDC is more than the 20 USDC')
    expect(out).toContain('is not among those that may be paid')
    expect(out).toContain('No payment in EUR is allowed')
    expect(out).toContain('The developer fee of 0.03 USDC alone is more than the 0.025 USDC that is allowed')
    expect(hasSent(service)).toBe(false)
  })
})

it('rows that may be duplicates of each other end with 10 before anything is sent, in a dry run too, unless they are allowed', async () => {
  const {home, service, pay} = await prepare()
  const rows = [
    createRow('a', {amount: '5'}),
    createRow('b', {amount: '5.00'}),
    createRow('c', {amount: '5', to: other}),
    createRow('d', {amount: '6'}),
  ]
  for (const flags of [[], ['--dry-run']]) {
    const {code, out, err} = await pay(rows, ...flags)
    expect(code).toBe(10)
    expect(err).toMatch(/1 of 4 rows may be a duplicate \(line 3\), so nothing (was|would be) paid: /)
    expect(err).toContain(`Line 2 (a) also pays 5.00 USDC to ${bank}. `)
    expect(out).toContain('STOPPED  line 3  b')
  }
  expect(hasSent(service)).toBe(false)
  expect(readResultRows(home)[1]).toMatchObject({state: 'STOPPED', error: 'POSSIBLE_DUPLICATE'})
  expect(await pay(rows, '--allow-duplicates')).toMatchObject({code: 0})
  // Rows that are made have no duplicates, so a rerun needs no flag; a payment of the journal is one.
  expect(await pay(rows)).toMatchObject({code: 0})
  const further = [createRow('e', {amount: '6'})]
  expect(await pay(further)).toMatchObject({code: 10})
  expect(service.transactions).toHaveLength(4)
  // What has ended badly has to be paid again.
  for (const each of service.transactions) each['transactionStatus'] = 'FAILED'
  expect(await pay(rows)).toMatchObject({code: 9})
  expect(await pay(further)).toMatchObject({code: 0})
})
