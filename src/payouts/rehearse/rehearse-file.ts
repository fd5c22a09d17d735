// Rehearses a payout file: pays it in a sandbox of its own, by real processes that are killed, with faults and jumps of the clock,
// round after round, and checks after each round that every row was paid exactly once.
import {isRecord} from '../../values/records.ts'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {Big} from 'big.js'
import {SvcError, badUsage} from '../../errors.ts'
import {openJournal} from '../../payments/journal/open-journal.ts'
import {type PaymentContent, deriveCorrelationId, getLastAttempt} from '../../payments/protocol/payment.ts'
import type {Profile} from '../../profiles/profiles.ts'
import {type Sandbox, createSandbox, serveSandbox} from '../../transport.ts'
import {minuteMs} from '../../values/time.ts'
import type {PayoutRow} from '../file/rows.ts'
import {type KillMoment, type KilledRun, type RunProgram, pickKillMoment, runUntilKilled} from './run-until-killed.ts'

const jumpShare = 0.25
const jumpMaxMs = 10 * minuteMs
// Longer than an unknown payment needs to be proved absent, in a few steps.
const settleJumpMs = 7 * minuteMs
const lastRunsMax = 20
const jumpEveryMs = 2_000
const waitJumpMs = 4 * minuteMs
// A round without a kill is over too quickly to be hit, so that the next process is killed while it starts.
const startMaxMs = 400

type FaultPlan = 'realistic' | 'none'

export interface RehearsalSettings {
  rows: readonly PayoutRow[]
  file: string
  // What is paid instead of the file, if its ids and routes are not whole.
  text?: string | undefined
  // The program and its first arguments that start svc.
  command: readonly [string, ...string[]]
  kills: number
  seed: number
  faults: FaultPlan
  concurrency: number
  // What a profile may write and what is known about its service. Never its credential or its address.
  like: Pick<Profile, 'limits' | 'resend' | 'duplicateWindow'>
  // How the service behaves, by what is known about it.
  behaviours: Parameters<Sandbox['faults']['setBehaviours']>[0]
  onProgress: (progress: RehearsalProgress) => void
}

export interface RehearsalProgress {
  kills: number
  round: number
  runs: number
}

export interface RehearsalReport {
  seed: number
  rows: number
  rounds: number
  kills: number
  // How many of these hit a process that had paid at least one row.
  killsAtWork: number
  runs: number
  clockJumps: number
  standIns: {customers: number; accounts: number}
  // In the last round.
  paid: number
  unpaid: UnpaidRow[]
  wrong: string[]
  seconds: number
}

const toRoute = ({content: {customerId, source, destination}}: PayoutRow) => ({
  customerId,
  source: {
    accountId: source.sourcePaymentAccountId,
    currency: source.sourceCurrency,
    method: source.sourcePaymentMethod,
  },
  destination: {
    accountId: destination.destinationPaymentAccountId,
    currency: destination.destinationCurrency,
    method: destination.destinationPaymentMethod,
  },
})

// Only what is needed: no variable of svc, and no secret.
const keptVariables = ['PATH', 'TMPDIR', 'LANG', 'SVC_CACHE_DIR']

interface Round {
  program: RunProgram
  journalFile: string
  serviceId: string
  args: string[]
}

// Each round has a journal and a service id of its own, so that the same keys are new payments.
function prepareRound(
  folder: string,
  number: number,
  server: {url: string; apiKey: string},
  settings: RehearsalSettings,
) {
  const home = path.join(folder, `round-${number}`)
  const config = path.join(home, 'config')
  fs.mkdirSync(config, {recursive: true, mode: 0o700})
  const keyFile = path.join(home, 'key')
  fs.writeFileSync(keyFile, server.apiKey, {mode: 0o600})
  const serviceId = `rehearsal-${number}`
  const profile: Profile = {
    baseUrl: server.url,
    environment: 'sandbox',
    service: {id: serviceId, isStated: true},
    credential: {kind: 'COMMAND', command: `cat '${keyFile}'`},
    ...settings.like,
  }
  const stored = {schemaVersion: 1, current: 'rehearsal', profiles: {rehearsal: profile}}
  fs.writeFileSync(path.join(config, 'config.json'), JSON.stringify(stored), {mode: 0o600})
  const journalFile = path.join(home, 'journal.sqlite')
  const kept = Object.fromEntries(keptVariables.map((name) => [name, process.env[name]]))
  const env = {...kept, HOME: home, SVC_CONFIG_DIR: config, SVC_JOURNAL: journalFile}
  const result = path.join(home, 'result.csv')
  const flags = ['--yes', '--no-names', '-o', 'jsonl', '--request-timeout', '5s', '--result', result, '--timeout', '8s']
  const args = [
    'payouts',
    'run',
    settings.file,
    '-p',
    'rehearsal',
    ...flags,
    '--concurrency',
    String(settings.concurrency),
  ]
  return {program: {command: settings.command, env}, journalFile, serviceId, args} satisfies Round
}

