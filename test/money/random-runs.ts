// Random runs of one payment: faults, behaviours, crashes, waits and concurrent processes, all from one seed.
import {type Random, createRandom} from '../support/random.ts'
import {type ListMove, type ListOrder, listOrders, pickSpelling} from '../support/scripted/behaviour.ts'
import {type Behaviours, type FaultKind, type FaultOrder, isCarriedOut} from './faults.ts'
import {type Step, steps} from './steps.ts'
import {
  areKeysHonoured,
  badOutcomes,
  type Combination,
  combinations,
  getTrust,
  isSameBodyHonoured,
  keepsRejecting,
  type Knowledge,
  type Trust,
} from './services.ts'
import type {LedgerEntry} from '../support/word-oracle.ts'
import {type Said, type StoryRecord, findLies} from './oracle.ts'
import {minuteMs, type Outcome, type RunOptions, type Stage} from './stage.ts'

const kinds: readonly FaultKind[] = [
  'refuse',
  'status',
  'html',
  'reset',
  'hang',
  'delay',
  'lose',
  'truncate',
  'garbage',
  'refuse-after',
]
// After these svc reads the list, and believes that nothing was made if the list shows nothing.
const believedStatuses: ReadonlySet<number> = new Set([400, 401, 404])
const statuses = [400, 401, 404, 408, 409, 425, 429, 500, 503]
const targets = [
  {method: 'POST', path: '/transactions'},
  {method: 'POST', path: '/transactions'},
  {method: 'POST', path: '/quotes'},
  {method: 'GET', path: '/transactions'},
]
// How long after its failure a request is carried out: before the quote expires, or after the attempt may be abandoned.
const lateMaxMs = 90_000
const veryLateMaxMs = 25 * minuteMs
// The longest is just within what svc allows for (docs/assumptions.md, P4).
const lagsSeconds = [0, 30, 300, 355]
// Most crashes are after the bytes were sent, or while the payment is being settled, where errors are more likely.
const late: readonly Step[] = ['send', 'create', 'UNKNOWN', 'REFUSED', 'search', 'resend', 'NOT_FOUND', 'wait']
const crashPoints: readonly Step[] = [...steps, ...late, ...late, ...late]
// Often too short for the list to show anything, sometimes long enough for a quote to expire.
const waitsMaxMs = [1, 1, 20_000, 8 * 60_000]
const waitMaxMs = 20 * 60_000
// Enough for a payment that was armed while the clock was ahead.
const runsMax = 40

export interface Story {
  problems: string[]
  made: number
  events: string[]
  record: StoryRecord
  // Whether the list shows a transaction as soon as it is made.
  isListedAtOnce: boolean
}

const readLedger = (stage: Stage, key: string, listLagSeconds: number): LedgerEntry[] =>
  stage.service.ledger.made
    .filter(({item}) => stage.made(key).includes(String(item['transactionId'])))
    .map(({item, madeAtMs}) => ({
      key,
      id: String(item['transactionId']),
      madeMs: madeAtMs,
      listedMs: madeAtMs + listLagSeconds * 1_000,
      status: String(item['transactionStatus']),
    }))

// A service that says that nothing was made, and has made it or will make it, can only be paid once if it honours keys or
// lists the transaction at once. The same is true of one that executes quotes long after they have expired.
function removeRisks(fault: FaultOrder, combination: Combination): FaultOrder {
  if (areKeysHonoured(combination)) return fault
  const {commitAfterMs, ...now} = fault
  const isBelieved = believedStatuses.has(fault.status ?? 0)
  if (commitAfterMs !== undefined && isBelieved) return now
  if (fault.kind === 'refuse-after' && isBelieved && combination.listLagSeconds > 0) return {...fault, status: 500}
  const isTooLate = Number(commitAfterMs) > lateMaxMs && combination.expiredQuotes === 'accepted'
  return isTooLate ? {...fault, commitAfterMs: lateMaxMs} : fault
}

function randomFaults({next, pick, below}: Random, combination: Combination): FaultOrder[] {
  return Array.from({length: below(3)}, () => {
    const kind = pick(kinds)
    const fault: FaultOrder = {
      ...pick(targets),
      kind,
      after: below(2),
      ...(next() < 0.8 && {times: 1 + below(4)}),
      ...(next() < 0.3 && {probability: next()}),
      ...(kind === 'delay' && {delayMs: 1 + below(90_000)}),
      ...((kind === 'refuse' || kind === 'status' || kind === 'refuse-after') && {status: pick(statuses)}),
      ...(!isCarriedOut(kind) && next() < 0.4 && {commitAfterMs: 1 + below(next() < 0.8 ? lateMaxMs : veryLateMaxMs)}),
    }
    return removeRisks(fault, combination)
  })
}

