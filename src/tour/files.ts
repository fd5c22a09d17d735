// The files of the tour: a passport, a payment and a payroll, written into the folder of the tour.
import fs from 'node:fs'
import path from 'node:path'

const kilobyte = 1024

// Customers and accounts that every sandbox has.
export const mateo = 'mateo.q@example.com'
export const payer = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
const bankAccounts = {
  USD: {id: 'e6086267-7e5a-4a91-b136-a94b38bbbfb8', method: 'ACH'},
  EUR: {id: '861c3341-c5aa-48c7-a8e2-f2bb23581ca9', method: 'SEPA'},
  INR: {id: 'bbb1a057-24f2-4212-952a-5d3feb533db4', method: 'IN_NEFT_RTGS_IMPS'},
}

const passport = `documents:
  - type: GOVERNMENT_ID
    subtype: PASSPORT
    countryCode: AR
    documentIdNumber: AAC123456
    issuanceDate: 2023-05-06
    expirationDate: 2033-05-05
    frontIdImage: ./passport.pdf
`

const rent = `key: rent-2026-11
maxFee: 2%
customerId: ${payer}
source:
  sourcePaymentAccountId: ${wallet}
  sourceCurrency: USDC
  sourcePaymentMethod: SOLANA
  sourceAmount: "100.00"
destination:
  destinationPaymentAccountId: ${bankAccounts.USD.id}
  destinationCurrency: USD
  destinationPaymentMethod: ACH
`

const salaries = [
  ['nov-ana', 'USD', '150.00'],
  ['nov-max', 'EUR', '90.00'],
  ['nov-eva', 'INR', '30.00'],
] as const

const payroll = [
  'key,customer,from,from-currency,from-method,to,to-currency,to-method,amount',
  ...salaries.map(([key, currency, amount]) => {
    const {id, method} = bankAccounts[currency]
    return [key, payer, wallet, 'USDC', 'SOLANA', id, currency, method, amount].join(',')
  }),
  '',
].join('\n')

// The smallest document that the interface accepts has 100 KB. The image itself is blank.
const passportScan = `%PDF-1.4\n%${'.'.repeat(110 * kilobyte)}\n%%EOF\n`

export function writeTourFiles(folder: string): void {
  const files = {'passport.yaml': passport, 'passport.pdf': passportScan, 'rent.yaml': rent, 'payroll.csv': payroll}
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
}
