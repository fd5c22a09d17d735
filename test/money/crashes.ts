// The cells of the crash tests: every fault, killed before a step, and once more during recovery.
import {type Narrowing, playEveryKind} from '../support/scripted/narrowing.ts'
import {seed} from '../support/seed.ts'
import {isWhole} from '../support/share.ts'
import {
  type Combination,
  type FaultCase,
  type Kind,
  areKeysHonoured,
  afterCommitCases,
  burnsKey,
  combinations,
  faultCases,
  isSingleGuaranteed,
  lateCases,
  toKinds,
} from './services.ts'
import {type RunOptions, Stage, minuteMs} from './stage.ts'
import {type Step, steps} from './steps.ts'

export interface Scene {
  name: string
  fault: FaultCase
  run: Pick<RunOptions, 'waitMs' | 'limits' | 'mayResend' | 'areKeysHonoured' | 'receive'>
  // The fault lasts until it is cleared.
  isLasting?: boolean
  // An earlier run had another amount, and a limit stopped it.
  hadOtherAmount?: boolean
  // An earlier run had no answer, longer ago than a list may lag, and replies have no Date.
  wasUnanswered?: boolean
  // The services with which it is paid once, however soon the next run follows.
  combinations: readonly Combination[]
}

// The longest of the late commits that are played here.
const lateMaxMs = 9 * minuteMs
// Long enough to abandon an attempt: until its quote expires, the list cannot lag any more, and once more as long.
const longWait = {waitMs: 19 * minuteMs}

const nothingFails: FaultCase = {name: 'nothing fails'}
const findCase = (wanted: string) => faultCases.find(({name}) => name === wanted) as FaultCase
const lostReply = findCase('lose on POST /transactions')

// The runs send again, whatever the service does with reused keys.
const guaranteed = combinations.filter((combination) =>
  isSingleGuaranteed({payers: 'one process', faultCase: nothingFails, combination, knowledge: 'stated'}),
)

// Every fault with a short wait, a limit that stops the payment, and faults with a wait that is long enough to abandon an attempt.
const trustedScenes: ReadonlyArray<Omit<Scene, 'combinations'>> = [
  ...faultCases.map((fault) => ({name: fault.name, fault, run: {waitMs: 5_000}})),
  {name: 'a limit stops it', fault: nothingFails, run: {limits: {rateMin: '2'}}},
  {name: 'it says what is to arrive', fault: nothingFails, run: {receive: '7.50'}},
  {
    name: 'it says what is to arrive, and the answer is lost',
    fault: lostReply,
    run: {receive: '7.50', waitMs: 5_000},
  },
  {name: 'an earlier run had another amount', fault: nothingFails, run: {}, hadOtherAmount: true},
  {
    name: 'an earlier run had no answer, and replies have no Date',
    fault: nothingFails,
    run: {waitMs: 5_000, mayResend: false},
    wasUnanswered: true,
  },
  ...['hang', 'reset', 'lose'].map((kind) => {
    const fault = findCase(`${kind} on POST /transactions`)
    return {name: `${fault.name}, with a long wait`, fault, run: longWait, isLasting: kind !== 'lose'}
  }),
]

// With nothing known about the service: failures after which it has made the transaction, or still makes it. A run that is
// killed is followed by the next one at once, so a 4xx after the commit needs honoured keys or a list without lag.
// Nor may the service reject the late request and its key from then on: nothing can be paid with it any more.
const unknownServiceScenes: readonly Scene[] = [...lateCases.slice(0, -1), ...afterCommitCases].map((fault) => ({
  name: `${fault.name}, nothing known`,
  fault,
  run: {waitMs: 5_000, mayResend: false, areKeysHonoured: false},
  combinations: combinations.filter(
    (one) =>
      !burnsKey(fault, one) &&
      !one.idempotency.startsWith('forget') &&
      (lateCases.includes(fault) || areKeysHonoured(one) || one.listLagSeconds === 0),
  ),
}))

export const scenes: readonly Scene[] = [
  ...trustedScenes.map((scene) => ({...scene, combinations: guaranteed})),
  ...unknownServiceScenes,
]