const refusedCodes: ReadonlySet<number | null> = new Set([1, 2, 4])

// A run that cannot begin says why, in its own words.
function rejectRefusedFile({code, stderr}: KilledRun): void {
  if (!refusedCodes.has(code)) return
  const said = stderr.trim().split('\n').at(-1)?.slice(0, 500) ?? ''
  const error: unknown = said.startsWith('{') ? JSON.parse(said) : {}
  const message = isRecord(error) && typeof error['message'] === 'string' ? error['message'] : said
  throw new SvcError({
    error: 'NOT_REHEARSED',
    kind: 'usage',
    message: `The file cannot be paid, so nothing was rehearsed: ${message.replace(/^svc: /, '').replace(/\.$/, '')}`,
    hint: '`svc payouts run FILE --dry-run` checks it',
  })
}

function writeFile(folder: string, text: string): string {
  const file = path.join(folder, 'payouts.jsonl')
  fs.writeFileSync(file, text, {mode: 0o600})
  return file
}

export async function rehearseFile(settings: RehearsalSettings): Promise<RehearsalReport> {
  const {rows, kills, seed, faults, behaviours, onProgress} = settings
  const startedMs = performance.now()
  const random = createRandom(seed)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-rehearse-'))
  const remove = () => fs.rmSync(folder, {recursive: true, force: true})
  process.once('exit', remove)
  const file = settings.text === undefined ? settings.file : writeFile(folder, settings.text)
  const data = path.join(folder, 'sandbox.sqlite')
  const sandbox = await createSandbox({file: data, seed: `rehearse-${seed}`, frozenAt: new Date()})
  sandbox.clock.run()
  const addFaults = () => {
    if (faults === 'realistic') for (const fault of realisticFaults) sandbox.faults.add(fault)
  }
  const server = await serveSandbox({port: 0, file: data, notice: () => {}})
  const tally = {kills: 0, killsAtWork: 0, runs: 0, clockJumps: 0, rounds: 0}
  const wrong: string[] = []
  let [paid, unpaid]: [number, UnpaidRow[]] = [0, []]
  const jump = (ms: number) => {
    sandbox.clock.advance(Math.ceil(ms))
    tally.clockJumps++
  }
  try {
    const standIns = addStandIns(sandbox, rows)
    sandbox.faults.setBehaviours(behaviours)
    let hasMissed = false
    while ((tally.kills < kills || tally.rounds === 0) && wrong.length === 0) {
      const round = prepareRound(folder, ++tally.rounds, server, {...settings, file})
      const killsBefore = tally.kills
      addFaults()
      let isOver = false
      while (!isOver && tally.kills < kills) {
        if (random() < jumpShare) jump(random() * jumpMaxMs)
        const moment = hasMissed ? {startMs: random() * startMaxMs} : pickKillMoment(random)
        const ended = await runWithJumps(round, jump, moment)
        tally.runs++
        if (ended.killed) tally.kills++
        if (ended.killed && ended.atWork) tally.killsAtWork++
        if (!ended.killed) rejectRefusedFile(ended)
        isOver = !ended.killed && ended.code !== 6 && ended.code !== 7 && ended.code !== 8
        onProgress({kills: tally.kills, round: tally.rounds, runs: tally.runs})
      }
      hasMissed = tally.kills === killsBefore
      sandbox.faults.clear()
      await settleRound(round, jump, () => tally.runs++)
      const found = await verifyRound({rows, sandbox, ...round})
      ;({paid, unpaid} = found)
      wrong.push(...found.wrong.map((problem) => `round ${tally.rounds}: ${problem}`))
    }
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    return {seed, rows: rows.length, ...tally, standIns, paid, unpaid, wrong, seconds}
  } finally {
    await server.stop()
    sandbox.close()
    process.off('exit', remove)
    remove()
  }
}

function addStandIns(sandbox: Sandbox, rows: readonly PayoutRow[]) {
  try {
    return sandbox.money.standIn(rows.map(toRoute))
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw badUsage(
      `The sandbox cannot stand in for the accounts of this file: ${error.message}`,
      'Nothing was rehearsed',
    )
  }
}

// A payment that is unknown is waited for, so the clock jumps while the process runs.
async function runWithJumps(round: Round, jump: (ms: number) => void, moment: KillMoment = {}): Promise<KilledRun> {
  const timer = setInterval(() => jump(waitJumpMs), jumpEveryMs)
  try {
    return await runUntilKilled(round.program, round.args, moment)
  } finally {
    clearInterval(timer)
  }
}

// Without faults and kills, what is open is settled and paid. The clock jumps, so that nothing has to be waited for.
async function settleRound(round: Round, jump: (ms: number) => void, onRun: () => void): Promise<void> {
  let last: number | null = null
  for (let runs = 0; runs < lastRunsMax; runs++) {
    const {code} = await runWithJumps(round, jump)
    onRun()
    // The same end twice, with time in between, does not change any more.
    if (code === 0 || (code === last && code !== 7 && code !== 8)) return
    last = code
    jump(settleJumpMs)
  }
}

