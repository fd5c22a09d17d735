// Payments in the seeded sandbox, from a funded wallet to an external one.
import fs from 'node:fs'
import {type RunResult, type Home, json, run, setUp} from './svc.ts'
import {seeded} from './transactions.ts'

export const inSandbox = ['-p', 'sandbox']

export const route = [
  ['--customer', seeded.customer],
  ['--from', seeded.wallet, '--from-currency', 'USDC', '--from-method', 'SOLANA'],
  ['--to', seeded.externalWallet, '--to-currency', 'USDC', '--to-method', 'SOLANA'],
].flat()

export const payment = (key: string, amount: string) => ['pay', ...route, '--amount', amount, '--key', key]

// The same as a file for `svc pay -f`.
export function writePlan(file: string, key: string, sourceAmount: string, more = {}): void {
  const source = {
    sourcePaymentAccountId: seeded.wallet,
    sourceCurrency: 'USDC',
    sourcePaymentMethod: 'SOLANA',
    sourceAmount,
  }
  const destination = {
    destinationPaymentAccountId: seeded.externalWallet,
    destinationCurrency: 'USDC',
    destinationPaymentMethod: 'SOLANA',
  }
  fs.writeFileSync(file, JSON.stringify({key, customerId: seeded.customer, source, destination, ...more}))
}

export const pay = (home: Home, key: string, amount: string, ...flags: string[]): Promise<RunResult> =>
  run(home, [...payment(key, amount), ...inSandbox, ...flags])

export async function listTransactions(home: Home): Promise<Array<Record<string, unknown>>> {
  const path = `/transactions?pageSize=100&customerId=${seeded.customer}`
  const {out} = await run(home, ['api', 'GET', path, ...inSandbox])
  return json(out)['transactions'] as Array<Record<string, unknown>>
}

export const addFault = (home: Home, kind: string, ...flags: string[]): Promise<RunResult> =>
  setUp(home, ['sandbox', 'faults', 'add', '--method', 'POST', '--path', '/transactions', '--kind', kind, ...flags])

const clearFaults = (home: Home): Promise<RunResult> => setUp(home, ['sandbox', 'faults', 'clear', '--quiet'])

// A payment whose outcome is unknown: every connection is reset before the service does anything.
export async function payWithUnknownOutcome(
  home: Home,
  key: string,
  amount: string,
  ...flags: string[]
): Promise<RunResult> {
  await addFault(home, 'reset', '--quiet')
  const ended = await pay(home, key, amount, '--timeout', '1900ms', ...flags)
  await clearFaults(home)
  return ended
}

export const readJournalEntry = async (home: Home, key: string): Promise<Record<string, unknown>> =>
  json((await run(home, ['journal', 'show', key, ...inSandbox, '--json'])).out)
