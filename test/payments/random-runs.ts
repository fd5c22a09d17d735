// Random runs of one payment: random faults, behaviours, crashes, waits and concurrent processes, all from one seed.
import type {FaultKind} from '../../src/sandbox/faults/kinds.ts'
import {type Point, points} from '../../src/payments/world.ts'
import {type Combination, combinations, isPromised} from './matrix.ts'
import {type Outcome, type RunOptions, type Stage} from './stage.ts'

// A small generator of numbers from 0 to 1 that is the same everywhere (mulberry32).
function lots(seed: number): () => number {
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
const waitMaxMs = 8 * 60_000
const patienceMaxMs = 20 * 60_000

export interface Story {
  problems: string[]
  made: number
  told: string[]
}

interface Lots {
  next: () => number
  pick: <T>(list: readonly T[]) => T
  below: (count: number) => number
}

function lotsOf(seed: number): Lots {
  const next = lots(seed)
  const below = (count: number) => Math.floor(next() * count)
  return {next, below, pick: (list) => list[below(list.length)] as never}
}

function randomFaults({next, pick, below}: Lots) {
  return Array.from({length: below(4)}, () => {
    const kind = pick(kinds)
    return {
      ...pick(targets),
      kind,
      after: below(3),
      ...(next() < 0.8 && {times: 1 + below(4)}),
      ...(next() < 0.3 && {probability: next()}),
      ...(kind === 'delay' && {delayMs: 1 + below(90_000)}),
      ...((kind === 'refuse' || kind === 'status') && {status: pick(statuses)}),
    }
  })
}

// Who has company has little patience: thousands of looks at a lease that is held would show nothing new.
function randomRun(random: Lots, key: string, journalFile: string, isAlone: boolean): RunOptions {
  const {next, pick, below} = random
  return {
    key,
    journalFile,
    patienceMs: isAlone && next() < 0.4 ? below(patienceMaxMs) : below(20_000),
    ...(next() < 0.6 && {crashAt: pick(points) satisfies Point, crashAfter: below(3)}),
    mayResend: next() < 0.9,
    ...(next() < 0.1 && {limits: {rateMin: '2'}}),
  }
}

// Plays one story and says what was wrong with it. Several may play on one stage, one after the other.
export async function play(stage: Stage, seed: number, journals: readonly [string, string]): Promise<Story> {
  const random = lotsOf(seed)
  const {next, pick, below} = random
  const hasTwoHosts = next() < 0.25
  const cast = hasTwoHosts ? 'two hosts' : 'one process'
  const combination: Combination = pick(combinations.filter((one) => isPromised(cast, one)))
  const key = `story-${seed}`
  const problems: string[] = []
  const told: string[] = []
  const note = ({code, crashed, points: seen, error}: Outcome) => {
    told.push(crashed ? `killed at ${seen.at(-1)}` : `${code} ${error?.error ?? ''}`.trim())
    if (code === 0 && stage.made(key).length === 0) problems.push('code 0 for nothing')
    if (code === 1) problems.push('a fault in svc')
  }
  const acts = 1 + below(4)
  for (let act = 0; act < acts; act++) {
    stage.behave(combination, ...randomFaults(random))
    const together = 1 + below(3)
    const runs = Array.from({length: together}, () => {
      const journalFile = hasTwoHosts && next() < 0.5 ? journals[1] : journals[0]
      return stage.run(randomRun(random, key, journalFile, together === 1))
    })
    for (const outcome of await Promise.all(runs)) note(outcome)
    if (next() < 0.7) stage.advance(below(waitMaxMs))
  }
  stage.sandbox.faults.clear()
  for (const journalFile of hasTwoHosts ? journals : [journals[0]]) {
    const last = await stage.untilPaid({key, journalFile})
    note(last)
    const made = stage.made(key)
    const {state, transactionId} = stage.row(journalFile, key) ?? {}
    if (last.code === 0 && made[0] !== transactionId) problems.push('not the transaction')
    if (last.code !== 0 && (made.length > 0 || !['STOPPED', 'REJECTED', 'ABANDONED'].includes(state ?? '')))
      problems.push(`ended with ${last.code} as ${state}`)
  }
  const {length: made} = stage.made(key)
  if (made > 1) problems.push(`${made} transactions`)
  stage.tidy()
  return {problems: problems.map((one) => `${one} (${JSON.stringify(combination)})`), made, told}
}
