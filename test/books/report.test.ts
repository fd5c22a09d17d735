// What a report adds up: fees, means that are weighted by amount, what is not paid, and a page on which every text is escaped.
import {describe, expect, it} from 'vitest'
import {createReport} from '../../src/books/report.ts'
import {renderReportPage} from '../../src/books/report-page.ts'
import {parseMonth} from '../../src/books/books.ts'
import {buildBooks, createPayment, createTransaction, customerId} from './build-books.ts'

const withRate = (number: number, sourceAmount: string, exchangeRate: string, account = 'wallet_1') => {
  const {source, destination, ...rest} = createTransaction(number)
  return {
    ...rest,
    updatedAt: `2026-11-${String(number).padStart(2, '0')}T12:00:00Z`,
    source: {...(source as object), sourcePaymentAccountId: account, sourceAmount},
    destination: {...(destination as object), exchangeRate},
  }
}

describe('a report', () => {
  it('compares the rates of an account with the mean of all, weighted by amount', async () => {
    const books = await buildBooks({
      payments: [1, 2, 3, 4].map((number) => createPayment(number)),
      // 100 USDC at 0.8 and 300 USDC at 1, after fees of 1 USDC each, have a mean of 0.95.
      transactions: [withRate(1, '101', '0.8'), withRate(2, '301', '1', 'wallet_2'), createTransaction(4, 'FAILED')],
      period: parseMonth('2026-11'),
    })
    const report = createReport(books)
    expect(report.rates).toEqual([
      {
        currency: 'USDC',
        destinationCurrency: 'EUR',
        payments: 2,
        meanRate: '0.95',
        lowestRate: '0.8',
        highestRate: '1',
      },
    ])
    expect(report.rows).toMatchObject([
      {
        customerId,
        accountId: 'wallet_1',
        rate: '0.8',
        meanRate: '0.95',
        abovePercent: '-15.7895',
        failed: 1,
        unknown: 1,
      },
      {customerId, accountId: 'wallet_2', rate: '1', meanRate: '0.95', abovePercent: '5.2632', failed: 0},
    ])
    expect(report.totals).toEqual([
      {
        currency: 'USDC',
        payments: 2,
        paid: '402.000000',
        svcFee: '1.500000',
        developerFee: '0.500000',
        feePercent: '0.4975',
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
      transactions: [withRate(1, '101', '0.8', text), createTransaction(2, 'FAILED')],
    })
    const page = renderReportPage(createReport(books), {title: text})
    expect(page).not.toContain('<script')
    expect(page).not.toContain('\u202E')
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page.match(/<style>/g)).toHaveLength(1)
    expect(page).toContain("default-src 'none'".replaceAll("'", '&#39;'))
    expect(page).toMatch(/@page \{ size: A4/)
    expect(page).toContain('prefers-color-scheme: dark')
    expect(page.match(/<svg/g)).toHaveLength(3)
  })

  it('is a page without payments, too', async () => {
    const page = renderReportPage(createReport(await buildBooks({payments: [], transactions: []})), {title: 'acme'})
    expect(page.replace(/\s+/g, ' ')).toContain('All payments so far. Times are in UTC. 0 payments completed.')
  })
})
