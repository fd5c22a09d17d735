// What is unusual about the rows of a file, and which of them are shown.
import {describe, expect, it} from 'vitest'
import {chooseShown, findUnusual} from '../../../src/payouts/run/preview.ts'
import {toBaseResult} from '../../../src/payouts/run/result.ts'
import type {PayoutRow} from '../../../src/payouts/file/rows.ts'

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

const toReady = (rows: readonly PayoutRow[]) => rows.map((row) => toBaseResult(row, 'READY'))

const listRemarks = (rows: readonly PayoutRow[]) =>
  [...findUnusual(rows, toReady(rows))].flatMap(([key, remarks]) => remarks.map((remark) => `${key}: ${remark}`))

describe('what is unusual', () => {
  it('is five times the median of the currency, and not of another one', () => {
    const rows = [
      ...['10', '10.5', '11', '52.49', '54.99'].map((amount, index) => createRow(index + 2, amount)),
      ...['1000', '2000', '3000'].map((amount, index) => createRow(index + 20, amount, 'EUR')),
    ]
    expect(listRemarks(rows)).toEqual([])
    expect(listRemarks([...rows, createRow(9, '55'), createRow(30, '10000', 'EUR')])).toEqual([
      'k-9: 5 times the median of the file, 11 USDC',
      'k-30: 5 times the median of the file, 2000 EUR',
    ])
  })

  it('is a digit too many in a payroll, and no salary of a director or an intern', () => {
    const salaries = ['650', '2100', '2280', '2640.50', '2818.50', '3050', '3400', '4100', '5200', '9800']
    const rows = salaries.map((amount, index) => createRow(index + 2, amount))
    expect(listRemarks(rows)).toEqual([])
    expect(listRemarks(rows.with(2, createRow(4, '22800')))).toEqual(['k-4: 7 times the median of the file, 3050 USDC'])
  })

  it('is nothing among two amounts', () => {
    expect(listRemarks([createRow(2, '1'), createRow(3, '1000')])).toEqual([])
  })

  it('is shown whatever the length of the file, in its order', () => {
    const results = toReady(Array.from({length: 50}, (_, index) => createRow(index + 2, String(100 - index))))
    const marks = {newKeys: new Set(['k-47']), remarks: new Map([['k-42', ['odd']]])}
    const preview = {results, failures: [], names: undefined, isPriced: true, ...marks}
    const lines = chooseShown(preview, false).map(({line}) => line)
    expect(lines).toEqual([...Array.from({length: 28}, (_, index) => index + 2), 42, 47])
    expect(chooseShown(preview, true)).toHaveLength(50)
  })
})
