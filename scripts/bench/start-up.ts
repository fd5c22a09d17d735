// Rows for the time of one short command: the installed tarball against bare Node, and a payment against a script with the same
// requests.
import {execFileSync} from 'node:child_process'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import path from 'node:path'
import {root} from '../surface.ts'
import {type Bench, type Comparator, type Cost, type Row, takeTurns} from './row.ts'
import {runTimed, toCost} from './run-timed.ts'
import {prepare, start} from './sandbox.ts'

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

// NODE_EXTRA_CA_CERTS alone costs more than everything measured here.
export function createEnv(folder: string): NodeJS.ProcessEnv {
  const {NODE_EXTRA_CA_CERTS: _, SVC_PROFILE: _profile, ...inherited} = process.env
  return {...inherited, HOME: folder, SVC_CONFIG_DIR: path.join(folder, 'config'), SVC_CACHE_DIR: folder}
}

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

const run = async (command: readonly string[], env: NodeJS.ProcessEnv): Promise<Cost> =>
  toCost(await runTimed(command, {env}))

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
    const own = () => run([process.execPath, bin, ...words.split(' ')], env)
    const base = () => run([process.execPath, '-e', '0'], env)
    return {rounds: await takeTurns(bench.countRounds(usualRounds), own, base, warmUps)}
  },
})

interface Route {
  customerId: string
  source: {sourcePaymentAccountId: string; sourceCurrency: string; sourcePaymentMethod: string; sourceAmount: string}
  destination: {destinationPaymentAccountId: string; destinationCurrency: string; destinationPaymentMethod: string}
}

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
    const serving = ['sandbox', 'start', '--port', '0', '--data', data, '--json', '--quiet']
    const sandbox = await start([process.execPath, bin, ...serving])
    const {url, apiKey = ''} = sandbox
    const env = {...createEnv(bench.folder), SVC_BASE_URL: url, SVC_API_KEY: apiKey, SVC_RESEND: 'always'}
    const script = path.join(root, 'scripts/bench/bare-payment.mjs')
    // A payment needs a new key each time.
    let payments = 0
    const own = () => run([process.execPath, bin, 'pay', '--key', `bench-${payments++}`, ...toPayFlags(quote)], env)
    const base = () => run([process.execPath, script, url, apiKey, quote], env)
    try {
      return {rounds: await takeTurns(bench.countRounds(usualRounds), own, base, warmUps)}
    } finally {
      sandbox.process.kill()
    }
  },
}

// Other command lines, where they are installed, to compare with.
const createOtherRow = (program: string, words: string): Row => ({
  name: `${program}-${words.replaceAll(/\W+/g, '')}`,
  title: `${program} ${words}`,
  unit: 'ms',
  comparator: bareNode,
  measure: async (bench) => {
    const env = createEnv(bench.folder)
    let note = ''
    try {
      note =
        execFileSync(program, ['--version'], {env, stdio: ['ignore', 'pipe', 'ignore']})
          .toString()
          .split('\n')[0] ?? ''
    } catch {
      return bench.skip(`${program} is not installed`)
    }
    const own = () => run([program, ...words.split(' ')], env)
    const base = () => run([process.execPath, '-e', '0'], env)
    return {rounds: await takeTurns(bench.countRounds(usualRounds), own, base, warmUps), note}
  },
})

const overHttp = async (bench: Bench) => ({SVC_BASE_URL: await shareCustomers(bench), SVC_API_KEY: 'bench'})

export const startUpRows: readonly Row[] = [
  createRow('version', '--version', 1.1),
  createRow('help', '--help', 1.2),
  createRow('topic-help', 'customers --help', 1.2),
  createRow('pay-help', 'pay --help', 1.2),
  createRow('list-http', 'customers list --json', 2.3, overHttp),
  createRow('list-sandbox', 'customers list -p sandbox', 3),
  payRow,
  createOtherRow('gh', '--version'),
  createOtherRow('gh', '--help'),
  createOtherRow('stripe', '--version'),
  createOtherRow('stripe', '--help'),
]
