// Rows for the time of one short command: the installed tarball against bare Node, and a payment against a script with the same
// requests.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
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

// The sandbox gives its history to so many customers in turn.
const customersWithHistory = 8
const historyShort = 100
const historyLong = 100_000

interface Payer {
  pay: (key: string) => Promise<Cost>
  close: () => void
}

// A payer whose profile knows that lists are newest first, as a probe finds out, and a customer with so many transactions.
async function startPayer(bench: Bench, bin: string, transactions: number): Promise<Payer> {
  const folder = path.join(bench.folder, `history-${transactions}`)
  fs.mkdirSync(path.join(folder, 'config'), {recursive: true})
  const data = path.join(folder, 'service.sqlite')
  const quote = await prepare(data, transactions * customersWithHistory)
  const serving = ['sandbox', 'start', '--port', '0', '--data', data, '--json', '--quiet']
  const sandbox = await start([process.execPath, bin, ...serving])
  const {url, apiKey = ''} = sandbox
  const env = {...createEnv(folder), SVC_RESEND: 'always'}
  const login = ['login', '-p', 'bench', '--base-url', url, '--sandbox', '--quiet']
  execFileSync(process.execPath, [bin, ...login], {env, input: `${apiKey}\n`})
  const file = path.join(folder, 'config', 'config.json')
  const settings = JSON.parse(fs.readFileSync(file, 'utf8')) as {profiles: Record<string, object>}
  const knowledge = {probedAt: new Date().toISOString(), listOrder: 'newest-first'}
  Object.assign(settings.profiles['bench'] ?? {}, {knowledge})
  fs.writeFileSync(file, JSON.stringify(settings))
  const pay = (key: string) =>
    run([process.execPath, bin, 'pay', '-p', 'bench', '--key', key, ...toPayFlags(quote)], env)
  return {pay, close: () => void sandbox.process.kill()}
}

// The first payment reads the whole list; those after it only what is new.
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
    return {rounds: await takeTurns(bench.countRounds(usualRounds), own, () => short.pay(nameKey()), warmUps)}
  },
})

const historyRows: readonly Row[] = [
  createHistoryRow('pay-history', 'svc pay, a customer with 100,000 transactions', false),
  createHistoryRow('pay-history-again', 'the same payment again', true),
]

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

// The same commands of another built folder of svc, such as a worktree of an earlier commit: BENCH_BEFORE=../before.
const folderBefore = process.env['BENCH_BEFORE']

// What may be noise.
const noiseMax = 1.1

const createBeforeRow = (
  name: string,
  title: string,
  atMost: number,
  prepareRun: (
    bench: Bench,
  ) => Promise<{args: (isOwn: boolean) => string[]; env: NodeJS.ProcessEnv; close?: () => void}>,
): Row => ({
  name: `before-${name}`,
  title,
  unit: 'ms',
  comparator: {name: 'the svc in the folder BENCH_BEFORE', leavesOut: 'nothing'},
  bound: {atMost},
  measure: async (bench) => {
    if (folderBefore === undefined) return bench.skip('BENCH_BEFORE names no other folder of svc')
    const {args, env, close} = await prepareRun(bench)
    const runIn = (folder: string) =>
      run([process.execPath, path.join(folder, 'bin/run.js'), ...args(folder === root)], {
        ...createEnv(path.join(bench.folder, folder === root ? 'now' : 'then')),
        ...env,
      })
    try {
      const then = path.resolve(folderBefore)
      return {
        rounds: await takeTurns(
          bench.countRounds(usualRounds),
          () => runIn(root),
          () => runIn(then),
          warmUps,
        ),
      }
    } finally {
      close?.()
    }
  },
})

const createSimpleBeforeRow = (
  name: string,
  words: string,
  addEnv?: (bench: Bench) => Promise<NodeJS.ProcessEnv>,
): Row =>
  createBeforeRow(name, `svc ${words}`, noiseMax, async (bench) => ({
    args: () => words.split(' '),
    env: (await addEnv?.(bench)) ?? {},
  }))

const payBeforeRow = createBeforeRow('pay', 'svc pay, warm journal, over HTTP', noiseMax, async (bench) => {
  const data = path.join(bench.folder, 'service-before.sqlite')
  const quote = await prepare(data, 0)
  const serving = ['sandbox', 'start', '--port', '0', '--data', data, '--json', '--quiet']
  const sandbox = await start([process.execPath, path.join(root, 'bin/run.js'), ...serving])
  const {url, apiKey = ''} = sandbox
  let payments = 0
  return {
    args: (isOwn) => ['pay', '--key', `${isOwn ? 'now' : 'then'}-${payments++}`, ...toPayFlags(quote)],
    env: {SVC_BASE_URL: url, SVC_API_KEY: apiKey, SVC_RESEND: 'always'},
    close: () => void sandbox.process.kill(),
  }
})

// Lists were scanned byte by byte once, which took half of the time and much code.
const longBeforeRow = createBeforeRow('long-list', '30,000 rows as JSON lines, ready pages', 2, async () => {
  const server = await start([process.execPath, path.join(root, 'scripts/bench/page-service.ts'), '300'])
  return {
    args: () => ['transactions', 'list', '--all', '-o', 'jsonl'],
    env: {SVC_BASE_URL: server.url, SVC_API_KEY: 'bench'},
    close: () => void server.process.kill(),
  }
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
  ...historyRows,
  createSimpleBeforeRow('version', '--version'),
  createSimpleBeforeRow('help', '--help'),
  createSimpleBeforeRow('list-http', 'customers list --json', overHttp),
  createSimpleBeforeRow('list-sandbox', 'customers list -p sandbox'),
  payBeforeRow,
  longBeforeRow,
  createOtherRow('gh', '--version'),
  createOtherRow('gh', '--help'),
  createOtherRow('stripe', '--version'),
  createOtherRow('stripe', '--help'),
]
