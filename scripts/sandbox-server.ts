// What benchmarks and soaks share: a sandbox with money in it, its server, and payout files.
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import type {Sandbox} from '../src/sandbox/sandbox.ts'
import {root} from './surface.ts'

export const bin = path.join(root, 'bin/run.js')
const walletFunds = '9000000'

export interface Server {
  url: string
  apiKey: string
  process: ChildProcess
}

// Starts a server that prints its address and key as JSON in its first line.
export function startServer([file = '', ...args]: readonly string[]): Promise<Server> {
  const child = spawn(file, args, {stdio: ['ignore', 'pipe', 'inherit']})
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const [line = '', ...rest] = text.split('\n')
      if (rest.length > 0) resolve({...(JSON.parse(line) as {url: string; apiKey: string}), process: child})
    })
    child.on('close', (code) => reject(new Error(`${file} ${args.join(' ')} ended with ${code}`)))
  })
}

export const sandboxCommand = (data: string, program = bin): string[] => {
  const args = ['sandbox', 'start', '--port', '0', '--data', data, '--json', '--quiet']
  return [process.execPath, program, ...args]
}

export async function stopServer({process: child}: Server): Promise<number | null> {
  const stopped = once(child, 'close')
  child.kill('SIGTERM')
  return ((await stopped) as [number | null])[0]
}

// A route is the body of a quote without an amount.
export interface Route {
  customerId: string
  source: {sourcePaymentAccountId: string; sourceCurrency: string; sourcePaymentMethod: string}
  destination: {destinationPaymentAccountId: string; destinationCurrency: string; destinationPaymentMethod: string}
}

export const toQuoteBody = ({source, ...rest}: Route, sourceAmount: string) => ({
  ...rest,
  source: {...source, sourceAmount},
})

interface Account {
  paymentAccountId: string
  svcCryptoWallet?: {address: {chain: string}}
  externalBankAccount?: {bankAccountPaymentMethod: string}
}

// Funds the wallets of some seeded customers, and returns routes from there to their bank accounts.
export async function fundRoutes(sandbox: Sandbox, wanted: number): Promise<Route[]> {
  const read = async <T>(at: string) => {
    const headers = {authorization: `Bearer ${sandbox.apiKey}`}
    return (await sandbox.fetch(new Request(`http://localhost${at}`, {headers}))).json() as T
  }
  const {customers} = await read<{customers: Array<Record<string, string>>}>('/customers?pageSize=100')
  const routes: Route[] = []
  for (const {customerId = '', customerStatus} of customers) {
    if (customerStatus !== 'ACTIVE' || routes.length === wanted) continue
    const at = `/payment-accounts?pageSize=100&customerId=${customerId}`
    const {paymentAccounts} = await read<{paymentAccounts: Account[]}>(at)
    const wallet = paymentAccounts.find(({svcCryptoWallet}) => svcCryptoWallet)
    const bank = paymentAccounts.find((one) => one.externalBankAccount?.bankAccountPaymentMethod === 'ACH')
    if (!wallet?.svcCryptoWallet || !bank) continue
    sandbox.money.fund(wallet.paymentAccountId, walletFunds, 'USDC')
    routes.push({
      customerId,
      source: {
        sourcePaymentAccountId: wallet.paymentAccountId,
        sourceCurrency: 'USDC',
        sourcePaymentMethod: wallet.svcCryptoWallet.address.chain,
      },
      destination: {
        destinationPaymentAccountId: bank.paymentAccountId,
        destinationCurrency: 'USD',
        destinationPaymentMethod: 'ACH',
      },
    })
  }
  return routes
}

// The same route as flags of `svc pay` and as columns of a payout file.
export const toPayFlags = ({customerId, source, destination}: Route): Record<string, string> => ({
  customer: customerId,
  from: source.sourcePaymentAccountId,
  'from-currency': source.sourceCurrency,
  'from-method': source.sourcePaymentMethod,
  to: destination.destinationPaymentAccountId,
  'to-currency': destination.destinationCurrency,
  'to-method': destination.destinationPaymentMethod,
})

export interface PayoutRow {
  key: string
  amount: string
  route: Route
}

export function writePayouts(file: string, rows: readonly PayoutRow[]): void {
  const records = rows.map(({key, amount, route}) => ({key, amount, ...toPayFlags(route)}))
  const lines = [Object.keys(records[0] ?? {}), ...records.map((record) => Object.values(record))]
  fs.writeFileSync(file, lines.map((line) => `${line.join(',')}\n`).join(''))
}
