// Kills `svc payouts run` on one file many times while the service fails in every way, then checks that every row was paid
// exactly once: node scripts/soak-payouts.ts --kills 1000 --seed 7
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {parse} from 'csv-parse/sync'
import {deriveCorrelationId} from '../src/payments/protocol/payment.ts'
import {createGenerator} from '../test/support/random.ts'
import {type PayoutRow, type Route, bin, writePayouts} from './sandbox-server.ts'
import {
  checkPayments,
  isOpenState,
  listMadeIds,
  madeStates,
  pickAmount,
  pickSeed,
  print,
  readRows,
  runSoak,
  startFailingService,
} from './soak.ts'

const customersPaid = 3
// How many rows there are at first, and are added when all are paid, so that there is always work to interrupt.
const rowsDefault = 100
const lastRunsMax = 40
const runFlags = ['--yes', '--quiet', '--concurrency', '4', '--request-timeout', '5s']

// Most processes are killed while they pay, some earlier: while they start, read the file or look for earlier payments.
const atWorkShare = 0.8
const workMaxMs = 700
const lookEveryMs = 20
const lifeMaxMs = 2500

interface KillMoment {
  // Counted from the start of the process, or from its first transaction.
  startMs?: number
  workMs?: number
}

const pickKillMoment = (random: () => number): KillMoment =>
  random() < atWorkShare ? {workMs: random() * workMaxMs} : {startMs: random() * lifeMaxMs}

interface KilledRun {
  code: number | null
  killed: boolean
  // Whether the service had made a transaction since it began.
  atWork: boolean
  stderr: string
}

// Pays the file in a process of its own, and kills it (SIGKILL) at the given moment.
function runPayouts(env: NodeJS.ProcessEnv, file: string, data: string, moment: KillMoment = {}): Promise<KilledRun> {
  const args = [bin, 'payouts', 'run', file, ...runFlags]
  const child = spawn(process.execPath, args, {env, stdio: ['ignore', 'ignore', 'pipe']})
  const end = () => void child.kill('SIGKILL')
  // Nothing of it is left if this process ends first.
  process.once('exit', end)
  let [atWork, killed, stderr] = [false, false, '']
  let timer: NodeJS.Timeout | undefined
  const killIn = (ms: number) => {
    timer ??= setTimeout(() => {
      killed = true
      end()
    }, ms)
  }
  if (moment.startMs !== undefined) killIn(moment.startMs)
  const madeBefore = listMadeIds(data).size
  const looking = setInterval(() => {
    atWork ||= listMadeIds(data).size > madeBefore
    if (atWork && moment.workMs !== undefined) killIn(moment.workMs)
  }, lookEveryMs)
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      clearInterval(looking)
      process.off('exit', end)
      if (code === 1 || code === 2) reject(new Error(`svc payouts run ended with ${code}: ${stderr}`))
      else resolve({code, killed: killed && code === null, atWork, stderr})
    })
  })
}

// Codes with which a run says that nothing was made.
const nothingMadeCodes: ReadonlySet<number | null> = new Set([3, 4, 5, 6])

// Compares what a run that ended by itself said, in its result file and by its code, with the ledger of the service at that moment. A
// row that is UNKNOWN or IN_PROGRESS may be either.
function findUntrueWords(data: string, file: string, serviceId: string, {code, stderr}: KilledRun): string[] {
  const made = listMadeIds(data)
  const said: Array<Record<string, string>> = parse(fs.readFileSync(`${file}.result.csv`), {columns: true})
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

export async function soakPayouts({kills, seed, rows: rowCount = rowsDefault, report = () => {}}: SoakOptions) {
  const random = createGenerator(seed)
  const service = await startFailingService('payouts', customersPaid)
  const {folder, data, server, routes, control} = service
  const file = path.join(folder, 'payouts.csv')
  const journalFile = path.join(folder, 'journal.sqlite')
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    SVC_CONFIG_DIR: path.join(folder, 'config'),
    SVC_JOURNAL: journalFile,
    SVC_BASE_URL: server.url,
    SVC_API_KEY: server.apiKey,
    // The sandbox honours keys. Several rows may pay the same amount to the same account.
    SVC_RESEND: 'yes',
    SVC_DUPLICATE_WINDOW: '0',
  }
  const rows: PayoutRow[] = []
  const addRows = () => {
    for (let added = 0; added < rowCount; added++) {
      const route = routes[rows.length % routes.length] as Route
      rows.push({key: `soak-${rows.length + 1}`, amount: pickAmount(random), route})
    }
    writePayouts(file, rows)
  }
  const tally = {kills: 0, killsAtWork: 0, runs: 0}
  const untrue: string[] = []
  const run = async (moment?: KillMoment) => {
    const ended = await runPayouts(env, file, data, moment)
    if (!ended.killed) untrue.push(...findUntrueWords(data, file, server.url, ended))
    return ended
  }
  try {
    addRows()
    while (tally.kills < kills) {
      const {code, killed, atWork} = await run(pickKillMoment(random))
      tally.runs++
      if (killed) tally.kills++
      if (killed && atWork) tally.killsAtWork++
      if (code === 0) addRows()
      if (killed && tally.kills % 50 === 0) report(`${tally.kills} kills, ${rows.length} rows`)
    }
    control((sandbox) => sandbox.faults.clear())
    // Open payments are settled and paid until nothing is left to do.
    let last: number | null = null
    for (let runs = 0; runs < lastRunsMax && last !== 0; runs++) last = (await run()).code
    const journal = new Map(
      readRows(journalFile, 'select key, state, payment from payments').map((row) => {
        const {transactionId} = JSON.parse(String(row['payment'])) as {transactionId?: string}
        return [String(row['key']), {state: String(row['state']), transactionId}]
      }),
    )
    const result = await checkPayments(service, server.url, rows, {journal})
    const count = (what: string) =>
      Number(readRows(journalFile, `select count(*) as n from history where what = '${what}'`)[0]?.['n'])
    return {
      seed,
      ...tally,
      rows: rows.length,
      transactions: result.transactions,
      paid: `${result.paid.toFixed(2)} USDC`,
      adopted: count('ADOPTED'),
      resent: count('RESENDING'),
      wrong: [...untrue, ...result.wrong, ...(last === 0 ? [] : [`the last run ended with ${String(last)}`])],
    }
  } finally {
    await service.close()
  }
}

if (import.meta.main) {
  await runSoak({kills: 1000, seed: pickSeed()}, (numbers) => soakPayouts({...numbers, report: print}))
}
