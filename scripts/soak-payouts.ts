// Kills `svc payouts run` on one file many times while the service fails in every way, then checks that every row was paid
// exactly once: node scripts/soak-payouts.ts --kills 1000 --seed 7
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {parse} from 'csv-parse/sync'
import {deriveCorrelationId} from '../src/payments/protocol/payment.ts'
import {openSandbox} from '../src/sandbox/sandbox.ts'
import {
  type PaidRow,
  type Route,
  bin,
  checkPayments,
  createRandom,
  faults,
  fundRoutes,
  isOpenState,
  listMadeIds,
  madeStates,
  pickAmount,
  pickSeed,
  print,
  readBalance,
  readRows,
  runSoak,
  startServer,
  stopServer,
} from './soak.ts'

const concurrency = 4
// How many rows there are at first, and are added when all are paid, so that there is always work to interrupt.
const rowsDefault = 100
const lastRunsMax = 40

// Most processes are killed while they pay, some earlier: while they start, read the file or look for earlier payments.
const atWorkShare = 0.8
const workMaxMs = 700
const lifeMaxMs = 2500

interface KillMoment {
  // Counted from the start of the process, or from the first row that it has paid.
  startMs?: number
  workMs?: number
}

const pickKillMoment = (random: () => number): KillMoment =>
  random() < atWorkShare ? {workMs: random() * workMaxMs} : {startMs: random() * lifeMaxMs}

interface KilledRun {
  code: number | null
  killed: boolean
  // Whether it had reported a row that it paid itself.
  atWork: boolean
  stderr: string
}

// Runs svc as a process of its own, and kills it (SIGKILL) at the given moment.
function runUntilKilled(env: NodeJS.ProcessEnv, args: readonly string[], moment: KillMoment = {}): Promise<KilledRun> {
  const child = spawn(process.execPath, [bin, ...args], {env, stdio: ['ignore', 'pipe', 'pipe']})
  const end = () => void child.kill('SIGKILL')
  // Nothing of it is left if this process ends first.
  process.once('exit', end)
  let [atWork, killed, tail, stderr] = [false, false, '', '']
  let timer: NodeJS.Timeout | undefined
  const killIn = (ms: number) => {
    timer ??= setTimeout(() => {
      killed = true
      end()
    }, ms)
  }
  if (moment.startMs !== undefined) killIn(moment.startMs)
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (tail + chunk.toString()).split('\n')
    tail = lines.pop() ?? ''
    atWork ||= lines.some((line) => line.includes('"CREATED"') && !line.includes('"madeBefore"'))
    if (atWork && moment.workMs !== undefined) killIn(moment.workMs)
  })
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      process.off('exit', end)
      resolve({code, killed: killed && code === null, atWork, stderr})
    })
  })
}

const customersPaid = 3
interface PayoutFile {
  file: string
  rows: PaidRow[]
  grow(count: number): void
}

function createPayoutFile(file: string, routes: readonly Route[], random: () => number): PayoutFile {
  fs.writeFileSync(file, 'key,customer,from,from-currency,from-method,to,to-currency,to-method,amount\n')
  const rows: PayoutFile['rows'] = []
  return {
    file,
    rows,
    grow(count) {
      for (let added = 0; added < count; added++) {
        const {customer, from, to, chain} = routes[rows.length % routes.length] as Route
        const [key, amount] = [`soak-${rows.length + 1}`, pickAmount(random)]
        rows.push({key, amount, from})
        fs.appendFileSync(file, `${key},${customer},${from},USDC,${chain},${to},USDC,${chain},${amount}\n`)
      }
    },
  }
}

const runFlags = ['--yes', '-o', 'jsonl', '--concurrency', String(concurrency), '--request-timeout', '5s']

async function runPayouts(env: NodeJS.ProcessEnv, file: string, moment?: KillMoment): Promise<KilledRun> {
  const ended = await runUntilKilled(env, ['payouts', 'run', file, ...runFlags], moment)
  if (ended.code !== 1 && ended.code !== 2) return ended
  throw new Error(`svc payouts run ended with ${ended.code}: ${ended.stderr}`)
}

