// The payment matrix: faults × behaviours of the service × who pays, and what must be true in every cell.
import type {Behaviours} from '../../src/sandbox/faults/behaviours.ts'
import type {NewFault} from '../../src/sandbox/faults/faults.ts'
import type {Outcome, Stage} from './stage.ts'

// Shorter than the timeout of a request, but long enough to matter.
const delayMs = 10_000

const kinds: ReadonlyArray<Pick<NewFault, 'kind' | 'status' | 'delayMs'>> = [
  {kind: 'refuse'},
  {kind: 'status'},
  {kind: 'html'},
  {kind: 'reset'},
  {kind: 'hang'},
  {kind: 'delay', delayMs},
  {kind: 'lose'},
  {kind: 'truncate'},
  {kind: 'garbage'},
]

// Statuses that mean something else as the reply to a resend than as the first reply.
const statuses = [400, 401, 404, 408, 409, 425]

export interface FaultCase {
  name: string
  fault?: Omit<NewFault, 'times'>
}

export const faultCases: readonly FaultCase[] = [
  {name: 'nothing fails'},
  ...[
    {method: 'POST', path: '/transactions'},
    {method: 'POST', path: '/quotes'},
    {method: 'GET', path: '/transactions'},
  ].flatMap((on) => kinds.map((one) => ({name: `${one.kind} on ${on.method} ${on.path}`, fault: {...on, ...one}}))),
  ...statuses.map((status) => ({
    name: `status ${status} on POST /transactions`,
    fault: {method: 'POST', path: '/transactions', kind: 'refuse', status} as const,
  })),
]

const idempotencies = ['replay', 'replay-successes', 'refuse', 'ignore', 'forget-after-1m'] as const
const lagsSeconds = [0, 30, 300]

export type Combination = Pick<Behaviours, 'idempotency' | 'quoteUse' | 'expiredQuotes' | 'listLagSeconds'>

export const combinations: readonly Combination[] = idempotencies.flatMap((idempotency) =>
  lagsSeconds.flatMap((listLagSeconds) =>
    (['single', 'many'] as const).flatMap((quoteUse) =>
      (['refused', 'accepted'] as const).map((expiredQuotes) => ({
        idempotency,
        listLagSeconds,
        quoteUse,
        expiredQuotes,
      })),
    ),
  ),
)

// Who pays: one process, two processes with one journal, two hosts with a journal each, or one whose journal is lost.
export type Payers = 'one process' | 'two processes' | 'two hosts' | 'a lost journal'

const areKeysHonoured = ({idempotency}: Combination) => idempotency !== 'ignore' && !idempotency.startsWith('forget')

// Whether svc guarantees a single transaction: one journal needs honoured keys or single-use quotes, two journals need
// honoured keys. Expired quotes matter only to a sender that is suspended before its first byte, which has its own test.
export const isSingleGuaranteed = (payers: Payers, combination: Combination) =>
  areKeysHonoured(combination) ||
  ((payers === 'one process' || payers === 'two processes') && combination.quoteUse === 'single')

const truthfulStates = new Set(['STOPPED', 'REJECTED', 'ABANDONED', 'INTENDED', 'QUOTED'])

export interface Cell {
  made: number
  problems: string[]
}

// Longer than a forgetful service remembers a key, and shorter than a quote is valid.
const pauseMs = 90_000

// How many times a fault occurs: once, three times, or until it is cleared.
const repetitions = [1, 3, undefined]

async function startFirstRuns(
  stage: Stage,
  payers: Payers,
  key: string,
  journals: [string, string],
): Promise<Outcome[]> {
  const [one, other] = journals
  if (payers === 'one process' || payers === 'a lost journal') return [await stage.run({key, journalFile: one})]
  const second = payers === 'two hosts' ? {journalFile: other, owner: {host: 'another.example'}} : {journalFile: one}
  return Promise.all([stage.run({key, journalFile: one}), stage.run({key, ...second, waitMs: 60_000})])
}

// Runs one cell: with the fault, then without it until the payment is made, then once more, which must change nothing.
export async function runCell(
  stage: Stage,
  payers: Payers,
  {fault}: FaultCase,
  combination: Combination,
  number: number,
  journals: [string, string],
): Promise<Cell> {
  const key = `cell-${number}`
  const [journalFile] = journals
  const problems: string[] = []
  const checkOutcome = ({code}: Outcome, when: string) => {
    if (code === 0 && stage.made(key).length === 0) problems.push(`${when}: code 0, and there is no transaction`)
    if (code === 1) problems.push(`${when}: a fault in svc`)
  }
  stage.behave(combination, ...(fault ? [{...fault, times: repetitions[number % repetitions.length]}] : []))
  for (const outcome of await startFirstRuns(stage, payers, key, journals)) checkOutcome(outcome, 'first')
  if (payers === 'a lost journal') stage.lose(journalFile)
  stage.sandbox.faults.clear()
  stage.advance(pauseMs)
  const files = payers === 'two hosts' ? journals : [journalFile]
  for (const file of files) problems.push(...(await checkEnding(stage, payers, combination, key, file, checkOutcome)))
  const made = stage.made(key)
  if (isSingleGuaranteed(payers, combination) && made.length > 1) problems.push(`${made.length} transactions`)
  stage.tidy()
  return {made: made.length, problems}
}

async function checkEnding(
  stage: Stage,
  payers: Payers,
  combination: Combination,
  key: string,
  journalFile: string,
  checkOutcome: (outcome: Outcome, when: string) => void,
): Promise<string[]> {
  const last = await stage.untilPaid({key, journalFile})
  checkOutcome(last, 'last')
  const {state, transactionId} = stage.row(journalFile, key) ?? {}
  const made = stage.made(key)
  const problems: string[] = []
  if (last.code === 0 && !made.includes(transactionId ?? '')) problems.push(`${transactionId} is not the transaction`)
  if (isSingleGuaranteed(payers, combination) && last.code !== 0) {
    const isTruthful = made.length === 0 && truthfulStates.has(state ?? '')
    if (!isTruthful) problems.push(`ended with ${last.code} as ${state}, ${made.length} made: ${last.error?.message}`)
  }
  if (last.code !== 0) return problems
  const before = stage.dump(journalFile, key)
  const rerun = await stage.run({key, journalFile})
  if (rerun.code !== 0 || !rerun.wasMadeBefore) problems.push(`a rerun ended with ${rerun.code}`)
  if (stage.dump(journalFile, key) !== before) problems.push('a rerun changed the journal')
  if (stage.made(key).length !== made.length) problems.push('a rerun made a transaction')
  return problems
}

export interface Tally {
  cells: number
  // The number of cells that ended with no, one and several transactions.
  none: number
  one: number
  several: number
  problems: string[]
}

export const createTally = (): Tally => ({cells: 0, none: 0, one: 0, several: 0, problems: []})

export function countCell(tally: Tally, {made, problems}: Cell, where: string): void {
  tally.cells++
  if (made === 0) tally.none++
  else if (made === 1) tally.one++
  else tally.several++
  tally.problems.push(...problems.map((problem) => `${where}: ${problem}`))
}

export const describeCombination = ({idempotency, quoteUse, expiredQuotes, listLagSeconds}: Combination) =>
  `keys ${idempotency}, quotes ${quoteUse}, expired ${expiredQuotes}, list lag ${listLagSeconds} s`

export const sumTallies = (tallies: readonly Tally[]) => ({
  cells: tallies.reduce((total, {cells}) => total + cells, 0),
  several: tallies.reduce((total, {several}) => total + several, 0),
})
