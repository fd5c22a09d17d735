// Rows for the time of one short command: the installed tarball against bare Node, and a payment against a script with the same
// requests.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import path from 'node:path'
import {root} from '../surface.ts'
import {type Bench, type Comparator, type Cost, type Row, takeTurns} from './row.ts'
import type {Route} from './payouts.ts'
import {runTimed} from './run-timed.ts'
import {createEnv, logIn, prepare, startSandbox} from './sandbox.ts'

const usualRounds = 30
const warmUps = 3
const customersPerPage = 20

const bareNode: Comparator = {
  name: 'node -e 0',
  leavesOut: 'everything: it is the time that Node takes to start and end',
}

// Packs and unpacks the tarball, so that the shipped program is measured. It has no dependencies but optional ones.
const shareInstalled = ({share, folder}: Bench) =>
  share('installed', async () => {
    const env = {...process.env, npm_config_loglevel: 'error'}
    const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
    const tarball = execFileSync('npm', pack, {cwd: root, env}).toString().trim()
    execFileSync('tar', ['-xzf', path.join(folder, tarball), '-C', folder])
    return {value: path.join(folder, 'package/bin/run.js')}
  })

const shareCustomers = ({share}: Bench) =>
  share('customers', async () => {
    const customers = Array.from({length: customersPerPage}, (_, index) => ({
      customerId: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      customerStatus: 'ACTIVE',
      customerType: 'INDIVIDUAL',
      name: `Customer ${index}`,
      email: `customer${index}@example.com`,
      updatedAt: '2026-11-01T12:00:00Z',
      organizationId: '11111111-1111-4111-8111-111111111111',
    }))
    const body = JSON.stringify({customers})
    const server = http.createServer((_, response) => response.setHeader('content-type', 'application/json').end(body))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const {port} = server.address() as AddressInfo
    return {value: `http://127.0.0.1:${port}`, close: () => void server.close()}
  })

// A command of svc against bare Node.
const createRow = (
  name: string,
  words: string,
  atMost: number,
  addEnv: (bench: Bench) => Promise<NodeJS.ProcessEnv> = async () => ({}),
): Row => ({
  name,
  title: `svc ${words}`,
  unit: 'ms',
  comparator: bareNode,
  bound: {atMost},
  measure: async (bench) => {
    const bin = await shareInstalled(bench)
    const env = {...createEnv(bench.folder), ...(await addEnv(bench))}
    const own = () => runTimed([process.execPath, bin, ...words.split(' ')], env)
    const base = () => runTimed([process.execPath, '-e', '0'], env)
    return await takeTurns(bench.countRounds(usualRounds), own, base, warmUps)
  },
})

function toPayFlags(quote: string): string[] {
  const {customerId, source, destination} = JSON.parse(quote) as Route
  const values = {
    customer: customerId,
    amount: source.sourceAmount,
    from: source.sourcePaymentAccountId,
    'from-currency': source.sourceCurrency,
    'from-method': source.sourcePaymentMethod,
    to: destination.destinationPaymentAccountId,
    'to-currency': destination.destinationCurrency,
    'to-method': destination.destinationPaymentMethod,
  }
  return [...Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]), '--yes', '--allow-duplicates']
}

const payRow: Row = {
  name: 'pay',
  title: 'svc pay, warm journal, over HTTP',
  unit: 'ms',
  comparator: {
    name: 'a script with the same three requests',
    leavesOut:
      'a journal with its durable writes, a search for duplicates, checks of requests and replies, flags and output',
  },
  bound: {atMost: 1.6},
  measure: async (bench) => {
    const bin = await shareInstalled(bench)
    const data = path.join(bench.folder, 'service.sqlite')
    // A customer with few transactions, whose list is one page: then svc sends the three requests of the script.
    const quote = await prepare(data, 0)
    const sandbox = await startSandbox(bin, data)
    const env = logIn(fs.mkdtempSync(path.join(bench.folder, 'pay-')), sandbox)
    const script = path.join(root, 'scripts/bench/bare-payment.mjs')
    // A payment needs a new key each time.
    let payments = 0
    const own = () =>
      runTimed([process.execPath, bin, 'pay', '--key', `bench-${payments++}`, ...toPayFlags(quote)], env)
    const base = () => runTimed([process.execPath, script, sandbox.url, sandbox.apiKey ?? '', quote], env)
    try {
      return await takeTurns(bench.countRounds(usualRounds), own, base, warmUps)
    } finally {
      sandbox.process.kill()
    }
  },
}

// The sandbox gives its history to so many customers in turn.
const customersWithHistory = 8
const historyShort = 100
const historyLong = 100_000

interface Payer {
  pay: (key: string) => Promise<Cost>
  close: () => void
}

// A payer and a customer with so many transactions.
async function startPayer(bench: Bench, bin: string, transactions: number): Promise<Payer> {
  const folder = fs.mkdtempSync(path.join(bench.folder, 'history-'))
  const data = path.join(folder, 'service.sqlite')
  const quote = await prepare(data, transactions * customersWithHistory)
  const sandbox = await startSandbox(bin, data)
  const env = logIn(folder, sandbox)
  const pay = (key: string) => runTimed([process.execPath, bin, 'pay', '--key', key, ...toPayFlags(quote)], env)
  return {pay, close: () => void sandbox.process.kill()}
}

// A payment reads the whole list of its customer.
const createHistoryRow = (name: string, title: string, isRerun: boolean): Row => ({
  name,
  title,
  unit: 'ms',
  comparator: {name: `the same with ${historyShort}`, leavesOut: 'nothing'},
  bound: {atMost: 1.5},
  measure: async (bench) => {
    const bin = await shareInstalled(bench)
    const payers = await bench.share('histories', async () => {
      const value = [await startPayer(bench, bin, historyLong), await startPayer(bench, bin, historyShort)] as const
      for (const {pay} of value) await pay('first')
      return {value, close: () => value.forEach(({close}) => close())}
    })
    let payments = 0
    const nameKey = () => (isRerun ? 'first' : `${name}-${payments++}`)
    const [long, short] = payers
    const own = () => long.pay(nameKey())
    return takeTurns(bench.countRounds(usualRounds), own, () => short.pay(nameKey()), warmUps)
  },
})

const historyRows: readonly Row[] = [
  createHistoryRow('pay-history', 'svc pay, a customer with 100,000 transactions', false),
  createHistoryRow('pay-history-again', 'the same payment again', true),
]

const overHttp = async (bench: Bench) => ({SVC_BASE_URL: await shareCustomers(bench), SVC_API_KEY: 'bench'})

export const startUpRows: readonly Row[] = [
  createRow('version', '--version', 1.1),
  createRow('help', '--help', 2.2),
  createRow('list-http', 'customers list --json', 2.3, overHttp),
  createRow('list-sandbox', 'customers list -p sandbox', 3),
  payRow,
  ...historyRows,
]