// Codes with which a run says that nothing was made.
const nothingMadeCodes: ReadonlySet<number | null> = new Set([3, 4, 5, 6])
// Compares what a run that ended by itself said, in its result file and by its code, with the ledger of the service at that moment. A
// row that is UNKNOWN or IN_PROGRESS may be either.
function findUntrueWords(
  {data, payouts}: {data: string; payouts: string},
  serviceId: string,
  {code, stderr}: Pick<KilledRun, 'code' | 'stderr'>,
): string[] {
  const made = listMadeIds(data)
  const said: Array<Record<string, string>> = parse(fs.readFileSync(`${payouts}.result.csv`), {columns: true})
  const rows = said.map(({key = '', state = ''}) => ({
    key,
    state,
    isMade: made.has(deriveCorrelationId(serviceId, key)),
  }))
  const untrue = rows.filter(({state, isMade}) => !isOpenState(state) && madeStates.has(state) !== isMade)
  const words = untrue.map(
    ({key, state, isMade}) => `${key} is said to be ${state}, and was ${isMade ? '' : 'not '}made`,
  )
  const unmade = rows.filter(({isMade}) => !isMade)
  if (code === 0 && unmade.length > 0) words.push(`code 0, and ${unmade.length} rows were not made`)
  if (nothingMadeCodes.has(code) && unmade.length < rows.length)
    words.push(`code ${code}, and rows were made: ${stderr}`)
  return words
}

interface SoakOptions {
  kills: number
  // Decides when a process is killed, and what is paid.
  seed: number
  rows?: number
  report?: (text: string) => void
}

export async function soakPayouts(options: SoakOptions) {
  const {kills, seed, rows = rowsDefault, report = () => {}} = options
  const begun = performance.now()
  const random = createRandom(seed)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-soak-payouts-'))
  const files = {data: path.join(folder, 'sandbox.sqlite'), journal: path.join(folder, 'journal.sqlite')}
  const prepared = openSandbox({file: files.data})
  const routes = await fundRoutes(prepared, customersPaid)
  const before = new Map(routes.map(({from}) => [from, readBalance(prepared, from)]))
  for (const fault of faults) prepared.faults.add(fault)
  prepared.close()
  const server = await startServer(files.data)
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    SVC_CONFIG_DIR: path.join(folder, 'config'),
    SVC_JOURNAL: files.journal,
    SVC_BASE_URL: server.url,
    SVC_API_KEY: server.apiKey,
    // The sandbox honours keys. Several rows may pay the same amount to the same account.
    SVC_RESEND: 'yes',
    SVC_DUPLICATE_WINDOW: '0',
  }
  const payouts = createPayoutFile(path.join(folder, 'payouts.csv'), routes, random)
  payouts.grow(rows)
  const tally = {kills: 0, killsAtWork: 0, runs: 0}
  const untrue: string[] = []
  try {
    while (tally.kills < kills) {
      const ended = await runPayouts(env, payouts.file, pickKillMoment(random))
      const {code, killed, atWork} = ended
      tally.runs++
      if (!killed) untrue.push(...findUntrueWords({...files, payouts: payouts.file}, server.url, ended))
      if (killed) tally.kills++
      if (killed && atWork) tally.killsAtWork++
      if (code === 0) payouts.grow(rows)
      if (killed && tally.kills % 50 === 0) report(`${tally.kills} kills, ${payouts.rows.length} rows`)
    }
    const sandbox = openSandbox({file: files.data})
    sandbox.faults.clear()
    sandbox.close()
    // Open payments are settled and paid until nothing is left to do.
    let last: number | null = null
    for (let runs = 0; runs < lastRunsMax && last !== 0; runs++) {
      const ended = await runPayouts(env, payouts.file)
      untrue.push(...findUntrueWords({...files, payouts: payouts.file}, server.url, ended))
      last = ended.code
    }
    const journal = new Map(
      readRows(files.journal, 'select key, state, payment from payments').map((row) => {
        const {transactionId} = JSON.parse(String(row['payment'])) as {transactionId?: string}
        return [String(row['key']), {state: String(row['state']), transactionId}]
      }),
    )
    const {data} = files
    const result = await checkPayments({server, serviceId: server.url, data, before, rows: payouts.rows, journal})
    const counted = (what: string) =>
      Number(readRows(files.journal, `select count(*) as n from history where what = '${what}'`)[0]?.['n'])
    return {
      seed,
      ...tally,
      rows: payouts.rows.length,
      transactions: result.transactions,
      paid: `${result.paid.toFixed(2)} USDC`,
      adopted: counted('ADOPTED'),
      resent: counted('RESENDING'),
      seconds: Math.round((performance.now() - begun) / 1000),
      wrong: [...untrue, ...result.wrong, ...(last === 0 ? [] : [`the last run ended with ${String(last)}`])],
    }
  } finally {
    await stopServer(server)
    fs.rmSync(folder, {recursive: true, force: true})
  }
}

if (import.meta.main) {
  await runSoak({kills: 1000, seed: pickSeed()}, (numbers) => soakPayouts({...numbers, report: print}))
}
