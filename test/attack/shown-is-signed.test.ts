// What people see before they sign is what they sign: every change of meaning is shown, and nothing is left out unsaid.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Team, createTeam} from '../support/approvals.ts'
import {json, run} from '../support/svc.ts'
import {seeded} from '../support/transactions.ts'
import {bank, createRow, header, wallet, zoe} from '../commands/payouts/payroll.ts'

// Without the borders and the line breaks of the box.
const readBox = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('│'))
    .map((line) => line.replaceAll('│', '').trim())
    .join(' ')
    .replaceAll(/\s+/g, ' ')

const readChanges = (box: string) => /Changes (.*?) Approved /.exec(box)?.[1] ?? ''

async function approve(team: Team, file: string, content: string, ...flags: string[]): Promise<string> {
  fs.writeFileSync(path.join(team.folder, file), content)
  const {code, err} = await team.approve(team.alice, file, ...flags)
  expect([code, err]).toEqual([0, expect.stringContaining('Approved until')])
  return readBox(err)
}

const columns = [...header.split(','), 'developer-fee', 'developer-fee-type', 'min-rate', 'min-received', 'guarantee']
const row = {
  key: 'a-1',
  customer: zoe,
  from: wallet,
  'from-currency': 'USDC',
  'from-method': 'SOLANA',
  to: bank,
  'to-currency': 'USD',
  'to-method': 'ACH',
  amount: '2.50',
  'max-fee': '10%',
}
const toCsv = (...rows: Array<Record<string, string>>) =>
  `${[columns, ...rows.map((cells) => columns.map((column) => cells[column] ?? ''))].map((line) => line.join(',')).join('\n')}\n`
const toWallet = {to: seeded.externalWallet, 'to-currency': 'USDC', 'to-method': 'SOLANA'}

describe('a payout file that was approved before', () => {
  it.each<[what: string, change: Record<string, string>, shown: string]>([
    ['limit of the fee', {'max-fee': '90%'}, 'max fee 10% → 90%'],
    ['key', {key: 'a-2'}, 'key a-1 → a-2'],
    ['payee', toWallet, `to ${bank} → ${seeded.externalWallet}`],
    ['amount', {amount: '2.51'}, 'amount 2.50 USDC → 2.51 USDC'],
    ['fee', {'developer-fee': '1', 'developer-fee-type': 'USD'}, 'your fee none → 1.00 USD'],
    ['least rate', {'min-rate': '0.5', guarantee: 'no'}, 'min rate none → 0.5'],
    ['least amount', {'min-received': '2', guarantee: 'no'}, 'min received none → 2.00 USD'],
    ['guarantee', {guarantee: 'yes'}, 'guaranteed none → yes'],
  ])('shows another %s as a change', async (_, change, shown) => {
    const team = createTeam()
    await approve(team, 'payroll.csv', toCsv(row, {...row, key: 'b-1', amount: '7'}))
    const changes = readChanges(
      await approve(team, 'payroll.csv', toCsv({...row, ...change}, {...row, key: 'b-1', amount: '7'})),
    )
    expect(changes).not.toContain('none since')
    expect(changes).toContain(shown)
    expect(changes).not.toContain('b-1')
  })

  it('shows nothing as a change that means the same', async () => {
    const team = createTeam()
    await approve(team, 'payroll.csv', toCsv(row, {...row, key: 'b-1', amount: '7'}))
    const same = toCsv({...row, key: 'b-1', amount: '7.00'}, {...row, 'max-fee': '10.0%', amount: '2.5'})
    expect(readChanges(await approve(team, 'payroll.csv', same))).toMatch(/^none since payroll.csv/)
  })
})

describe('a payment that was approved before', () => {
  it.each<[what: string, change: object, shown: string]>([
    ['key', {key: 'rent-2'}, 'key rent-1 → rent-2'],
    ['limit of the fee', {maxFee: '90%'}, 'max fee 10% → 90%'],
    ['guarantee', {guaranteeQuote: true}, 'guaranteed none → yes'],
  ])('shows another %s as a change', async (_, change, shown) => {
    const team = createTeam()
    const plan = {
      customerId: zoe,
      source: {
        sourcePaymentAccountId: wallet,
        sourceCurrency: 'USDC',
        sourcePaymentMethod: 'SOLANA',
        sourceAmount: '2.50',
      },
      destination: {destinationPaymentAccountId: bank, destinationCurrency: 'USD', destinationPaymentMethod: 'ACH'},
      key: 'rent-1',
      maxFee: '10%',
    }
    await approve(team, 'rent.yaml', JSON.stringify(plan))
    expect(readChanges(await approve(team, 'rent.yaml', JSON.stringify({...plan, ...change})))).toContain(shown)
  })
})

