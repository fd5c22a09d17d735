// Plays a scenario in a sandbox, step by step. On a fresh sandbox the same scenario gives the same ids, times and results.
import type {z} from 'zod'
import {SvcError, badUsage} from '../../errors.ts'
import {ControlError} from '../operations/control-error.ts'
import type {Result} from '../../sandbox-results.ts'
import type {Sandbox} from '../sandbox.ts'
import * as control from './control-steps.ts'
import {checkExpectation} from './expectations.ts'
import type {Scenario, ScenarioStep} from './read-scenario.ts'
import {createReceivers} from './receivers.ts'
import {type Stage, StepFailure, type StepOutcome, UnresolvedReference, resolveReferences} from './stage.ts'
import {RequestFailure} from './service-steps.ts'
import * as service from './service-steps.ts'
import {type Action, type StepFields, makes, stepSchemas} from './step-schemas.ts'

export interface PlayOptions {
  // Starts over first, with the seed and the start of the scenario.
  isFresh?: boolean | undefined
}

// A Monday.
const startDefault = new Date('2026-01-05T09:00:00Z')

type Runner<A extends Action> = (stage: Stage, fields: StepFields<A>) => StepOutcome | Promise<StepOutcome>

const runners: {[A in Action]: Runner<A>} = {
  customer: service.createCustomer,
  submit: service.submitData,
  verify: control.verify,
  account: control.addAccount,
  fund: control.fund,
  quote: service.createQuote,
  transaction: service.createTransaction,
  pay: service.pay,
  settle: control.settle,
  rule: service.createRule,
  fault: control.addFault,
  faults: control.clearFaults,
  behave: control.behave,
  remove: control.remove,
  webhook: control.addWebhook,
  clock: control.moveClock,
  snapshot: control.saveSnapshot,
  restore: control.restoreSnapshot,
  seed: control.addCustomers,
  request: service.sendOwnRequest,
  expect: () => ({}),
}

const refusedAs = (error: string, message: string | undefined) =>
  message === undefined ? `to be refused with ${error}` : `to be refused with ${error} and the words "${message}"`

interface Refusal {
  fails?: string | undefined
  message?: string | undefined
}

// A request may be meant to fail. Then its error is the result.
async function runAsExpected(run: () => Promise<StepOutcome>, {fails, message}: Refusal): Promise<StepOutcome> {
  const isExpected = (failure: RequestFailure) =>
    failure.error === fails && (message === undefined || failure.message.includes(message))
  let outcome: StepOutcome
  try {
    outcome = await run()
  } catch (failure) {
    if (!(failure instanceof RequestFailure)) throw failure
    if (isExpected(failure)) return {result: {error: failure.error}}
    const expected = fails === undefined ? 'the request to succeed' : `the request ${refusedAs(fails, message)}`
    throw new StepFailure(expected, `${failure.error} (${failure.message})`)
  }
  if (fails === undefined) return outcome
  throw new StepFailure(`the request ${refusedAs(fails, message)}`, 'that it succeeded')
}

function parseFields<A extends Action>(action: A, fields: unknown): StepFields<A> {
  const schema: z.ZodType = stepSchemas[action]
  const parsed = schema.safeParse(fields)
  if (parsed.success) return parsed.data as StepFields<A>
  const [issue] = parsed.error.issues
  throw new StepFailure(`that ${issue?.path.join('.') ?? ''} fits`, `that it ${issue?.message ?? ''}`)
}

async function runStep(stage: Stage, {action, fields, expectations}: ScenarioStep): Promise<StepOutcome> {
  const {expect: _, ...own} = fields
  const parsed = parseFields(action, resolveReferences(stage.things, own))
  const run = runners[action] as Runner<Action>
  const outcome = await runAsExpected(async () => run(stage, parsed), action === 'verify' ? {} : (parsed as Refusal))
  if (outcome.made) stage.things.set(outcome.made.name, outcome.made.thing)
  stage.receivers.deliver()
  for (const {subject, fields: expected, line} of expectations) {
    checkExpectation(stage, subject, resolveReferences(stage.things, expected), line)
  }
  return outcome
}

// Everything else is a fault in svc.
function toStepFailure(error: unknown): StepFailure {
  if (error instanceof StepFailure) return error
  if (error instanceof ControlError) return new StepFailure('the sandbox to do it', `that it cannot (${error.message})`)
  if (error instanceof UnresolvedReference) return new StepFailure('the reference to have a value', error.message)
  throw error
}

const describeSubject = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .map(([key, inner]) => `${key} ${String(inner)}`)
        .join(', ')
    : undefined
}

// An expectation is about what it names first.
function describeStep({action, fields, expectations}: ScenarioStep): string | undefined {
  if (action !== 'expect') return describeSubject(fields[makes[action]?.field ?? action] ?? fields[action])
  const [first] = expectations
  const others = expectations.length > 1 ? ` and ${expectations.length - 1} more` : ''
  return first && `${first.subject} ${String(first.fields[first.subject])}${others}`
}

async function playStep(stage: Stage, step: ScenarioStep): Promise<Result<'PlayedStep'>> {
  const {number, line, action, fields} = step
  const subject = describeStep(step)
  const about = {
    step: number,
    line,
    action,
    ...(subject !== undefined && {subject}),
    ...(typeof fields['note'] === 'string' && {note: fields['note']}),
  }
  const readTime = () => new Date(stage.sandbox.clock.status().now).toISOString()
  try {
    const {result} = await runStep(stage, step)
    return {...about, at: readTime(), ok: true, ...(result && {result})}
  } catch (error) {
    const {expected, found, line: innerLine = line} = toStepFailure(error)
    return {...about, line: innerLine, at: readTime(), ok: false, expected, found}
  }
}

// Time stands still while a scenario is played, so that it does not depend on how fast the machine is.
function prepare(sandbox: Sandbox, {seed, start}: Scenario, isFresh: boolean): void {
  if (isFresh) {
    sandbox.reset({seed, frozenAt: start ?? startDefault})
    return
  }
  const {clock} = sandbox
  const {now} = clock.status()
  if (start && start.getTime() < Date.parse(now)) {
    throw badUsage(
      `The scenario starts at ${start.toISOString()}, and the clock of the sandbox is at ${now} already`,
      'Play it with --fresh, which starts over',
    )
  }
  clock.freeze(start)
  return undefined
}

// Plays while it is read, and ends early after a step that failed.
export async function* playScenario(
  sandbox: Sandbox,
  scenario: Scenario,
  {isFresh = false}: PlayOptions = {},
): AsyncGenerator<Result<'PlayedStep'>, void, void> {
  const wasFrozen = isFresh || sandbox.clock.status().frozen
  prepare(sandbox, scenario, isFresh)
  const keptEvents = sandbox.scenarios.keepEvents(true)
  const receivers = createReceivers(sandbox)
  const stage: Stage = {sandbox, receivers, things: new Map(), images: new Map()}
  try {
    for (const step of scenario.steps) {
      const played = await playStep(stage, step)
      yield played
      if (!played.ok) return
    }
  } finally {
    receivers.removeAll()
    sandbox.scenarios.keepEvents(keptEvents)
    if (!wasFrozen) sandbox.clock.run()
  }
}

export const createPlayFailure = ({step, line, expected = '', found = ''}: Result<'PlayedStep'>): SvcError =>
  new SvcError({
    error: 'EXPECTATION_FAILED',
    kind: 'finding',
    effect: 'done',
    message: `Step ${step}, line ${line}: expected ${expected}, found ${found}`,
    hint: 'The steps after it were not played',
  })
