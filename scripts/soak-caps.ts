// Many hosts against one cap: 50 processes of `svc pay` at a time, each with folders and a clock of its own, share a journal in
// PostgreSQL and a cap of the day for half of them. What was paid must never exceed it, and nothing that still fits may be stopped:
// node scripts/soak-caps.ts --hosts 50 --rounds 3 --seed 7
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {parseArgs} from 'node:util'
import {Big} from 'big.js'
import {Client} from 'pg'
import {deriveCorrelationId} from '../src/payments/protocol/payment.ts'
import {openSandbox} from '../src/sandbox/sandbox.ts'
import {PostgresServer} from '../test/support/postgres-server.ts'
import {type Route, createRandom, fundRoutes, listOwnTransactions, pickAmount, startServer} from './soak-payouts.ts'
import {root} from './surface.ts'

const bin = path.join(root, 'bin/run.js')
const clock = path.join(root, 'scripts/shift-clock.mjs')
const hourMs = 3_600_000
const clockSpreadHours = 8
const profile = 'soak'
const service = 'soak-service'
const [exitPaid, exitStopped] = [0, 10]

interface CapSoakOptions {
  hosts: number
  rounds: number
  seed: number
  report?: (text: string) => void
}

interface Payer {
  key: string
  amount: string
  env: NodeJS.ProcessEnv
}

interface RoundReport {
  cap: string
  paid: string
  made: number
  stopped: number
  seconds: number
  wrong: string[]
}

const runSvc = (env: NodeJS.ProcessEnv, args: readonly string[], input = '') =>
  new Promise<{code: number | null; err: string}>((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', clock, bin, ...args], {env, stdio: ['pipe', 'ignore', 'pipe']})
    let err = ''
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    child.on('error', reject)
    child.on('close', (code) => resolve({code, err}))
    child.stdin.end(input)
  })

