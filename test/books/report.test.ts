// What a report adds up: fees, means that are weighted by amount, what is not paid, and a page on which every text is escaped.
import {describe, expect, it} from 'vitest'
import {comparePayees, createReport, describeChange} from '../../src/books/report.ts'
import {renderReportPage} from '../../src/books/report-page.ts'
import {parseMonth, precedePeriod} from '../../src/books/books.ts'
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

  it('compares a month with the one before, and adds up its weeks', async () => {
    const period = parseMonth('2026-11')
    const october = {...withRate(3, '201', '0.9'), updatedAt: '2026-10-31T23:59:59Z'}
    const books = await buildBooks({
      payments: [1, 2, 3, 4].map((number) => createPayment(number)),
      transactions: [
        withRate(1, '101', '0.8'),
        withRate(2, '301', '1'),
        october,
        // Two months before, so it is in neither.
        {...withRate(4, '999', '1'), updatedAt: '2026-09-30T23:59:59Z'},
      ],
      period,
      previous: precedePeriod(period),
    })
    const report = createReport(books)
    expect(report.weeks).toMatchObject([
      {week: '2026-10-26', currency: 'USDC', payments: 1, paid: '101.000000', feePercent: '0.9901'},
      {week: '2026-11-02', currency: 'USDC', payments: 1, paid: '301.000000'},
    ])
    expect(report.previous).toMatchObject({
      period: {since: '2026-10-01T00:00:00Z', until: '2026-11-01T00:00:00Z'},
      payments: 1,
      totals: [{currency: 'USDC', payments: 1, paid: '201.000000', feePercent: '0.4975'}],
    })
    expect(comparePayees(report)).toMatchObject([
      {accountId: 'bank_1', payments: 2, received: '180.62', before: '90.31'},
    ])
    const page = renderReportPage(report, {title: 'acme'}).replace(/\s+/g, ' ')
    expect(page).toContain('<h1>Payments, November 2026</h1>')
    expect(page).toContain('100 % more than in October 2026 (<span title="Exactly 201.000000 USDC">201.00 USDC</span>')
    expect(page).not.toContain('999')
  })

  it.each([
    ['112.5', '100', '12.5 % more'],
    ['99.999', '100', 'under 0.1 % less'],
    ['5', '5.00', 'the same'],
    ['5', undefined, 'new'],
    ['0', '5', '100 % less'],
  ])('says that %s after %s is %s', (now, before, words) => {
    expect(describeChange(now, before)).toBe(words)
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
    expect(page.match(/<svg/g)).toHaveLength(2)
  })

  it('is a page without payments, too', async () => {
    const page = renderReportPage(createReport(await buildBooks({payments: [], transactions: []})), {title: 'acme'})
    expect(page).toContain('<h1>All payments so far</h1>')
    expect(page).toContain('Every payment of this time was completed.')
  })
})
