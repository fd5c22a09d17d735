// The page of a report, on which every text is escaped. What it adds up is compared with the books in random-books.test.ts.
import {describe, expect, it} from 'vitest'
import {createReport} from '../../src/books/report.ts'
import {renderReportPage} from '../../src/books/report-page.ts'
import {buildBooks, createPayment, createTransaction} from './build-books.ts'

const withAmount = (number: number, sourceAmount: string, account = 'wallet_1') => {
  const transaction = createTransaction(number)
  return {...transaction, source: {...(transaction['source'] as object), sourcePaymentAccountId: account, sourceAmount}}
}

describe('a report', () => {
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
