// The tools that pay: one prices a payment and checks the limits, the other pays it once, after a person's yes.
import {createHash} from 'node:crypto'
import {z} from 'zod'
import type {PricedPayment} from '../cli/config.ts'
import type {HelpSource} from '../cli/help/help-source.ts'
import {SvcError, badUsage} from '../errors.ts'
import {bindToPolicy} from '../bind-policy.ts'
import type {Caller} from '../profiles/caller.ts'
import {readText} from '../values/records.ts'
import {type AskOptions, askPerson, computeWaitMs} from './ask-person.ts'
import {type RunTool, type ToolAnswer, describeFailure} from './run-tool.ts'
import {createInput, payInput, toFlags} from './tools.ts'

const keyAdvice =
  'The key names this payment for ever, such as invoice-4711: choose it from what is paid, and use the same one for every retry. Another key is another payment.'

const text = z.string().min(1).max(500)

export const createPrepareInput = (help: HelpSource) =>
  createInput(help, payInput).extend({key: text.describe(keyAdvice)})

export const commitInput = z.strictObject({
  planId: text.describe('From pay_prepare'),
  key: text.describe(`The same key as in pay_prepare. ${keyAdvice}`),
})

export const payDescriptions = {
  pay_prepare: `Prices a payment and checks the limits of the profile, without paying. Returns a plan id for pay_commit. ${keyAdvice}`,
  pay_commit:
    'Pays a prepared plan, once. A person at this machine is asked on a page that svc opens; silence is a no, and nothing in the chat counts as a yes. A yes is for one attempt. If the answer is pending, call it again: the question stays the same. A call that is cancelled ends the question. If the answer is lost or the outcome is unknown, call it again with the same plan and the same key: it pays once.',
}

interface Plan {
  key: string
  argv: string[]
}

// Nothing but the content decides the id, so preparing the same payment again gives the same plan.
const createPlanId = (argv: readonly string[], profile: string) =>
  `plan_${createHash('sha256')
    .update(JSON.stringify([profile, ...argv]))
    .digest('hex')
    .slice(0, 24)}`

const refuse = (error: string, message: string, hint: string): ToolAnswer =>
  describeFailure(new SvcError({error, kind: 'limit', message, hint}))

interface PaymentToolSettings {
  profile: string
  runTool: RunTool
  // The profile as it is now: it may be changed while the server runs.
  findCaller: () => Caller | undefined
  ask: AskOptions
}

// A call of pay_commit, as its program made it.
export interface CommitCall {
  // Aborted when the program no longer waits for the answer.
  signal: AbortSignal
  // Tells the program from time to time what is waited for, if it wants to know. A program that
  // does not gets an answer before it gives up.
  report?: ((passedMs: number, message: string) => void) | undefined
}

const reportIntervalMs = 5_000
// Clients give up after 60 s without a word.
const patienceMs = 50_000

// The answer that all calls of one plan wait for.
interface Commit {
  answer: Promise<ToolAnswer>
  // The calls that wait for it.
  calls: Set<CommitCall>
  // Aborted when the last of them was cancelled.
  withdrawal: AbortController
  // When the person has to have answered, while there is a question.
  askedUntilMs?: number | undefined
  // Called when a call begins to wait.
  onCall?: () => void
}

// Why this profile may not pay through an agent.
function findRefusal(caller: Caller | undefined, profile: string): ToolAnswer | undefined {
  if (!caller) return refuse('NO_PROFILE', `There is no profile "${profile}"`, 'Ask the operator')
  if (caller.readOnly) {
    return refuse('READ_ONLY', `The profile "${profile}" may only read`, 'The operator can change that')
  }
  const {paymentMax, dayMax} = caller.spending ?? {}
  if (paymentMax ?? dayMax) return undefined
  return refuse(
    'NO_CAPS',
    `Neither the profile "${profile}" nor the policy has caps, and an agent pays only within caps`,
    `The operator sets them: \`svc profiles set ${profile} --payment-max USDC=100 --day-max USDC=500\``,
  )
}

// A key with {hour} would be another payment every hour.
const keyFault = badUsage(
  'The key of an agent names one payment, so it has no placeholders and no braces',
  'Choose it from what is paid, such as invoice-4711',
)

const notApproved = refuse(
  'NOT_APPROVED',
  'Nobody at this machine said yes, so nothing was paid',
  'Ask the person, then call it again',
)

function describeWaiting({askedUntilMs}: Commit): string {
  if (askedUntilMs === undefined) return 'svc reads the price, or pays'
  const seconds = Math.max(0, Math.round((askedUntilMs - performance.now()) / 1000))
  const left = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return `waiting for the yes of the person at this machine, ${left} left`
}

