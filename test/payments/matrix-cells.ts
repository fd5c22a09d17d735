// Plays one cell of the payment matrix, and checks what must be true in every cell.
import {
  burnsKey,
  type CellCase,
  type Combination,
  getTrust,
  isSingleGuaranteed,
  pauseSeconds,
  type Risk,
  findRisk,
} from './matrix.ts'
import type {Outcome, RunOptions, Stage} from './stage.ts'

const truthfulStates = new Set(['STOPPED', 'REJECTED', 'ABANDONED', 'INTENDED', 'QUOTED'])

export interface Cell {
  made: number
  problems: string[]
}

const endedBadlyCode = 11
const isPaid = ({code}: Outcome) => code === 0 || code === endedBadlyCode

// How many times a fault occurs: once, three times, or until it is cleared.
const repetitions = [1, 3, undefined]

type Journals = readonly [string, string]
type RunWith = (more: Omit<RunOptions, 'key'>) => Promise<Outcome>

async function startFirstRuns({payers}: CellCase, run: RunWith, [one, other]: Journals): Promise<Outcome[]> {
  if (payers === 'one process' || payers === 'a lost journal') return [await run({journalFile: one})]
  const second = payers === 'two hosts' ? {journalFile: other, owner: {host: 'another.example'}} : {journalFile: one}
  return Promise.all([run({journalFile: one}), run({...second, waitMs: 60_000})])
}

// Runs one cell: with the fault, then without it until the payment is made, then once more, which must change nothing.
export async function runCell(stage: Stage, cell: CellCase, number: number, journals: Journals): Promise<Cell> {
  const {payers, combination, knowledge, faultCase} = cell
  const {fault} = faultCase
  const key = `cell-${number}`
  const [journalFile] = journals
  const problems: string[] = []
  const trust = getTrust(knowledge)
  const run: RunWith = async (more) => {
    const outcome = await stage.run({key, ...trust, ...more})
    problems.push(...checkOutcome(stage, key, outcome), ...checkRejection(stage, cell, key, outcome))
    return outcome
  }
  stage.behave(combination, ...(fault ? [{...fault, times: repetitions[number % repetitions.length]}] : []))
  await startFirstRuns(cell, run, journals)
  if (payers === 'a lost journal') stage.lose(journalFile)
  stage.clearFaults()
  stage.advance(pauseSeconds * 1_000)
  const files = payers === 'two hosts' ? journals : [journalFile]
  for (const file of files) problems.push(...(await checkEnding(stage, cell, key, file)))
  // What the service still has to commit, it commits now.
  if (fault?.commitAfterMs !== undefined) stage.runDue(fault.commitAfterMs)
  const made = stage.made(key)
  if (isSingleGuaranteed(cell) && made.length > 1) problems.push(`${made.length} transactions`)
  if (made.length > 1) problems.push(...(await checkSeveral(stage, cell, run, made, files)))
  stage.tidy()
  return {made: made.length, problems}
}

function checkOutcome(stage: Stage, key: string, outcome: Outcome, findMade = () => stage.made(key)): string[] {
  const {code} = outcome
  if (code === 1) return ['a fault in svc']
  const isTrue = !isPaid(outcome) || findMade().length > 0
  return isTrue ? [] : [`code ${code}, and there is no transaction`]
}

const rejectedCodes: ReadonlySet<number | undefined> = new Set([3, 4, 5])

// Where the list shows a transaction at once, no run says that it was not made. Another host may make it in the meantime.
function checkRejection(stage: Stage, {payers, combination}: CellCase, key: string, {code}: Outcome): string[] {
  if (payers === 'two hosts' || combination.listLagSeconds > 0 || !rejectedCodes.has(code)) return []
  if (stage.made(key).length === 0) return []
  return [`code ${code}, and the list has the transaction`]
}