export const pickRotating = <T>(list: readonly T[], index: number): T => list[index % list.length] as T

// The step before which the recovery is killed.
export const pickSecond = (scene: Scene, crashAt: Step): Step =>
  pickRotating(steps, scenes.indexOf(scene) + steps.indexOf(crashAt) * 8)

// What comes before the run of a scene. A service that is waited for in real time answers sooner.
export async function prepareScene(
  stage: Stage,
  {fault: {fault}, isLasting, hadOtherAmount, wasUnanswered}: Scene,
  narrowing: Narrowing,
  key: string,
  journalFile: string,
  delayMs?: number,
): Promise<void> {
  const shorter = delayMs !== undefined && fault?.kind === 'delay' && {delayMs}
  stage.behave({})
  if (hadOtherAmount) await stage.run({key, journalFile, amount: '99', limits: {rateMin: '2'}})
  if (wasUnanswered) {
    stage.behave({dateHeader: 'left-out'}, {method: 'POST', path: '/transactions', kind: 'reset'})
    await stage.run({key, journalFile, mayResend: false, waitMs: 0})
    stage.advance(13 * minuteMs)
  }
  await stage.faceKinds(narrowing, ...(fault ? [{...fault, ...shorter, ...(isLasting && {times: Infinity})}] : []))
  if (wasUnanswered) stage.service.behaviour.hasDate = false
}

// Runs a scene without a crash, with every kind of service, and returns the steps that it took.
const playWhole = (stage: Stage, scene: Scene, journalFile: string) => {
  let runs = 0
  return playEveryKind(toKinds(scene.combinations), async (narrowing) => {
    const key = `${scene.name} ${runs++}`
    await prepareScene(stage, scene, narrowing, key, journalFile)
    const {steps: taken} = await stage.run({key, journalFile, ...scene.run})
    stage.tidy()
    return taken
  })
}

// Scenes in which svc takes the same steps with every kind of service are one case for what comes after: the fault was something else,
// and what svc did about it was the same. One of each is played in each run of the tests, and all of them in a soak.
export async function pickScenes(all: readonly Scene[] = scenes) {
  const cases = new Map<string, Array<{scene: Scene; reached: ReadonlyMap<Step, Kind>}>>()
  const stage = new Stage('none')
  const journalFile = stage.journal()
  for (const scene of all) {
    const whole = await playWhole(stage, scene, journalFile)
    const taken = whole.map(({kinds, played}) => [kinds.length, ...played])
    const name = JSON.stringify([taken, scene.run, scene.hadOtherAmount, scene.wasUnanswered])
    // With a kind of service that leads to it.
    const reached = new Map(whole.flatMap(({kinds, played}) => played.map((step) => [step, kinds[0] as Kind] as const)))
    cases.set(name, [...(cases.get(name) ?? []), {scene, reached}])
  }
  stage.close()
  return [...cases.values()].flatMap((same) => (isWhole ? same : [pickRotating(same, seed)]))
}

// Returns undefined if the run never came to the step.
export async function playCrash(
  stage: Stage,
  scene: Scene,
  crashAt: Step,
  narrowing: Narrowing,
  key: string,
  journalFile: string,
): Promise<string[] | undefined> {
  await prepareScene(stage, scene, narrowing, key, journalFile)
  const killed = await stage.run({key, journalFile, crashAt, ...scene.run})
  if (!killed.crashed) {
    stage.tidy()
    return undefined
  }
  const recovering = await stage.run({
    key,
    journalFile,
    crashAt: pickSecond(scene, crashAt),
    ...scene.run,
    limits: {},
  })
  const isUntrue = recovering.code === 0 && stage.made(key).length === 0
  return [...(isUntrue ? ['code 0 for nothing'] : []), ...(await checkAfterCrash(stage, scene, key, journalFile))]
}

// After the crashes: clears the faults, runs until the payment is made, and once more, which must change nothing.
export async function checkAfterCrash(
  stage: Stage,
  {run: {mayResend, areKeysHonoured: isTrusted, receive}}: Scene,
  key: string,
  journalFile: string,
): Promise<string[]> {
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
  return problems
}
