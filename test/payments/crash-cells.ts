// The cells of the crash tests: every fault, every step that a run reaches with it, and a second step during recovery.
import {type Step, steps} from './steps.ts'
import {
  afterCommitCases,
  allCombinations,
  areKeysHonoured,
  burnsKey,
  type Combination,
  combinations,
  type FaultCase,
  faultCases,
  isSingleGuaranteed,
  lateCases,
} from './matrix.ts'
import {minuteMs, type RunOptions, type Stage} from './stage.ts'

export interface Scene {
  name: string
  fault: FaultCase
  run: Pick<RunOptions, 'waitMs' | 'limits' | 'mayResend' | 'areKeysHonoured' | 'receive'>
  // The fault lasts until it is cleared.
  isLasting?: boolean
  // An earlier run had another amount, and a limit stopped it.
  hadOtherAmount?: boolean
}

// The longest of the late commits that are played here.
const lateMaxMs = 9 * minuteMs
const longWait = {waitMs: 40 * minuteMs}

// Every fault with a short wait, a limit that stops the payment, and faults with a wait that is long enough to abandon an attempt.
export const scenes: readonly Scene[] = [
  ...faultCases.map((fault) => ({name: fault.name, fault, run: {waitMs: 5_000}})),
  {name: 'a limit stops it', fault: {name: 'nothing fails'}, run: {limits: {rateMin: '2'}}},
  {name: 'it says what is to arrive', fault: {name: 'nothing fails'}, run: {receive: '7.50'}},
  {
    name: 'it says what is to arrive, and the answer is lost',
    fault: faultCases.find(({name}) => name === 'lose on POST /transactions') as FaultCase,
    run: {receive: '7.50', waitMs: 5_000},
  },
  {name: 'an earlier run had another amount', fault: {name: 'nothing fails'}, run: {}, hadOtherAmount: true},
  ...['hang', 'reset', 'lose'].map((kind) => {
    const fault = faultCases.find(({name}) => name === `${kind} on POST /transactions`) as FaultCase
    return {name: `${fault.name}, with a long wait`, fault, run: longWait, isLasting: kind !== 'lose'}
  }),
]

// The runs send again, whatever the service does with reused keys.
export const guaranteedCombinations = combinations.filter((combination) =>
  isSingleGuaranteed({payers: 'one process', faultCase: {name: 'nothing fails'}, combination, knowledge: 'stated'}),
)

// With nothing known about the service: failures after which it has made the transaction, or still makes it. A run that is
// killed is followed by the next one at once, so a 4xx after the commit needs honoured keys or a list without lag.
// Nor may the service reject the late request and its key from then on: nothing can be paid with it any more.
const crashIdempotencies: ReadonlySet<string> = new Set(['replay', 'refuse-other-body', 'per-body', 'ignore'])

export const unknownServiceScenes: ReadonlyArray<Scene & {combinations: readonly Combination[]}> = [
  ...lateCases.slice(0, -1),
  ...afterCommitCases,
].map((fault) => ({
  name: `${fault.name}, nothing known`,
  fault,
  run: {waitMs: 5_000, mayResend: false, areKeysHonoured: false},
  combinations: allCombinations.filter(
    (one) =>
      crashIdempotencies.has(one.idempotency) &&
      !burnsKey(fault, one) &&
      (lateCases.includes(fault) || areKeysHonoured(one) || one.listLagSeconds === 0),
  ),
}))

export const pickRotating = <T>(list: readonly T[], index: number): T => list[index % list.length] as T

export function injectFaults(
  stage: Stage,
  {fault, isLasting}: Scene,
  combination: Combination,
  index: number,
  delayMs?: number,
): void {
  const {fault: given} = fault
  const shortened = given?.kind === 'delay' && delayMs !== undefined ? {...given, delayMs} : given
  stage.behave(
    combination,
    ...(shortened ? [{...shortened, times: isLasting ? undefined : pickRotating([1, 3, undefined], index)}] : []),
  )
}

export async function runEarlier(stage: Stage, scene: Scene, key: string, journalFile: string): Promise<void> {
  if (scene.hadOtherAmount) await stage.run({key, journalFile, amount: '99', limits: {rateMin: '2'}})
}

// Runs once without a crash to find the steps that it reaches.
export async function recordSteps(
  stage: Stage,
  scene: Scene,
  combination: Combination,
  index: number,
  key: string,
  journalFile: string,
): Promise<Step[]> {
  await runEarlier(stage, scene, key, journalFile)
  injectFaults(stage, scene, combination, index)
  const {steps: seen} = await stage.run({key, journalFile, ...scene.run})
  stage.tidy()
  return [...new Set(seen)]
}

export interface Check {
  made: number
  problems: string[]
}

// After the crashes: clears the faults, runs until the payment is made, and once more, which must change nothing.
export async function checkAfterCrash(
  stage: Stage,
  key: string,
  journalFile: string,
  {mayResend, areKeysHonoured: isTrusted, receive}: Scene['run'] = {},
): Promise<Check> {
  const options = {key, journalFile, mayResend, areKeysHonoured: isTrusted, receive}
  stage.clearFaults()
  stage.advance(minuteMs)
  const last = await stage.untilPaid(options)
  // A request that the service carries out late may be due only now.
  stage.runDue(lateMaxMs)
  const made = stage.made(key)
  const {state, transactionId} = stage.row(journalFile, key) ?? {}
  const problems: string[] = []
  if (made.length > 1) problems.push(`${made.length} transactions`)
  if (last.code === 0 && made[0] !== transactionId) problems.push('code 0, and not the transaction')
  if (last.code !== 0 && (made.length > 0 || !['REJECTED', 'ABANDONED', 'STOPPED'].includes(state ?? '')))
    problems.push(`ended with ${last.code} as ${state}: ${last.error?.message}`)
  if (last.code === 0) {
    const before = stage.dump(journalFile, key)
    const rerun = await stage.run(options)
    if (rerun.code !== 0 || stage.dump(journalFile, key) !== before) problems.push('a rerun changed something')
    if (stage.made(key).length !== 1) problems.push('a rerun made a transaction')
  }
  stage.tidy()
  return {made: made.length, problems}
}

export const allSteps: readonly Step[] = steps