function randomBehaviours({next, pick}: Random): Partial<Behaviours> {
  return {
    ...(next() < 0.15 && pick(badOutcomes)),
    listOrder: next() < 0.2 ? 'oldest-first' : 'newest-first',
    dateHeader: next() < 0.1 ? 'left-out' : 'sent',
  }
}

// How often the list of a customer moves, is told by a generator of its own, so that each seed
// keeps whatever else it has drawn.
const listSeeds = 0x6c_69_73_74

// Where the journal is lost, these are the lists in which what was made is passed over most often.
const lists = {
  usual: {orders: listOrders, tokens: ['item', 'offset'], sizes: [1, 2, 3], stillPagesMax: 3},
  risky: {orders: ['oldest', 'updated', 'status'], tokens: ['offset'], sizes: [1, 2], stillPagesMax: 1},
} as const

// In most stories the customer has a history of several pages, whose order shows: then what was read
// of it is remembered, and used by the later runs of the same journal. It has a generator of its own too.
const historySeed = 0x68_69_73_74

// In some stories the list has several pages, and transactions are hidden, updated and sorted anew
// while it is read, a few pages apart: a list that moves after each page proves nothing. Then svc
// may have lost its journal too, if that is safe.
function drawList(stage: Stage, seed: number, mayLoseJournal: boolean) {
  const {next, pick, below} = createRandom(seed ^ listSeeds)
  const isMoving = next() < 0.5
  const losesJournal = isMoving && mayLoseJournal && next() < 0.7
  if (isMoving) for (let number = 1; number <= 4; number++) stage.makeOther(`other-${number} of ${seed}`)
  const {orders, tokens, sizes, stillPagesMax} = losesJournal ? lists.risky : lists.usual
  const drawMoves = (): ListMove[] => [
    ...Array<ListMove>(below(stillPagesMax + 1)).fill('none'),
    pick(['hide', 'hide', 'update']),
  ]
  const drawHistory = createRandom(seed ^ historySeed)
  const pageItemsMax = drawHistory.next() < 0.6 ? drawHistory.pick([2, 3, 5]) : undefined
  const earlierCount = pageItemsMax === undefined ? 0 : 12
  for (let number = 1; number <= earlierCount; number++) {
    stage.makeOther(`earlier-${number} of ${seed}`)
    stage.advance(minuteMs)
  }
  const move = () => {
    if (pageItemsMax !== undefined) Object.assign(stage.service.behaviour, {pageItemsMax})
    if (!isMoving) return
    const listMoves = [drawMoves(), drawMoves(), drawMoves()].flat()
    Object.assign(stage.service.behaviour, {
      listOrder: pick<ListOrder>(orders),
      pageItemsMax: pick<number>(sizes),
      pageTokens: pick<'item' | 'offset'>(tokens),
      listMoves: next() < 0.2 ? listMoves.with(below(listMoves.length), 'resort') : listMoves,
    })
  }
  // Another payment of each journal reads the list once what was made is old. Another transaction
  // is made before, so that what is remembered goes further.
  const payNeighbours = async (journals: readonly string[], trust: Trust) => {
    if (pageItemsMax === undefined || drawHistory.next() < 0.4) return
    stage.advance(20 * minuteMs)
    for (let number = 1; number <= 3; number++) stage.makeOther(`later-${number} of ${seed}`)
    for (const journalFile of journals) {
      await stage.run({key: `neighbour-${seed}`, amount: '12.34', journalFile, ...trust})
    }
  }
  return {isMoving, losesJournal, move, payNeighbours, next}
}

// Clocks have numbers of their own, so that a story is otherwise the same with and without them.
const clockSeed = 0x5f_3c_1a_77
// By how much a clock is wrong. A jump within a run comes before any of its steps.
const clockErrorsMs = [0, 0, 3_000, -3_000, 8 * minuteMs, -8 * minuteMs, 30 * minuteMs, -30 * minuteMs, 40 * minuteMs]
const clockJumpShare = 0.05

