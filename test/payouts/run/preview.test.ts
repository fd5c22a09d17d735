// What is unusual about the rows of a file: their names, and their amounts.
import {describe, expect, it} from 'vitest'
import {LastPayees} from '../../../src/payouts/run/last-payees.ts'
import {choosePreviewed, previewRows} from '../../../src/payouts/run/preview.ts'
import {toBaseResult} from '../../../src/payouts/run/result.ts'
import type {PayoutRow} from '../../../src/payouts/file/rows.ts'
import {freshHome} from '../../support/svc.ts'

const createRow = (line: number, amount: string, currency = 'USDC'): PayoutRow => ({
  line,
  key: `k-${line}`,
  content: {
    customerId: 'c',
    source: {sourcePaymentAccountId: 'w', sourceCurrency: currency, sourcePaymentMethod: 'BASE', sourceAmount: amount},
    destination: {
      destinationPaymentAccountId: `a-${line}`,
      destinationCurrency: 'USD',
      destinationPaymentMethod: 'ACH',
    },
  },
  limits: {},
  isGuaranteed: false,
})

const journal = {listPayees: async () => [], listPaidTo: async () => []}

async function listRemarks(rows: readonly PayoutRow[]) {
  const results = rows.map((row) => toBaseResult(row, 'READY'))
  const preview = await previewRows({serviceId: 's', journal}, rows, results)
  return preview.flatMap(({result, remarks}) => remarks.map((remark) => `${result.line}: ${remark}`))
}

describe('what is unusual', () => {
  it('is five times the median of the currency, and not of another one', async () => {
    const rows = [
      ...['10', '10.5', '11', '52.49', '54.99'].map((amount, index) => createRow(index + 2, amount)),
      ...['1000', '2000', '3000'].map((amount, index) => createRow(index + 20, amount, 'EUR')),
    ]
    expect(await listRemarks(rows)).toEqual([])
    expect(await listRemarks([...rows, createRow(9, '55'), createRow(30, '10000', 'EUR')])).toEqual([
      '9: 5 times the median of the file, 11 USDC',
      '30: 5 times the median of the file, 2000 EUR',
    ])
  })

  it('is a digit too many in a payroll, and no salary of a director or an intern', async () => {
    const salaries = ['650', '2100', '2280', '2640.50', '2818.50', '3050', '3400', '4100', '5200', '9800']
    const rows = salaries.map((amount, index) => createRow(index + 2, amount))
    expect(await listRemarks(rows)).toEqual([])
    expect(await listRemarks(rows.with(2, createRow(4, '22800')))).toEqual([
      '4: 7 times the median of the file, 3050 USDC',
    ])
  })

  it('is nothing among two amounts', async () => {
    expect(await listRemarks([createRow(2, '1'), createRow(3, '1000')])).toEqual([])
  })

  it('is shown whatever the length of the file, in its order', async () => {
    const rows = Array.from({length: 50}, (_, index) => createRow(index + 2, '10'))
    const results = rows.map((row) => toBaseResult(row, 'READY'))
    const paid = {
      ...journal,
      listPayees: async (_: string, ids: readonly string[]) => ids.map((destination) => ({destination, isPaid: true})),
    }
    const preview = await previewRows({serviceId: 's', journal: paid}, rows, results)
    const marked = preview.map((row, index) =>
      index === 40 ? {...row, remarks: ['odd']} : index === 45 ? {...row, isNew: true} : row,
    )
    const lines = choosePreviewed(marked, false).map(({result}) => result.line)
    expect(lines).toHaveLength(12)
    expect(lines).toEqual(expect.arrayContaining([42, 47]))
    expect(choosePreviewed(marked, true)).toHaveLength(50)
  })
})

describe('the payees of earlier files', () => {
  it('are known by their accounts and their names, however these are written', () => {
    process.env['SVC_STATE_DIR'] = freshHome().folder
    new LastPayees('service').save([{accountId: 'a', name: 'Zoë  Ångström'}])
    const last = new LastPayees('service')
    expect(last.hasOtherName({accountId: 'a', name: 'zoë ångström '})).toBe(false)
    expect(last.hasOtherName({accountId: 'a', name: 'Max Muster'})).toBe(true)
    expect(last.hasOtherName({accountId: 'b', name: 'Max Muster'})).toBe(false)
    expect(last.listOtherAccounts({accountId: 'b', name: 'ZOË ÅNGSTRÖM'})).toEqual(['a'])
    expect(last.listOtherAccounts({accountId: 'a', name: 'Zoë Ångström'})).toEqual([])
    expect(new LastPayees('another').listOtherAccounts({accountId: 'b', name: 'Zoë Ångström'})).toEqual([])
  })
})