async function checkEnding(stage: Stage, cell: CellCase, key: string, journalFile: string): Promise<string[]> {
  const {combination, knowledge} = cell
  const options = {key, journalFile, ...getTrust(knowledge)}
  const last = await stage.untilPaid(options)
  const made = stage.made(key)
  const problems = checkOutcome(stage, key, last, () => made)
  const {state, transactionId} = stage.row(journalFile, key) ?? {}
  if (isPaid(last) && !made.includes(transactionId ?? '')) problems.push(`${transactionId} is not the transaction`)
  if (isSingleGuaranteed(cell) && !isPaid(last)) {
    const isTruthful =
      made.length === 0 && (truthfulStates.has(state ?? '') || burnsKey(cell.faultCase, cell.combination))
    if (!isTruthful) problems.push(`ended with ${last.code} as ${state}, ${made.length} made: ${last.error?.message}`)
  }
  if (!isPaid(last) || made.length > 1) return problems
  return [...problems, ...(await checkReruns(stage, combination, options, made))]
}

// A payment that was made stays as it is. One whose transaction ends badly ends with 11 from then on, and is not paid again.
async function checkReruns(
  stage: Stage,
  combination: Combination,
  options: RunOptions,
  made: readonly string[],
): Promise<string[]> {
  const {key, journalFile} = options
  const {transactionOutcome, outcomeAfterSeconds = 0, listLagSeconds} = combination
  const problems: string[] = []
  const expected = transactionOutcome ? endedBadlyCode : 0
  if (transactionOutcome) {
    stage.advance((outcomeAfterSeconds + listLagSeconds) * 1_000)
    const {code} = await stage.run(options)
    // Another transaction has appeared in the meantime, which is checked for itself.
    if (stage.made(key).length > 1) return problems
    if (code !== expected) problems.push(`ended with ${code} although the transaction is ${transactionOutcome}`)
    const {ended} = stage.row(journalFile, key) ?? {}
    if (ended !== transactionOutcome.toUpperCase()) problems.push(`the journal has the ending ${ended}`)
  }
  const before = stage.dump(journalFile, key)
  const rerun = await stage.run(options)
  const madeAfter = stage.made(key)
  const hasSeveral = madeAfter.length > 1
  if (!hasSeveral && (rerun.code !== expected || !rerun.wasMadeBefore)) {
    problems.push(`a rerun ended with ${rerun.code}`)
  }
  if (stage.dump(journalFile, key) !== before) problems.push('a rerun changed the journal')
  if (!hasSeveral && madeAfter.length !== made.length) problems.push('a rerun made a transaction')
  return problems
}

// Once the list shows several transactions, every run says so and names them all.
async function checkSeveral(
  stage: Stage,
  {combination}: CellCase,
  run: RunWith,
  made: readonly string[],
  files: readonly string[],
): Promise<string[]> {
  stage.advance(combination.listLagSeconds * 1_000)
  const problems: string[] = []
  for (const journalFile of files) {
    const {code, error} = await run({journalFile})
    const isNamed = made.every((id) => error?.message.includes(id))
    if (code !== 7 || !isNamed) problems.push(`${made.length} transactions, and a run ended with ${code}`)
  }
  return problems
}

export interface Tally {
  cells: number
  // The number of cells that ended with no, one and several transactions.
  none: number
  one: number
  several: number
  problems: string[]
  // In how many cells each risk led to a second transaction, by the behaviour of reused keys.
  severalByRisk: Map<string, number>
}

export const createTally = (): Tally => ({
  cells: 0,
  none: 0,
  one: 0,
  several: 0,
  problems: [],
  severalByRisk: new Map(),
})

export const nameRisk = (risk: Risk, {combination, payers}: Pick<CellCase, 'combination' | 'payers'>) =>
  `${risk}, keys ${combination.idempotency}, ${payers}`

export function countCell(tally: Tally, {made, problems}: Cell, cell: CellCase, where: string): void {
  tally.cells++
  if (made === 0) tally.none++
  else if (made === 1) tally.one++
  else tally.several++
  tally.problems.push(...problems.map((problem) => `${where}: ${problem}`))
  const risk = findRisk(cell)
  if (!risk) return
  const name = nameRisk(risk, cell)
  tally.severalByRisk.set(name, (tally.severalByRisk.get(name) ?? 0) + (made > 1 ? 1 : 0))
}
