// Random runs of one payment: faults, behaviours, crashes, waits and concurrent processes, all from one seed.
import {type Random, createRandom} from '../support/random.ts'
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
import {type LedgerEntry, claimsByCode, findSentenceClaim, findUntrueWords} from '../support/word-oracle.ts'
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

export interface Story {
  problems: string[]
  made: number
  events: string[]
  said: SaidOutcome[]
}

// What one run said, what the journal had after it, and what the service had made before and after it.
export interface SaidOutcome {
  key: string
  code: number | undefined
  message: string
  transactionId?: string | undefined
  state: string | undefined
  recordedId: string | undefined
  madeBefore: readonly string[]
  madeAfter: readonly string[]
  // Whether the list shows a transaction as soon as it is made, and whether another journal may have made it.
  isListedAtOnce: boolean
  hasTwoHosts: boolean
}

// The words of one run that the ledger contradicts. What was made meanwhile is not there for a word that says that nothing was, and
// is there for one that says that something was.
export function findLies(said: SaidOutcome): string[] {
  const {key, code, message, transactionId, state, recordedId, madeBefore, madeAfter, isListedAtOnce} = said
  const ledger = madeAfter.map((id): LedgerEntry => {
    const madeMs = madeBefore.includes(id) ? 0 : 1
    return {key, id, madeMs, listedMs: isListedAtOnce ? madeMs : Infinity, status: code === 11 ? 'FAILED' : ''}
  })
  // With another state, the service refused to show its list, or to give a quote.
  const claim = code === 3 && state !== 'REJECTED' ? undefined : claimsByCode[code ?? -1]
  const sentence = findSentenceClaim(message)
  // What another journal made, or the service made late, is known only once it is listed.
  const soften = (one: typeof claim) => (one === 'NOT_MADE' ? 'REFUSED' : one)
  const words = [
    {where: `code ${code}`, claim: soften(claim), transactionId},
    {where: `"${message}"`, claim: said.hasTwoHosts ? soften(sentence) : sentence},
    {where: 'the journal', claim: state === 'CREATED' ? ('MADE' as const) : undefined, transactionId: recordedId},
  ].flatMap((word) => (word.claim ? [{...word, key, claim: word.claim}] : []))
  return [
    ...findUntrueWords(words, {fromMs: 0.5, toMs: 1}, {ledger}),
    ...(code === 1 ? [`a fault in svc: ${message}`] : []),
  ]
}

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
  const combination = {...drawn, listLagSeconds: pick(lagsSeconds), ...randomBehaviours(random)}
  // Some stories say what is to arrive instead of an amount.
  const trust = {...getTrust(knowledge), ...(next() < 0.3 && {receive: '7.50'})}
  const key = `story-${seed}`
  const problems: string[] = []
  const events: string[] = []
  const allSaid: SaidOutcome[] = []
  const recordOutcome = (outcome: Outcome, journalFile: string, madeBefore: readonly string[]) => {
    const {code, crashed, steps: seen, error, transactionId} = outcome
    events.push(crashed ? `killed at ${seen.at(-1)}` : `${code} ${error?.error ?? ''}`.trim())
    const {state, transactionId: recordedId} = stage.row(journalFile, key) ?? {}
    const isListedAtOnce = combination.listLagSeconds === 0
    const ledger = {madeBefore, madeAfter: stage.made(key), isListedAtOnce, hasTwoHosts}
    const said = {key, code, message: error?.message ?? '', transactionId, state, recordedId, ...ledger}
    allSaid.push(said)
    problems.push(...findLies(said))
  }
  const rounds = 1 + below(4)
  for (let act = 0; act < rounds; act++) {
    stage.behave(combination, ...randomFaults(random, combination))
    const runCount = 1 + below(3)
    const madeBefore = stage.made(key)
    const runs = Array.from({length: runCount}, async () => {
      const journalFile = hasTwoHosts && next() < 0.5 ? journals[1] : journals[0]
      const run = randomRun(random, {key, journalFile, ...trust}, runCount === 1)
      return {outcome: await stage.run(run), journalFile}
    })
    for (const {outcome, journalFile} of await Promise.all(runs)) recordOutcome(outcome, journalFile, madeBefore)
    stage.advance(below(pick(waitsMaxMs)))
  }
  stage.clearFaults()
  for (const journalFile of hasTwoHosts ? journals : [journals[0]]) {
    const madeBefore = stage.made(key)
    const last = await stage.untilPaid({key, journalFile, ...trust})
    recordOutcome(last, journalFile, madeBefore)
    problems.push(...checkLast(stage, last, {key, journalFile, trust, combination}))
    problems.push(...(await checkBadOutcome(stage, last, {key, journalFile, trust, combination})))
  }
  // What the service still has to commit, it commits now.
  stage.runDue(veryLateMaxMs)
  const {length: made} = stage.made(key)
  if (made > 1) problems.push(`${made} transactions`)
  stage.tidy()
  return {problems: problems.map((one) => `${one} (${JSON.stringify(combination)})`), made, events, said: allSaid}
}