describe('a name that the service has', () => {
  it('cannot pass for another field or another row', async () => {
    const team = createTeam()
    const add = ['sandbox', 'accounts', 'add', '--customer', zoe, '--type', 'EXTERNAL_BANK_ACCOUNT', '--method', 'ACH']
    const nickname = 'Rent; max fee 1% · a-1: amount 1.00 USDC'
    const to = String(
      json((await run(team.alice.home, [...add, '--nickname', nickname, '--json'])).out)['paymentAccountId'],
    )
    const box = await approve(team, 'payroll.csv', toCsv({...row, 'max-fee': '90%'}, {...row, key: 'b-1', to}))
    expect(box).toContain('Rent, max fee 1% , a-1: amount 1.00 USDC')
    expect(box).not.toContain('; max fee 1% ')
    expect(box.match(/· (a|b)-1: \w+/g)).toEqual(['· a-1: to', '· b-1: to'])
  })
})

describe('a file of rules', () => {
  const rule = {
    name: 'rent',
    customerId: zoe,
    transactionTemplate: {
      source: {sourcePaymentAccountId: wallet, sourcePaymentMethod: 'SOLANA', sourceCurrency: 'USDC'},
      destination: {destinationPaymentAccountId: bank, destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
      amount: {type: 'FLAT', value: '10'},
    },
    trigger: {type: 'TIME_BASED', cronSchedule: '0 9 1 * *'},
  }

  it('shows whom each pays and whether the payee is new, and every change', async () => {
    const team = createTeam()
    const box = await approve(team, 'rules.yaml', JSON.stringify({rules: [rule]}))
    expect(box).toMatch(/Payees 1, new: .* New payees Zoë Ångström, .*Prairie Mutual Bank \*\*\*\*2169/)
    for (const shown of [bank, wallet, 'Amount 10.00 USDC', '0 9 1 * *']) expect(box).toContain(shown)
    const fee = {developerFee: {developerFeeType: 'USD', developerFeeAmount: '3'}}
    const changed = {...rule, transactionTemplate: {...rule.transactionTemplate, ...fee}}
    const again = await approve(team, 'rules.yaml', JSON.stringify({rules: [changed]}))
    expect(readChanges(again)).toContain('rent: your fee none → 3.00 USD')
  })
})

describe('a long payout file', () => {
  // 20 rows of one currency and one smaller amount of another.
  const rows = Array.from({length: 20}, (_, index) => createRow(`row-${index + 1}`, {amount: `${100 + index}.00`}))
  const other = createRow('other-1', {amount: '3.00'}).replace('USDC,SOLANA', 'USDT,SOLANA')
  const content = `${[header, ...rows, other].join('\n')}\n`

  it('shows the largest rows of each currency, and says what is left out and how to see it', async () => {
    const box = await approve(createTeam(), 'payroll.csv', content)
    expect(box).toContain('3.00 USDT')
    expect(box).toContain('row-20')
    expect(box).not.toContain('row-1:')
    expect(box).toMatch(/Not shown 17 rows/)
    expect(box).toContain('--all')
  })

  it('is shown whole with --all', async () => {
    const box = await approve(createTeam(), 'payroll.csv', content, '--all')
    for (let index = 1; index <= 20; index++) expect(box).toContain(`row-${index}:`)
    expect(box).not.toContain('Not shown')
    expect(box).not.toContain('more')
  })

  it('says which row is unlike the others, however small it is', async () => {
    const unlike = content.replace(',3.00,50%', ',3.00,90%')
    expect(await approve(createTeam(), 'payroll.csv', unlike)).toContain('max fee 50% (20), 90% (other-1)')
  })

  it('counts every payee who is new, and shows all of them with --all', async () => {
    const team = createTeam()
    const accounts: string[] = []
    for (let index = 0; index < 10; index++) {
      const add = [
        'sandbox',
        'accounts',
        'add',
        '--customer',
        zoe,
        '--type',
        'EXTERNAL_BANK_ACCOUNT',
        '--method',
        'ACH',
      ]
      const {out} = await run(team.alice.home, [...add, '--json'])
      accounts.push(String(json(out)['paymentAccountId']))
    }
    const pays = `${[header, ...accounts.map((to, index) => createRow(`new-${index}`, {to}))].join('\n')}\n`
    const short = await approve(team, 'payroll.csv', pays)
    expect(short).toContain('Payees 10, new: this journal never paid any of them')
    expect(short).toContain('Not shown 5 rows, 2 new payees; --all shows everything')
    const whole = await approve(team, 'payroll.csv', pays, '--all')
    for (const account of accounts) expect(whole.split(account).length).toBeGreaterThan(2)
  })
})