// The question or the payment goes on, for the next call with the same arguments.
const describePending = (commit: Commit): ToolAnswer =>
  describeFailure(
    new SvcError({
      error: 'PENDING',
      kind: 'pending',
      message: `Not finished: ${describeWaiting(commit)}`,
      hint: 'Call pay_commit again now, with the same plan and the same key: the question stays the same',
    }),
  )

// Waits for the answer that all calls of a plan share, for as long as this call does.
async function waitFor(commit: Commit, call: CommitCall): Promise<ToolAnswer> {
  const {signal, report} = call
  const startedMs = performance.now()
  const {promise: left, resolve: setAnswer} = Promise.withResolvers<ToolAnswer>()
  const leave = (answer: ToolAnswer) => {
    commit.calls.delete(call)
    setAnswer(answer)
  }
  const withdraw = () => {
    leave(notApproved)
    if (commit.calls.size === 0) commit.withdrawal.abort()
  }
  const tell = () => report?.(performance.now() - startedMs, describeWaiting(commit))
  const timer = report
    ? setInterval(tell, reportIntervalMs)
    : setTimeout(() => leave(describePending(commit)), patienceMs)
  commit.calls.add(call)
  commit.onCall?.()
  signal.addEventListener('abort', withdraw, {once: true})
  try {
    return await Promise.race([commit.answer, left])
  } finally {
    clearInterval(timer)
    signal.removeEventListener('abort', withdraw)
    commit.calls.delete(call)
  }
}

// Whether a call waits, or comes within this time. After the answer pending none does, and the
// program may have gone.
async function isCalled(commit: Commit, withinMs: number, signal: AbortSignal): Promise<boolean> {
  if (commit.calls.size > 0) return true
  return new Promise((resolve) => {
    commit.onCall = () => resolve(true)
    setTimeout(resolve, withinMs, false).unref()
    signal.addEventListener('abort', () => resolve(false), {once: true})
  })
}

export function createPaymentTools({profile, runTool, findCaller, ask}: PaymentToolSettings) {
  const plans = new Map<string, Plan>()
  const pending = new Map<string, Commit>()

  // Pays as `svc pay` does, with a page that asks the person. A payment that was made before, or that a
  // limit stops, has no question: it is reported, and nobody is asked.
  async function payWithYes({argv, key}: Plan, commit: Commit): Promise<ToolAnswer> {
    // When the session ends nobody waits, also after an answer that was pending.
    const signal = AbortSignal.any([commit.withdrawal.signal, ...(ask.signal ? [ask.signal] : [])])
    const confirm = async (priced: PricedPayment): Promise<boolean> => {
      if (signal.aborted) return false
      const askedUntilMs = performance.now() + computeWaitMs(ask, priced)
      commit.askedUntilMs = askedUntilMs
      const isAwaited = () => commit.calls.size > 0
      const given = await askPerson({...priced, quotation: key, profile}, {...ask, withdrawn: signal, isAwaited})
      commit.askedUntilMs = undefined
      if (given !== 'yes' || !(await isCalled(commit, askedUntilMs - performance.now(), signal))) return false
      return !signal.aborted && performance.now() < askedUntilMs
    }
    return runTool('pay', [...argv, '--yes'], {confirm, signal})
  }

  function startCommit(planId: string, plan: Plan): Commit {
    const commit: Commit = {answer: Promise.resolve(notApproved), calls: new Set(), withdrawal: new AbortController()}
    pending.set(planId, commit)
    commit.answer = payWithYes(plan, commit).finally(() => pending.get(planId) === commit && pending.delete(planId))
    return commit
  }

  return {
    async prepare(input: Readonly<Record<string, unknown>>): Promise<ToolAnswer> {
      const key = readText(input['key'])
      if (/[{}]/.test(key)) return describeFailure(keyFault)
      const argv = toFlags(input)
      // A payment that is prepared is meant to be made, so that a new payee begins to wait.
      const answer = await runTool('pay', [...argv, '--dry-run'], {})
      const planId = createPlanId(argv, profile)
      if (answer.exitCode !== 0) return answer
      plans.set(planId, {key, argv})
      return {...answer, planId, key}
    },

    async commit({planId, key}: z.output<typeof commitInput>, call: CommitCall): Promise<ToolAnswer> {
      const plan = plans.get(planId)
      if (!plan)
        return refuse('NO_PLAN', `There is no plan ${planId}`, 'Call pay_prepare with the same content and key')
      if (plan.key !== key) {
        return refuse('OTHER_KEY', 'The plan was prepared with another key', 'Use the key of pay_prepare')
      }
      const caller = findCaller()
      const refusal = findRefusal(caller && (await bindToPolicy(caller)), profile)
      if (refusal || call.signal.aborted) return refusal ?? notApproved
      // Calls that repeat a question while it is open wait for the same answer.
      const known = pending.get(planId)
      const commit = known && !known.withdrawal.signal.aborted ? known : startCommit(planId, plan)
      return waitFor(commit, call)
    },
  }
}
