// What a report adds up: amounts, fees, what is not paid, and a page on which every text is escaped.
import {describe, expect, it} from 'vitest'
import {createReport} from '../../src/books/report.ts'
import {renderReportPage} from '../../src/books/report-page.ts'
import {parseMonth} from '../../src/books/books.ts'
import {buildBooks, createPayment, createTransaction, customerId} from './build-books.ts'

const withAmount = (number: number, sourceAmount: string, account = 'wallet_1') => {
  const transaction = createTransaction(number)
  return {...transaction, source: {...(transaction['source'] as object), sourcePaymentAccountId: account, sourceAmount}}
}

describe('a report', () => {
  it('adds up amounts and fees by currency and by account, and counts what is not paid', async () => {
    const books = await buildBooks({
      payments: [1, 2, 3, 4].map((number) => createPayment(number)),
      transactions: [withAmount(1, '101'), withAmount(2, '301', 'wallet_2'), createTransaction(4, 'FAILED')],
      period: parseMonth('2026-11'),
    })
    const report = createReport(books)
    expect(report.rows).toMatchObject([
      {customerId, accountId: 'wallet_1', paid: '101.000000', received: '90.31', failed: 1, unknown: 1},
      {customerId, accountId: 'wallet_2', paid: '301.000000', received: '90.31', failed: 0},
    ])
    expect(report.totals).toEqual([
      {
        currency: 'USDC',
        payments: 2,
        paid: '402.000000',
        svcFee: '1.500000',
        developerFee: '0.500000',
        failed: 1,
        open: 0,
        unknown: 1,
      },
    ])
    expect(report.period).toEqual({since: '2026-11-01T00:00:00Z', until: '2026-12-01T00:00:00Z', zone: 'UTC'})
  })

  it('is a page on which no text of a service becomes an element', async () => {
    const text = '<script>alert(1)</script>"\u202E'
    const books = await buildBooks({
      payments: [createPayment(1, 'CREATED', {key: text}), createPayment(2, 'CREATED', {key: `${text}2`})],
      transactions: [withAmount(1, '101', text), createTransaction(2, 'FAILED')],
    })
    const page = renderReportPage(createReport(books), {title: text})
    expect(page).not.toContain('<script')
    expect(page).not.toContain('\u202E')
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page.match(/<style>/g)).toHaveLength(1)
    expect(page).toContain("default-src 'none'".replaceAll("'", '&#39;'))
    expect(page).toMatch(/@page \{\s+size: A4/)
    expect(page).toContain('prefers-color-scheme: dark')
  })
})
