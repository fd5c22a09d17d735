// Measures the start-up of the installed tarball, as ratios to bare Node in the same run, because machines are noisy.
import {execFileSync, spawn} from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {root} from '../surface.ts'
import {prepare, start} from './sandbox.ts'

// Fewer, for a quick look: BENCH_ROUNDS=5 npm run bench -- start-up
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 30)
const warmUps = 3
const customersPerPage = 20
const nameWidth = 34
const clockTickMs = 10

interface Target {
  name: string
  // The arguments of Node. A payment needs a new key each time.
  args: () => string[]
  env: NodeJS.ProcessEnv
  // What the time is a ratio of.
  baseline?: Target
  ratioMax?: number
}

interface Run {
  ms: number
  cpuMs: number
}

// Packs and installs the tarball, so that the shipped program is measured.
function install(folder: string): string {
  const env = {...process.env, npm_config_loglevel: 'error'}
  const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    env,
  })
  const tarball = path.join(folder, packed.toString().trim())
  execFileSync('npm', ['install', '--global', '--omit=optional', '--prefix', folder, tarball], {env, stdio: 'ignore'})
  return path.join(folder, 'lib/node_modules/svc/bin/run.js')
}

function serveCustomers(): Promise<http.Server> {
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
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

interface Services {
  bin: string
  folder: string
  customersUrl: string
  sandbox: {url: string; apiKey?: string}
  // The body of a quote, whose route the payments take.
  quote: string
}

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

function listTargets({bin, folder, customersUrl, sandbox, quote}: Services): Target[] {
  // NODE_EXTRA_CA_CERTS alone costs more than everything measured here.
  const {NODE_EXTRA_CA_CERTS: _, SVC_PROFILE: _profile, ...inherited} = process.env
  const apiKey = sandbox.apiKey ?? ''
  const env = {...inherited, HOME: folder, SVC_CONFIG_DIR: path.join(folder, 'config'), SVC_CACHE_DIR: folder}
  const overHttp = {...env, SVC_BASE_URL: customersUrl, SVC_API_KEY: 'bench'}
  const paying = {...env, SVC_BASE_URL: sandbox.url, SVC_API_KEY: apiKey, SVC_RESEND: 'always'}
  const bare: Target = {name: 'node -e 0', args: () => ['-e', '0'], env}
  const script = path.join(root, 'scripts/bench/bare-payment.mjs')
  const barePayment = {name: 'three requests by a script', args: () => [script, sandbox.url, apiKey, quote], env}
  const toTarget = (words: string, ratioMax: number, its: NodeJS.ProcessEnv = env): Target => ({
    name: `svc ${words}`,
    args: () => [bin, ...words.split(' ')],
    env: its,
    baseline: bare,
    ratioMax,
  })
  let payments = 0
  const key = Date.now()
  return [
    bare,
    toTarget('--version', 1.1),
    toTarget('--help', 1.2),
    toTarget('customers --help', 1.2),
    toTarget('pay --help', 1.2),
    toTarget('customers list --json', 2.3, overHttp),
    toTarget('customers list -p sandbox', 3),
    barePayment,
    {
      name: 'svc pay',
      args: () => [bin, 'pay', '--key', `${key}-${payments++}`, ...toPayFlags(quote)],
      env: paying,
      baseline: barePayment,
      ratioMax: 1.6,
    },
  ]
}

// The CPU time of all children that have ended, where the system tells it. Other work on the machine affects it less.
function readChildrenCpuMs(): number {
  if (!fs.existsSync('/proc/self/stat')) return Number.NaN
  const fields = fs.readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * clockTickMs
}

// The server runs in this process, so the wait for the child must not block it.
function runOnce({name, args, env}: Target): Promise<Run> {
  return new Promise((resolve, reject) => {
    const cpuBeforeMs = readChildrenCpuMs()
    const started = performance.now()
    const child = spawn(process.execPath, args(), {env, stdio: ['ignore', 'ignore', 'pipe']})
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.on('close', (code) => {
      if (code === 0) resolve({ms: performance.now() - started, cpuMs: readChildrenCpuMs() - cpuBeforeMs})
      else reject(new Error(`${name} ended with ${code}: ${said}`))
    })
  })
}

const pickQuantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

function describeRow({name, baseline, ratioMax}: Target, own: readonly Run[], base: readonly Run[]) {
  const ms = pickQuantile(
    own.map((run) => run.ms),
    0.5,
  )
  const timed = `${name.padEnd(nameWidth)}${ms.toFixed(1).padStart(7)} ms`
  if (!baseline) return {text: timed, isGood: true}
  const ratios = own.map((run, index) => run.ms / (base[index]?.ms ?? Number.NaN))
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => pickQuantile(ratios, share).toFixed(2))
  const cpu = sum(own.map((run) => run.cpuMs)) / sum(base.map((run) => run.cpuMs))
  const isGood = Number(middle) <= (ratioMax ?? Number.POSITIVE_INFINITY)
  const text = `${timed}  ${middle} (${low} to ${high})  CPU ${cpu.toFixed(2)}  at most ${ratioMax}`
  return {text, isGood}
}

async function measureAll(targets: readonly Target[]): Promise<Map<Target, Run[]>> {
  const runs = new Map<Target, Run[]>(targets.map((target) => [target, []]))
  for (let round = -warmUps; round < rounds; round++) {
    for (const target of targets) {
      const run = await runOnce(target)
      if (round >= 0) runs.get(target)?.push(run)
    }
  }
  return runs
}

export async function benchStartUp(): Promise<boolean> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-bench-'))
  const bin = install(folder)
  const server = await serveCustomers()
  const data = path.join(folder, 'service.sqlite')
  const quote = await prepare(data)
  const serving = ['sandbox', 'start', '--port', '0', '--data', data, '--json', '--quiet']
  const sandbox = await start([process.execPath, bin, ...serving])
  const customersUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const targets = listTargets({bin, folder, customersUrl, sandbox, quote})
    const runs = await measureAll(targets)
    process.stdout.write(
      `start-up, median of ${rounds} runs, as ratios to Node ${process.version} (and their middle half)\n`,
    )
    let good = true
    for (const target of targets) {
      const base = target.baseline && runs.get(target.baseline)
      const {text, isGood} = describeRow(target, runs.get(target) ?? [], base ?? [])
      process.stdout.write(`${text}\n`)
      good &&= isGood
    }
    return good
  } finally {
    sandbox.process.kill()
    server.close()
    fs.rmSync(folder, {recursive: true, force: true})
  }
}