async function runOrFail(env: NodeJS.ProcessEnv, args: readonly string[], input?: string): Promise<void> {
  const {code, err} = await runSvc(env, args, input)
  if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${code}: ${err}`)
}

async function query(address: string, sql: string): Promise<Array<Record<string, unknown>>> {
  const client = new Client({connectionString: address})
  await client.connect()
  try {
    return (await client.query(sql)).rows as Array<Record<string, unknown>>
  } finally {
    await client.end()
  }
}

// Every host has a copy of the same settings, in a folder of its own.
function createHost(folder: string, model: string, name: string, random: () => number): NodeJS.ProcessEnv {
  const home = path.join(folder, name)
  fs.cpSync(model, home, {recursive: true})
  return {
    PATH: process.env['PATH'],
    HOME: home,
    SVC_CONFIG_DIR: path.join(home, 'config'),
    SVC_PROFILE: profile,
    SVC_DUPLICATE_WINDOW: '0',
    SHIFT_CLOCK_MS: String(Math.round((random() - 0.5) * 2 * clockSpreadHours * hourMs)),
  }
}

const addUp = (amounts: readonly string[]) => amounts.reduce((sum, amount) => sum.plus(amount), new Big(0))

const getArgs = ({customer, from, to, chain}: Route, {key, amount}: Payer) => [
  'pay',
  `--customer=${customer}`,
  `--from=${from}`,
  '--from-currency=USDC',
  `--from-method=${chain}`,
  `--to=${to}`,
  '--to-currency=USDC',
  `--to-method=${chain}`,
  `--amount=${amount}`,
  `--key=${key}`,
  '--yes',
  '--quiet',
]

// Compares the exit codes, the journal and the service's list with the cap.
async function checkRound(
  payers: ReadonlyArray<Payer & {code: number | null; err: string}>,
  {cap, address, made}: {cap: Big; address: string; made: ReadonlyMap<unknown, readonly unknown[]>},
): Promise<Omit<RoundReport, 'seconds' | 'cap'>> {
  const states = new Map(
    (await query(address, 'select key, state from svc.payments')).map((row) => [row['key'], row['state']]),
  )
  const wrong: string[] = []
  const paid: string[] = []
  const stopped: string[] = []
  for (const {key, amount, code, err} of payers) {
    const count = made.get(deriveCorrelationId(service, key))?.length ?? 0
    if (code === exitPaid && states.get(key) === 'CREATED' && count === 1) paid.push(amount)
    else if (code === exitStopped && states.get(key) === 'STOPPED' && count === 0) stopped.push(amount)
    else wrong.push(`${key} ended with ${code}, is ${String(states.get(key))} and has ${count} transactions: ${err}`)
  }
  const total = addUp(paid)
  if (total.gt(cap)) wrong.push(`${total.toFixed(2)} was paid, but the cap is ${cap.toFixed(2)}`)
  for (const amount of stopped) {
    if (total.plus(amount).lte(cap)) wrong.push(`${amount} was stopped, although it fits`)
  }
  if (stopped.length === 0) wrong.push('the cap stopped nothing')
  return {paid: total.toFixed(2), made: paid.length, stopped: stopped.length, wrong}
}

export async function soakCaps({hosts, rounds, seed, report = () => {}}: CapSoakOptions) {
  const random = createRandom(seed)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-soak-caps-'))
  // The server runs as another user, who has to reach its own folder in this one.
  fs.chmodSync(folder, 0o755)
  const data = path.join(folder, 'sandbox.sqlite')
  const prepared = openSandbox({file: data})
  const [route] = await fundRoutes(prepared, 1)
  prepared.close()
  if (!route) throw new Error('the sandbox has no route')
  const settings = [`max_connections = ${hosts * 5 + 20}`]
  const postgres = new PostgresServer(path.join(folder, 'postgres'), {fsync: true, settings})
  await postgres.create()
  await postgres.start()
  const server = await startServer(data)
  const reports: RoundReport[] = []
  try {
    for (let round = 1; round <= rounds; round++) {
      const database = `round_${round}`
      await query(postgres.getAddress(), `create database ${database}`)
      const address = Object.assign(new URL(postgres.getAddress()), {pathname: `/${database}`}).href
      const amounts = Array.from({length: hosts}, () => pickAmount(random))
      const cap = addUp(amounts).div(2).round(2)
      const model = path.join(folder, `model-${round}`)
      fs.mkdirSync(model)
      const env: NodeJS.ProcessEnv = {
        ...createHost(folder, model, `prepared-${round}`, () => 0.5),
        SVC_JOURNAL: address,
      }
      await runOrFail(
        env,
        ['login', '-p', profile, '--base-url', server.url, '--sandbox', '--store', 'file'],
        server.apiKey,
      )
      const limits = ['--service', service, '--resend', 'always', '--day-max', `USDC=${cap.toFixed(2)}`]
      await runOrFail(env, ['profiles', 'set', profile, ...limits, '--quiet'])
      await runOrFail(env, ['journal', 'init', '--quiet'])
      const payers = amounts.map((amount, index): Payer => {
        const host = createHost(folder, env['HOME'] ?? '', `host-${round}-${index}`, random)
        return {key: `round-${round}-host-${index}`, amount, env: {...host, SVC_JOURNAL: address}}
      })
      const begun = performance.now()
      const ended = await Promise.all(
        payers.map(async (payer) => ({...payer, ...(await runSvc(payer.env, getArgs(route, payer)))})),
      )
      const seconds = Math.round((performance.now() - begun) / 1000)
      const made = Map.groupBy(await listOwnTransactions(server), ({correlationId}) => correlationId)
      reports.push({cap: cap.toFixed(2), seconds, ...(await checkRound(ended, {cap, address, made}))})
      report(`round ${round}: ${JSON.stringify(reports.at(-1))}`)
    }
    return {seed, hosts, rounds: reports, wrong: reports.flatMap(({wrong}) => wrong)}
  } finally {
    const stopped = once(server.process, 'exit')
    server.process.kill('SIGTERM')
    await stopped
    await postgres.stop()
    fs.rmSync(folder, {recursive: true, force: true})
  }
}

if (import.meta.main) {
  const {values} = parseArgs({
    options: {
      hosts: {type: 'string', default: '50'},
      rounds: {type: 'string', default: '5'},
      seed: {type: 'string'},
    },
  })
  const result = await soakCaps({
    hosts: Number(values.hosts),
    rounds: Number(values.rounds),
    seed: Number(values.seed ?? Date.now() % 1_000_000),
    report: (text) => process.stdout.write(`${text}\n`),
  })
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
  if (result.wrong.length > 0) process.exitCode = 1
}
