// Each format, with names and texts that its readers restrict: whatever a key, an id or a currency is, the file can be read.
import {describe, expect, it} from 'vitest'
import {isAccountName, nameAccount, nameCurrency} from '../../../src/books/postings.ts'
import {writeBeancount, writeHledger} from '../../../src/books/write-ledger.ts'
import {writeCsv, writeJsonLines} from '../../../src/books/write-rows.ts'
import {parseMonth} from '../../../src/books/books.ts'
import {transactionId} from '../../support/transactions.ts'
import {buildBooks, collectText, createPayment, createTransaction, customerId} from './build-books.ts'
import {findUnbalanced, readLedger} from './read-ledger.ts'

const options = {names: {}, isDeclaring: true}

const buildOne = () =>
  buildBooks({
    payments: [createPayment(1), createPayment(2)],
    transactions: [createTransaction(1), createTransaction(2, 'FAILED')],
    period: parseMonth('2026-11'),
  })

// Keys, ids, currencies and references that mean something in one of the formats.
const hostileTexts = [
  'salary; 2026, "Zoë" | net',
  '=1+1\n2026-11-04 * injected',
  String.raw`back\slash "quote"`,
  '</Ustrd><Ntry>&amp; ]]>',
  '\u202Eright to left\u0007',
  '(code) !  two spaces',
  'e6086267-7e5a',
  'ACCOUNT:with:colons and  spaces',
  '☃'.repeat(60),
]

const buildHostile = () =>
  buildBooks({
    payments: hostileTexts.map((text, index) => createPayment(index, 'CREATED', {key: `${text}${index}`})),
    transactions: hostileTexts.map((text, index) => {
      const {source, destination, ...rest} = createTransaction(index)
      return {
        ...rest,
        source: {...(source as object), sourcePaymentAccountId: text, sourceReferenceId: text},
        destination: {
          ...(destination as object),
          destinationPaymentAccountId: `to ${text}`,
          destinationCurrency: {label: index % 2 === 0 ? `t${index}/x` : 'EUR'},
        },
      }
    }),
  })

describe('hledger', () => {
  it('gets declarations, exact entries with tags, and comments on what is left out', async () => {
    expect(await collectText(writeHledger(await buildOne(), options))).toBe(
      `; Payments of svc that were completed from 2026-11-01, before 2026-12-01, UTC
; Days are those of UTC. Amounts are exact; what rounding took is posted to an account of its own.

decimal-mark .
commodity 1000.00 EUR
commodity 1000.000000 USDC
account Assets:Svc:A-wallet-1-c7e70cc9
account Expenses:Svc:A-bank-1-1c686793
account Expenses:Svc:DeveloperFee
account Expenses:Svc:Rounding
account Expenses:Svc:ServiceFee

2026-11-04 * pay-1
    ; key:pay-1
    ; transaction:${transactionId(1)}
    ; customer:${customerId}
    ; quote:quote_1
    ; completed:2026-11-04T09:30:00Z
    ; source-method:SOLANA
    ; source-reference:chain-1
    ; destination-method:SEPA
    Assets:Svc:A-wallet-1-c7e70cc9  -99.000000 USDC @ 0.9123 EUR
    Assets:Svc:A-wallet-1-c7e70cc9  -1.000000 USDC
    Expenses:Svc:ServiceFee  0.750000 USDC
    Expenses:Svc:DeveloperFee  0.250000 USDC
    Expenses:Svc:A-bank-1-1c686793  90.31 EUR
    Expenses:Svc:Rounding  0.0077 EUR

; Not posted:
; FAILED pay-2, transaction ${transactionId(2)}, 100.00 USDC, 2026-11-04T09:30:00Z: the money did not arrive
`,
    )
  })
})

it.each([
  ['hledger', writeHledger, 'salary%3B 2026%2C %22Zo%C3%AB%22 %7C net0'],
  ['beancount', writeBeancount, expect.stringContaining('salary; 2026') as string],
])('%s reads whatever texts there are', async (_, write, title) => {
  const text = await collectText(write(await buildHostile(), options))
  const entries = readLedger(text)
  expect(entries).toHaveLength(hostileTexts.length)
  expect(findUnbalanced(entries)).toEqual([])
  expect(entries[0]?.title).toEqual(title)
  // Each account is declared, and none without the flag.
  const accounts = new Set(entries.flatMap(({postings}) => postings.map(({account}) => account)))
  expect(new Set([...text.matchAll(/(?:^account|open) (\S+)$/gm)].map(([, name]) => name))).toEqual(accounts)
  const bare = await collectText(write(await buildHostile(), {...options, isDeclaring: false}))
  expect(bare).not.toMatch(/^(account|commodity)|\d (open|commodity) /m)
})

describe('names', () => {
  it('are valid in both programs and differ where the ids differ', () => {
    const ids = ['a b', 'a-b', 'a_b', 'A_b', 'é', '', 'x'.repeat(99), 'a:b']
    const accounts = ids.map((accountId) => nameAccount({kind: 'source', accountId} as never))
    expect(accounts.filter((name) => !isAccountName(name))).toEqual([])
    expect(new Set(accounts).size).toBe(ids.length)
    const labels = ['USD', 'X', 'USDC.E', 'USDC/E', 'ÜSD', '1INCH', 'A'.repeat(40), 'A'.repeat(41)]
    const currencies = labels.map(nameCurrency)
    expect(currencies.filter((name) => !/^[A-Z][A-Z0-9'._-]{0,22}[A-Z0-9]$/.test(name))).toEqual([])
    expect(new Set(currencies).size).toBe(labels.length)
    expect(currencies[0]).toBe('USD')
  })
})

describe('CSV and JSON lines', () => {
  it('have one row for each posting, with debits and credits that no spreadsheet takes for formulas', async () => {
    const text = await collectText(writeCsv(await buildOne(), {}))
    const rows = text.trim().split('\n')
    expect(rows[0]).toBe(
      'date,completedAt,transactionId,key,customerId,kind,account,debit,credit,currency,rate,rateCurrency,paymentAccountId,quoteId,referenceId,note,customer,payee,accountName',
    )
    expect(rows.slice(1).map((row) => row.split(',').slice(5, 12).join(','))).toEqual([
      'source,Assets:Svc:A-wallet-1-c7e70cc9,,99.000000,USDC,0.9123,EUR',
      'source,Assets:Svc:A-wallet-1-c7e70cc9,,1.000000,USDC,,',
      'serviceFee,Expenses:Svc:ServiceFee,0.750000,,USDC,,',
      'developerFee,Expenses:Svc:DeveloperFee,0.250000,,USDC,,',
      'destination,Expenses:Svc:A-bank-1-1c686793,90.31,,EUR,,',
      'rounding,Expenses:Svc:Rounding,0.0077,,EUR,,',
    ])
    const hostile = await collectText(writeCsv(await buildHostile(), {}))
    expect(hostile).toContain(",'=1+1 2026-11-04 * injected1,")
  })

  it('have one line for each payment, posted or not', async () => {
    const lines = (await collectText(writeJsonLines(await buildOne(), {}))).trim().split('\n')
    const source = {kind: 'source', amount: '-99.000000', currency: 'USDC', price: '0.9123', priceCurrency: 'EUR'}
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        posted: true,
        key: 'pay-1',
        date: '2026-11-04',
        postings: [source, {}, {}, {}, {paymentAccountId: 'bank_1'}, {}],
      },
      {posted: false, kind: 'FAILED', key: 'pay-2', amount: '100.00', currency: 'USDC'},
    ])
  })
})
