// Payout files for the tests: rows from the wallet of a seeded customer to its bank account.
import fs from 'node:fs'
import path from 'node:path'
import {parse} from 'csv-parse/sync'
import type {PaymentService} from './scripted-service.ts'
import type {Service} from './service.ts'
import {type Home, run, setUp} from './svc.ts'

export const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
export const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
export const bank = 'e6086267-7e5a-4a91-b136-a94b38bbbfb8'

// Lets a scripted service list the bank accounts to which rows are paid.
export function addBankAccounts({accounts}: PaymentService, ...ids: string[]): void {
  const externalBankAccount = {bankAccountCurrency: 'USD', bankAccountPaymentMethod: 'ACH'}
  const common = {customerId: zoe, paymentAccountType: 'EXTERNAL_BANK_ACCOUNT', paymentAccountStatus: 'ACTIVE'}
  accounts.push(...[bank, ...ids].map((paymentAccountId) => ({...common, paymentAccountId, externalBankAccount})))
}

export const header = 'key,customer,from,from-currency,from-method,to,to-currency,to-method,amount,max-fee'

// The fees of such small amounts are high, which is asked about if there is no limit.
export const createRow = (key: string, {amount = '2.50', to = bank, customer = zoe, maxFee = '50%'} = {}) =>
  `${key},${customer},${wallet},USDC,SOLANA,${to},USD,ACH,${amount},${maxFee}`

export function writePayroll(home: Home, rows: readonly string[], name = 'payroll.csv'): string {
  fs.writeFileSync(path.join(home.folder, name), `${[header, ...rows].join('\n')}\n`)
  return name
}

export const createRows = (prefix: string, count: number) =>
  Array.from({length: count}, (_, index) => createRow(`${prefix}-${index + 1}`))

export const readResult = (home: Home, name = 'payroll.csv.result.csv') =>
  fs.readFileSync(path.join(home.folder, name), 'utf8')

// The rows of a result file, by column.
export const readResultRows = (home: Home, name?: string): Array<Record<string, string>> =>
  parse(readResult(home, name), {columns: true})

export const readStates = (home: Home, name?: string) => readResultRows(home, name).map(({state}) => state)

interface Transaction {
  transactionId: string
  correlationId?: string
  transactionStatus: string
}

// The transactions that svc created in the sandbox, without the seeded ones.
export async function listCreated(home: Home): Promise<Transaction[]> {
  const {out} = await run(home, ['transactions', 'list', '--customer', zoe, '--all', '-o', 'jsonl', '-p', 'sandbox'])
  return out
    .split('\n')
    .filter((line) => line.includes('"svc_'))
    .map((line) => JSON.parse(line) as Transaction)
}

// Stores a live profile for a scripted service, and forgets the requests of the login.
export async function logIn(home: Home, {url, requests}: Service, name = 'acme'): Promise<void> {
  const {code, err} = await run(home, ['login', '-p', name, '--base-url', url, '--live', '--store', 'file'], {
    input: 'test-key',
  })
  if (code !== 0) throw new Error(err)
  requests.length = 0
}

export const addFault = (home: Home, ...flags: string[]) =>
  setUp(home, ['sandbox', 'faults', 'add', ...flags, '--quiet'])

// The rows of these files are alike, which is only asked about elsewhere.
export const inSandbox = ['-p', 'sandbox', '--allow-duplicates']

export const runPayouts = (home: Home, file: string, ...flags: string[]) =>
  run(home, ['payouts', 'run', file, ...inSandbox, ...flags])