// In half of the stories one clock jumps: that of the machine, where most replies have no Date
// header that could show it, or the Date.
function randomClocks(seed: number) {
  const {next, pick} = createRandom(seed ^ clockSeed)
  const wrong = pick(['none', 'none', 'machine', 'Date'] as const)
  const jump = (stage: Stage) => {
    if (wrong === 'machine') stage.machineAheadMs = pick(clockErrorsMs)
    if (wrong === 'Date') stage.service.behaviour.dateSkewMs = pick(clockErrorsMs)
  }
  return {
    dateHeader: wrong === 'machine' && next() < 0.7 ? {dateHeader: 'left-out' as const} : {},
    jump,
    jumpAtAStep: (stage: Stage) => () => {
      if (next() < clockJumpShare) jump(stage)
    },
    describe: ({machineAheadMs, service: {behaviour}}: Stage) =>
      ({
        none: '',
        machine: `machine +${machineAheadMs / 1_000} s: `,
        Date: `Date +${behaviour.dateSkewMs / 1_000} s: `,
      })[wrong],
  }
}

// In some runs a person is asked about the price, and takes a while. It has a generator of its own.
const askSeed = 0x61_73_6b_73
const answersMaxMs = 7 * minuteMs

// Runs happen at any time, so a second transaction must be excluded whatever the list shows when.
const isSafeAtAnyTime = (combination: Combination, knowledge: Knowledge, hasTwoHosts: boolean) =>
  areKeysHonoured(combination) ||
  (!hasTwoHosts && (knowledge !== 'stated' || isSameBodyHonoured(combination) || combination.quoteUse === 'single'))

// Concurrent runs wait only briefly: polling a held lease thousands of times would test nothing new.
function randomRun(random: Random, base: RunOptions, isAlone: boolean): RunOptions {
  const {next, pick, below} = random
  return {
    ...base,
    waitMs: isAlone && next() < 0.4 ? below(waitMaxMs) : below(20_000),
    ...(next() < 0.8 && {crashAt: pick(crashPoints), crashAfter: next() < 0.8 ? 0 : 1 + below(2)}),
    mayResend: base.mayResend === true && next() < 0.9,
    ...(next() < 0.1 && {limits: {rateMin: '2'}}),
  }
}

interface Ending {
  key: string
  journalFile: string
  trust: Trust
  combination: Combination
}

function checkLast(stage: Stage, {code}: Outcome, {key, journalFile, combination}: Ending): string[] {
  const made = stage.made(key)
  const {state, transactionId} = stage.row(journalFile, key) ?? {}
  if (code === 0 || code === 11) return made[0] === transactionId ? [] : ['not the transaction']
  const isTruthful = made.length === 0 && ['STOPPED', 'REJECTED', 'ABANDONED'].includes(state ?? '')
  const isKeyBurnt = made.length === 0 && state === 'UNKNOWN' && keepsRejecting(combination)
  return isTruthful || isKeyBurnt ? [] : [`ended with ${code} as ${state}`]
}

// A transaction that has ended badly is reported as such by every run, and not paid again.
async function checkBadOutcome(
  stage: Stage,
  {code}: Outcome,
  {key, journalFile, trust, combination}: Ending,
): Promise<string[]> {
  const {transactionOutcome, outcomeAfterSeconds = 0, listLagSeconds} = combination
  if (!transactionOutcome || (code !== 0 && code !== 11)) return []
  stage.advance((outcomeAfterSeconds + listLagSeconds) * 1_000)
  // Where the list cannot be read because it keeps moving, svc says what the journal has.
  stage.service.behaviour.listMoves = []
  const rerun = await stage.run({key, journalFile, ...trust})
  return rerun.code === 11 ? [] : [`a rerun ended with ${rerun.code} although it is ${transactionOutcome}`]
}