// A seeded random number generator (mulberry32), which returns numbers from 0 to 1.
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

// Faults of a service on a bad day: every kind that is shorter than a run. Slow ones are rare.
export const realisticFaults = [
  {method: 'POST', path: '/transactions', kind: 'lose', probability: 0.06},
  {method: 'POST', path: '/transactions', kind: 'truncate', probability: 0.04},
  {method: 'POST', path: '/transactions', kind: 'garbage', probability: 0.04},
  {method: 'POST', path: '/transactions', kind: 'reset', probability: 0.04},
  {method: 'POST', path: '/transactions', kind: 'html', probability: 0.03},
  {method: 'POST', path: '/transactions', kind: 'status', status: 503, probability: 0.03},
  {method: 'POST', path: '/transactions', kind: 'status', status: 429, probability: 0.02},
  {method: 'POST', path: '/transactions', kind: 'delay', delayMs: 120, probability: 0.4},
  {method: 'POST', path: '/quotes', kind: 'lose', probability: 0.03},
  {method: 'POST', path: '/quotes', kind: 'status', status: 502, probability: 0.03},
  {method: 'POST', path: '/quotes', kind: 'delay', delayMs: 60, probability: 0.4},
  {method: 'GET', path: '/transactions', kind: 'reset', probability: 0.05},
  {method: 'GET', path: '/transactions', kind: 'status', status: 500, probability: 0.05},
] as const

// Compares the rows of a rehearsed file with the service's list and the journal: each was paid once, or not at all.
interface OwnTransaction {
  transactionId: string
  correlationId?: string
  source: {sourceAmount: string}
}

// Every transaction that svc made. The faults must be cleared before.
async function listOwn(sandbox: Sandbox): Promise<OwnTransaction[]> {
  const all: OwnTransaction[] = []
  const headers = {authorization: `Bearer ${sandbox.apiKey}`}
  let token: string | undefined
  do {
    const at = `/transactions?pageSize=100${token ? `&pageToken=${encodeURIComponent(token)}` : ''}`
    const reply = await sandbox.fetch(new Request(`http://localhost${at}`, {headers}))
    const page = (await reply.json()) as {transactions: OwnTransaction[]; nextPageToken?: string}
    all.push(...page.transactions.filter(({correlationId}) => correlationId?.startsWith('svc_')))
    token = page.nextPageToken
  } while (token)
  return all
}

interface UnpaidRow {
  key: string
  state: string
  reason?: string
}

interface RoundFindings {
  // What must not happen: paid twice, paid without the journal knowing, another transaction or amount.
  wrong: string[]
  unpaid: UnpaidRow[]
  paid: number
}

interface VerifiedRound {
  rows: readonly PayoutRow[]
  sandbox: Sandbox
  journalFile: string
  serviceId: string
}

// For what is to arrive, the amount is the one that the journal recorded.
const wasPaidAsMeant = ({content: meant}: PayoutRow, {source}: PaymentContent, paid: string) =>
  new Big(paid).eq(meant.receive === undefined ? meant.source.sourceAmount : source.sourceAmount)

async function verifyRound({rows, sandbox, journalFile, serviceId}: VerifiedRound): Promise<RoundFindings> {
  const findings: RoundFindings = {wrong: [], unpaid: [], paid: 0}
  const ownByCorrelation = Map.groupBy(await listOwn(sandbox), ({correlationId}) => correlationId)
  const journal = await openJournal({text: journalFile}, {isOnlyRead: true})
  try {
    for (const row of rows) {
      const own = ownByCorrelation.get(deriveCorrelationId(serviceId, row.key)) ?? []
      const payment = await journal.find(serviceId, row.key)
      const state = payment?.state ?? 'NOT_TRIED'
      const [only] = own
      const {reason} = (payment && getLastAttempt(payment)) ?? {}
      if (own.length > 1) findings.wrong.push(`${row.key} was paid ${own.length} times`)
      else if (!only && state === 'CREATED') findings.wrong.push(`${row.key} is in the journal, but was not paid`)
      else if (!only) findings.unpaid.push({key: row.key, state, ...(reason && {reason})})
      else if (state !== 'CREATED') findings.wrong.push(`${row.key} was paid, but is ${state} in the journal`)
      else if (payment?.transactionId !== only.transactionId)
        findings.wrong.push(`${row.key} is another transaction in the journal`)
      else if (!wasPaidAsMeant(row, payment.content, only.source.sourceAmount))
        findings.wrong.push(`${row.key} was paid with another amount`)
      else findings.paid++
    }
  } finally {
    await journal.close()
  }
  try {
    sandbox.money.verifyLedger()
  } catch (error) {
    findings.wrong.push(`the ledger: ${String(error)}`)
  }
  return findings
}
