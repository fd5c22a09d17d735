// Plays one cell of the payment matrix, and checks what must be true in every cell.
import type {Narrowing} from '../support/scripted/narrowing.ts'
import {
  type Kind,
  type Situation,
  burnsKey,
  getTrust,
  isSingleGuaranteed,
  lagMaxSeconds,
  pauseSeconds,
} from './services.ts'
import type {Outcome, RunOptions, Stage} from './stage.ts'

const truthfulStates = new Set(['REJECTED', 'ABANDONED'])
const rejectedCodes: ReadonlySet<number | undefined> = new Set([3, 4, 5])
const endedBadlyCode = 11
const isPaid = ({code}: Outcome) => code === 0 || code === endedBadlyCode

type Journals = readonly [string, string]

// A rule holds for a cell if it holds for any of the services that it stands for: each of them would have come this far.
interface Cell {
  stage: Stage
  situation: Situation
  narrowing: Narrowing<Kind>
  key: string
  problems: string[]
}

const someKind = ({narrowing}: Cell, holds: (kind: Kind['combination']) => boolean) =>
  narrowing.left.some(({combination}) => holds(combination))

const isGuaranteed = (cell: Cell) =>
  someKind(cell, (combination) => isSingleGuaranteed({...cell.situation, combination}))

// Runs one cell: with the fault, then without it until the payment is made, then once more, which must change nothing.
export async function playCell(
  stage: Stage,
  situation: Situation,
  narrowing: Narrowing<Kind>,
  key: string,
  journals: Journals,
): Promise<{made: number; problems: string[]}> {
  const {payers, faultCase} = situation
  const {fault} = faultCase
  const [journalFile] = journals
  const cell: Cell = {stage, situation, narrowing, key, problems: []}
  await stage.faceKinds(narrowing, ...(fault ? [fault] : []))
  await startFirstRuns(cell, journals)
  if (payers === 'a lost journal') stage.lose(journalFile)
  stage.clearFaults()
  stage.advance(pauseSeconds * 1_000)
  const files = payers === 'two hosts' ? journals : [journalFile]
  for (const file of files) await checkEnding(cell, file)
  // What the service still has to commit, it commits now.
  if (fault?.commitAfterMs !== undefined) stage.runDue(fault.commitAfterMs)
  const made = stage.made(key)
  if (isGuaranteed(cell) && made.length > 1) cell.problems.push(`${made.length} transactions`)
  if (made.length > 1) await checkSeveral(cell, made, files)
  stage.tidy()
  return {made: made.length, problems: cell.problems}
}

async function startFirstRuns(cell: Cell, [one, other]: Journals): Promise<void> {
  const {payers} = cell.situation
  if (payers === 'one process' || payers === 'a lost journal') return void (await run(cell, {journalFile: one}))
  const second = payers === 'two hosts' ? {journalFile: other, owner: {host: 'another.example'}} : {journalFile: one}
  await Promise.all([run(cell, {journalFile: one}), run(cell, {...second, waitMs: 60_000})])
}

const getOptions = ({key, situation}: Cell, journalFile: string) => ({
  key,
  journalFile,
  ...getTrust(situation.knowledge),
})

async function run(cell: Cell, more: Omit<RunOptions, 'key'>): Promise<Outcome> {
  const {stage, key, problems, situation} = cell
  const outcome = await stage.run({...getOptions(cell, more.journalFile), ...more})
  checkOutcome(cell, outcome)
  // Where the list shows a transaction at once, no run says that it was not made. Another host may make it in the meantime.
  const isListed = situation.payers !== 'two hosts' && someKind(cell, ({listLagSeconds}) => listLagSeconds === 0)
  if (isListed && rejectedCodes.has(outcome.code) && stage.made(key).length > 0) {
    problems.push(`code ${outcome.code}, and the list has the transaction`)
  }
  return outcome
}

function checkOutcome({stage, key, problems}: Cell, outcome: Outcome): void {
  if (outcome.code === 1) problems.push('a fault in svc')
  if (isPaid(outcome) && stage.made(key).length === 0)
    problems.push(`code ${outcome.code}, and there is no transaction`)
}

async function checkEnding(cell: Cell, journalFile: string): Promise<void> {
  const {stage, key, problems, situation} = cell
  const last = await stage.untilPaid(getOptions(cell, journalFile))
  const made = stage.made(key)
  checkOutcome(cell, last)
  const {state = '', transactionId = ''} = stage.row(journalFile, key) ?? {}
  if (isPaid(last) && !made.includes(transactionId)) problems.push(`${transactionId} is not the transaction`)
  const isTruthful = (combination: Kind['combination']) =>
    made.length === 0 && (truthfulStates.has(state) || burnsKey(situation.faultCase, combination))
  const isWrong = (combination: Kind['combination']) =>
    isSingleGuaranteed({...situation, combination}) && !isTruthful(combination)
  if (!isPaid(last) && someKind(cell, isWrong)) {
    problems.push(`ended with ${last.code} as ${state}, ${made.length} made: ${last.error?.message}`)
  }
  if (isPaid(last) && made.length === 1) await checkReruns(cell, journalFile)
}

// A payment that was made stays as it is. One whose transaction ends badly ends with 11 from then on, and is not paid again.
async function checkReruns(cell: Cell, journalFile: string): Promise<void> {
  const {stage, key, problems, narrowing} = cell
  const {transactionOutcome, outcomeAfterSeconds = 0} = narrowing.left[0]?.combination ?? {}
  const options = getOptions(cell, journalFile)
  const expected = transactionOutcome ? endedBadlyCode : 0
  if (transactionOutcome) {
    stage.advance((outcomeAfterSeconds + lagMaxSeconds) * 1_000)
    const {code} = await stage.run(options)
    // Another transaction has appeared in the meantime, which is checked for itself.
    if (stage.made(key).length > 1) return
    if (code !== expected) problems.push(`ended with ${code} although the transaction is ${transactionOutcome}`)
    const {ended} = stage.row(journalFile, key) ?? {}
    if (ended !== transactionOutcome.toUpperCase()) problems.push(`the journal has the ending ${ended}`)
  }
  const before = stage.dump(journalFile, key)
  const rerun = await stage.run(options)
  if (stage.dump(journalFile, key) !== before) problems.push('a rerun changed the journal')
  if (stage.made(key).length > 1) return
  if (rerun.code !== expected || !rerun.wasMadeBefore) problems.push(`a rerun ended with ${rerun.code}`)
}

// Once the list shows several transactions, every run says so and names them all.
async function checkSeveral(cell: Cell, made: readonly string[], files: readonly string[]): Promise<void> {
  cell.stage.advance(lagMaxSeconds * 1_000)
  for (const journalFile of files) {
    const {code, error} = await run(cell, {journalFile})
    const isNamed = made.every((id) => error?.message.includes(id))
    if (code !== 7 || !isNamed) cell.problems.push(`${made.length} transactions, and a run ended with ${code}`)
  }
}
