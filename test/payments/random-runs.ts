// Random runs of one payment: faults, behaviours, crashes, waits and concurrent processes, all from one seed.
import type {FaultKind} from '../../src/sandbox/faults/kinds.ts'
import {type Checkpoint, checkpoints} from '../../src/payments/context.ts'
import {type Combination, combinations, isSingleGuaranteed} from './matrix.ts'
import {type Outcome, type RunOptions, type Stage} from './stage.ts'

// A small portable random generator (mulberry32) that returns numbers from 0 to 1.
function createGenerator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

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
]
const statuses = [400, 401, 404, 408, 409, 425, 429, 500, 503]
const targets = [
  {method: 'POST', path: '/transactions'},
  {method: 'POST', path: '/transactions'},
  {method: 'POST', path: '/quotes'},
  {method: 'GET', path: '/transactions'},
]
// The longest is just within what svc allows for (docs/assumptions.md, P4).
const lagsSeconds = [0, 30, 300, 355]
// Most crashes are after the bytes were sent, or while the payment is being settled, where errors are more likely.
const late: readonly Checkpoint[] = ['sending', 'answered', 'unknown', 'scanned', 'resending', 'resent', 'absent']
const crashPoints: readonly Checkpoint[] = [...checkpoints, ...late, ...late, ...late]
// Often too short for the list to show anything, sometimes long enough for a quote to expire.
const waitsMaxMs = [1, 1, 20_000, 8 * 60_000]
const waitMaxMs = 20 * 60_000

export interface Story {
  problems: string[]
  made: number
  events: string[]
}

interface Random {
  next: () => number
  pick: <T>(list: readonly T[]) => T
  below: (count: number) => number
}

function createRandom(seed: number): Random {
  const next = createGenerator(seed)
  const below = (count: number) => Math.floor(next() * count)
  return {next, below, pick: (list) => list[below(list.length)] as never}
}

function randomFaults({next, pick, below}: Random) {
  return Array.from({length: below(3)}, () => {
    const kind = pick(kinds)
    return {
      ...pick(targets),
      kind,
      after: below(2),
      ...(next() < 0.8 && {times: 1 + below(4)}),
      ...(next() < 0.3 && {probability: next()}),
      ...(kind === 'delay' && {delayMs: 1 + below(90_000)}),
      ...((kind === 'refuse' || kind === 'status') && {status: pick(statuses)}),
    }
  })
}

// Concurrent runs wait only briefly: polling a held lease thousands of times would test nothing new.
function randomRun(random: Random, key: string, journalFile: string, isAlone: boolean): RunOptions {
  const {next, pick, below} = random
  return {
    key,
    journalFile,
    waitMs: isAlone && next() < 0.4 ? below(waitMaxMs) : below(20_000),
    ...(next() < 0.8 && {crashAt: pick(crashPoints), crashAfter: next() < 0.8 ? 0 : 1 + below(2)}),
    mayResend: next() < 0.9,
    ...(next() < 0.1 && {limits: {rateMin: '2'}}),
  }
}

// Runs one story and returns what was wrong with it. Several stories can use one stage, one after the other.
export async function runStory(stage: Stage, seed: number, journals: readonly [string, string]): Promise<Story> {
  const random = createRandom(seed)
  const {next, pick, below} = random
  const hasTwoHosts = next() < 0.25
  const payers = hasTwoHosts ? 'two hosts' : 'one process'
  const faultCase = {name: 'nothing fails'}
  const guaranteed = combinations.filter((combination) =>
    isSingleGuaranteed({payers, faultCase, combination, knowledge: 'stated'}),
  )
  // In half of the stories keys are not honoured, so that the service cannot hide errors of svc.
  const withoutKeys = guaranteed.filter(({idempotency}) => idempotency === 'ignore' || idempotency.startsWith('forget'))
  const drawn = pick(withoutKeys.length > 0 && next() < 0.5 ? withoutKeys : guaranteed)
  const combination: Combination = {...drawn, listLagSeconds: pick(lagsSeconds)}
  const key = `story-${seed}`
  const problems: string[] = []
  const events: string[] = []
  const recordOutcome = ({code, crashed, checkpoints: seen, error}: Outcome) => {
    events.push(crashed ? `killed at ${seen.at(-1)}` : `${code} ${error?.error ?? ''}`.trim())
    if (code === 0 && stage.made(key).length === 0) problems.push('code 0 for nothing')
    if (code === 1) problems.push('a fault in svc')
  }
  const rounds = 1 + below(4)
  for (let act = 0; act < rounds; act++) {
    stage.behave(combination, ...randomFaults(random))
    const runCount = 1 + below(3)
    const runs = Array.from({length: runCount}, () => {
      const journalFile = hasTwoHosts && next() < 0.5 ? journals[1] : journals[0]
      return stage.run(randomRun(random, key, journalFile, runCount === 1))
    })
    for (const outcome of await Promise.all(runs)) recordOutcome(outcome)
    stage.advance(below(pick(waitsMaxMs)))
  }
  stage.sandbox.faults.clear()
  for (const journalFile of hasTwoHosts ? journals : [journals[0]]) {
    const last = await stage.untilPaid({key, journalFile})
    recordOutcome(last)
    const made = stage.made(key)
    const {state, transactionId} = stage.row(journalFile, key) ?? {}
    if (last.code === 0 && made[0] !== transactionId) problems.push('not the transaction')
    if (last.code !== 0 && (made.length > 0 || !['STOPPED', 'REJECTED', 'ABANDONED'].includes(state ?? '')))
      problems.push(`ended with ${last.code} as ${state}`)
  }
  const {length: made} = stage.made(key)
  if (made > 1) problems.push(`${made} transactions`)
  stage.tidy()
  return {problems: problems.map((one) => `${one} (${JSON.stringify(combination)})`), made, events}
}