// Runs one story and returns what was wrong with it. Several stories can use one stage, one after the other.
export async function runStory(stage: Stage, seed: number, journals: readonly [string, string]): Promise<Story> {
  const random = createRandom(seed)
  const {next, pick, below} = random
  const hasTwoHosts = next() < 0.25
  const knowledge = pick<Knowledge>(['unknown', 'stated'])
  const safe = combinations.filter((one) => isSafeAtAnyTime(one, knowledge, hasTwoHosts))
  // In half of the stories keys are not honoured, so that the service cannot hide errors of svc.
  const withoutKeys = safe.filter((one) => !areKeysHonoured(one))
  const drawn = pick(withoutKeys.length > 0 && next() < 0.5 ? withoutKeys : safe)
  const listLagSeconds = pick(lagsSeconds)
  const list = drawList(stage, seed, !hasTwoHosts && (areKeysHonoured(drawn) || knowledge === 'unknown'))
  const isListedAtOnce = list.losesJournal && !areKeysHonoured(drawn)
  const clocks = randomClocks(seed)
  const combination = {
    ...drawn,
    listLagSeconds: isListedAtOnce ? 0 : listLagSeconds,
    ...randomBehaviours(random),
    ...clocks.dateHeader,
  }
  // Some stories say what is to arrive instead of an amount.
  const trust = {...getTrust(knowledge), ...(next() < 0.3 && {receive: '7.50'})}
  const key = `story-${seed}`
  stage.spelling = pickSpelling(seed)
  const problems: string[] = []
  const events: string[] = []
  const said: Said[] = []
  const recordOutcome = (outcome: Outcome, journalFile: string, fromMs: number) => {
    const {code = null, crashed, steps: seen, error, transactionId} = outcome
    const end = crashed ? `killed at ${seen.at(-1)}` : `${code} ${error?.error ?? ''}`.trim()
    events.push(clocks.describe(stage) + end)
    const {state, transactionId: recordedId} = stage.row(journalFile, key) ?? {}
    const out = JSON.stringify({transactionId, state, recordedId})
    const host = journals.indexOf(journalFile)
    const moment = {fromMs, toMs: stage.now(), madeCount: Infinity}
    said.push({speaker: 'protocol', host, ...moment, key, code, out, err: error?.message ?? ''})
  }
  // Everything that was made before is older than what is said next.
  const startTurn = () => {
    stage.advance(1)
    return stage.now()
  }
  // Where keys are known to be honoured, a payment that another journal made may be passed over in
  // a list that moves. It is stopped then by a limit, or by a quote that is refused.
  const mayBePassedOver = list.isMoving && knowledge === 'stated' && (hasTwoHosts || list.losesJournal)
  const asking = createRandom(seed ^ askSeed)
  const drawAnswer = () => (asking.next() < 0.3 ? {answersAfterMs: asking.below(answersMaxMs)} : {})
  const rounds = 1 + below(4)
  for (let act = 0; act < rounds; act++) {
    const faults = randomFaults(random, combination)
    const isInTime = ({commitAfterMs}: FaultOrder) => !isListedAtOnce || commitAfterMs === undefined
    const isTold = ({path}: FaultOrder) => path !== '/quotes' || !mayBePassedOver
    stage.behave(combination, ...faults.filter((fault) => isInTime(fault) && isTold(fault)))
    list.move()
    clocks.jump(stage)
    const runCount = 1 + below(3)
    const fromMs = startTurn()
    const runs = Array.from({length: runCount}, async () => {
      const journalFile = hasTwoHosts && next() < 0.5 ? journals[1] : journals[0]
      const run = {...randomRun(random, {key, journalFile, ...trust}, runCount === 1), ...drawAnswer()}
      const outcome = await stage.run({...run, ...(mayBePassedOver && {limits: {}}), onStep: clocks.jumpAtAStep(stage)})
      return {outcome, journalFile}
    })
    for (const {outcome, journalFile} of await Promise.all(runs)) recordOutcome(outcome, journalFile, fromMs)
    if (list.losesJournal && list.next() < 0.7) {
      stage.lose(journals[0])
      events.push('the journal is lost')
    }
    stage.advance(below(pick(waitsMaxMs)))
  }
  stage.clearFaults()
  stage.machineAheadMs = 0
  stage.service.behaviour.dateSkewMs = 0
  await list.payNeighbours(hasTwoHosts ? journals : [journals[0]], getTrust(knowledge))
  for (const journalFile of hasTwoHosts ? journals : [journals[0]]) {
    const fromMs = startTurn()
    const last = await stage.untilPaid({key, journalFile, ...trust}, runsMax)
    recordOutcome(last, journalFile, fromMs)
    problems.push(...checkLast(stage, last, {key, journalFile, trust, combination}))
    problems.push(...(await checkBadOutcome(stage, last, {key, journalFile, trust, combination})))
  }
  // What the service still has to commit, it commits now.
  stage.runDue(veryLateMaxMs)
  const {length: made} = stage.made(key)
  if (made > 1) problems.push(`${made} transactions`)
  const ledger = readLedger(stage, key, combination.listLagSeconds)
  const record = {said, ledger, refusedKeys: new Set<string>(), hostCount: hasTwoHosts ? 2 : 1}
  problems.push(...findLies(record), ...stage.untimely.splice(0))
  stage.tidy()
  return {
    problems: problems.map((one) => `${one} (${JSON.stringify(combination)}, spelling ${stage.spelling})`),
    made,
    events,
    record,
    isListedAtOnce: combination.listLagSeconds === 0,
  }
}
