// Applies a plan step by step, and reports the outcome of every step.
import type {Client} from '../../client/client.ts'
import type {LooseRule} from '../../contract/loose.ts'
import {type ErrorKind, SvcError} from '../../errors.ts'
import {type ExitNotice, withExitNotice} from '../../cli/exit.ts'
import {toJsonLine} from '../../cli/output/formats.ts'
import {toText} from '../../cli/output/view.ts'
import {toConfiguration} from '../rule-configuration.ts'
import {createRuleOnce, deleteRule, updateRule} from '../writes.ts'
import type {Action, PlanStep} from './plan.ts'

type Outcome = 'done' | 'adopted' | 'failed' | 'unknown' | 'not tried'

export interface AppliedRow {
  action: Action
  id?: string | undefined
  // The id of the rule that was replaced.
  replacedId?: string
  name: string
  customerId: string
  outcome: Outcome
  // The old rule, if it was deleted and the new one could not be created.
  deleted?: LooseRule
  error?: {error: string; message: string; statusCode?: number}
}

// Deletions come last, so that nothing is removed for good before everything else exists.
const actionOrder: readonly Action[] = ['replace', 'update', 'create', 'delete']

// svc stops after this many steps in a row without a reply.
const unansweredMax = 2

export interface ApplyListener {
  onStep: (done: number, all: number) => void
  onLostReply: (step: PlanStep, lost: SvcError) => void
}

type OnLostReply = (lost: SvcError) => void

interface StepResult {
  rule?: LooseRule
  outcome?: Outcome
}

// A rule that somebody else has already deleted is not an error.
async function deleteIfPresent(client: Client, {existing, id = ''}: PlanStep, onLostReply: OnLostReply): Promise<void> {
  try {
    await deleteRule(client, id, {before: existing, onLostReply})
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind !== 'notFound') throw error
  }
}

async function createForStep(client: Client, {configuration}: PlanStep, onLostReply: OnLostReply): Promise<StepResult> {
  if (!configuration) throw new Error('a rule to create has no configuration')
  const {rule, adopted} = await createRuleOnce(client, configuration, {onLostReply})
  return {rule, outcome: adopted ? 'adopted' : 'done'}
}

// The old rule was deleted, and creating the new one failed.
class HalfReplacedError extends SvcError {
  readonly deleted: LooseRule | undefined

  constructor(cause: SvcError, deleted: LooseRule | undefined) {
    const {error, kind, hint, statusCode} = cause
    const newRule =
      kind === 'unknownOutcome' ? 'it is not known whether the new one exists' : 'the new one was not created'
    super({
      error,
      kind,
      message: `the old rule was deleted, and ${newRule}: ${cause.message}`,
      hint,
      statusCode,
      cause,
    })
    this.deleted = deleted
  }
}

type StepExecutor = (client: Client, step: PlanStep, onLostReply: OnLostReply) => Promise<StepResult>

const stepExecutors: Partial<Record<Action, StepExecutor>> = {
  create: createForStep,
  update: async (client, {id = '', configuration}, onLostReply) => {
    if (!configuration) throw new Error('a rule to update has no configuration')
    return {rule: await updateRule(client, id, configuration, {onLostReply})}
  },
  // Deletes before it creates: two active rules could pay twice, while a missing one only pays late.
  replace: async (client, step, onLostReply) => {
    await deleteIfPresent(client, step, onLostReply)
    try {
      return await createForStep(client, step, onLostReply)
    } catch (error) {
      throw error instanceof SvcError ? new HalfReplacedError(error, step.existing) : error
    }
  },
  delete: async (client, step, onLostReply) => {
    await deleteIfPresent(client, step, onLostReply)
    return {}
  },
}

const toRow = ({action, id, name, customerId}: PlanStep, outcome: Outcome): AppliedRow => ({
  action,
  ...(id !== undefined && {id}),
  name,
  customerId,
  outcome,
})

function toDoneRow(step: PlanStep, {rule, outcome = 'done'}: StepResult): AppliedRow {
  const row = toRow(step, outcome)
  const isReplaced = step.action === 'replace' && step.id !== undefined
  return {...row, ...(rule?.id !== undefined && {id: toText(rule.id)}), ...(isReplaced && {replacedId: step.id})}
}

function toFailedRow(step: PlanStep, failure: SvcError): AppliedRow {
  const {error, message, statusCode, kind} = failure
  const outcome = kind === 'unknownOutcome' ? 'unknown' : 'failed'
  const rowError = {error, message, ...(statusCode !== undefined && {statusCode})}
  if (!(failure instanceof HalfReplacedError)) return {...toRow(step, outcome), error: rowError}
  // The rule with the old id no longer exists.
  const {id: replacedId, ...row} = toRow(step, outcome)
  return {
    ...row,
    ...(replacedId !== undefined && {replacedId}),
    ...(failure.deleted && {deleted: failure.deleted}),
    error: rowError,
  }
}

const isUnanswered = (kind: ErrorKind) => kind === 'unreachable' || kind === 'unknownOutcome'

export interface ApplyResult {
  // In the order of the plan.
  rows: AppliedRow[]
  // One for each step that failed.
  failures: SvcError[]
}

const interruptionNotice: ExitNotice = {
  message: 'Interrupted; some changes may have been made',
  hint: 'Run the command again: it does only what remains to be done',
}

export const applyPlan = (client: Client, steps: readonly PlanStep[], listener: ApplyListener): Promise<ApplyResult> =>
  withExitNotice(() => interruptionNotice, applySteps(client, steps, listener))

async function applySteps(client: Client, steps: readonly PlanStep[], listener: ApplyListener): Promise<ApplyResult> {
  const rows = new Map(steps.map((step) => [step, toRow(step, step.action === 'unchanged' ? 'done' : 'not tried')]))
  const failures: SvcError[] = []
  // Customers with a failed step. Their rules are not deleted, because one of them may be the predecessor of a rule that
  // could not be created.
  const customersWithFailures = new Set<string>()
  const todo = actionOrder.flatMap((action) => steps.filter((step) => step.action === action))
  let unanswered = 0
  for (const [index, step] of todo.entries()) {
    listener.onStep(index, todo.length)
    if (step.action === 'delete' && customersWithFailures.has(step.customerId.toLowerCase())) continue
    try {
      const result = await stepExecutors[step.action]?.(client, step, (lost) => listener.onLostReply(step, lost))
      rows.set(step, toDoneRow(step, result ?? {}))
      unanswered = 0
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      rows.set(step, toFailedRow(step, error))
      failures.push(error)
      customersWithFailures.add(step.customerId.toLowerCase())
      unanswered = isUnanswered(error.kind) ? unanswered + 1 : 0
      if (error.kind === 'unauthenticated' || unanswered >= unansweredMax) break
    }
  }
  return {rows: [...rows.values()], failures}
}

const isDone = (outcome: Outcome) => outcome === 'done' || outcome === 'adopted'

function chooseKind({rows, failures: [first]}: ApplyResult): ErrorKind {
  if (rows.some(({outcome}) => outcome === 'unknown')) return 'unknownOutcome'
  const isAnyDone = rows.some(({action, outcome, deleted}) => (action !== 'unchanged' && isDone(outcome)) || deleted)
  return isAnyDone || !first ? 'partial' : first.kind
}

const rerunHint = 'Run the command again: it reads the rules first, and repeats nothing'

const restoreHint =
  'Correct what was rejected and run the command again. To restore the old rule until then, save it to a file and run `svc rules create -f FILE`'

// Not if the outcome is unknown: the new rule may exist, and then a restored old rule would also pay.
const needsRestoring = ({deleted, outcome}: AppliedRow) => deleted !== undefined && outcome === 'failed'

const chooseHint = ({rows, failures: [first]}: ApplyResult, kind: ErrorKind): string => {
  if (rows.some(needsRestoring)) return restoreHint
  return kind === 'unauthenticated' ? (first?.hint ?? rerunHint) : rerunHint
}

// One line, and a second one with the configuration of a rule that needs restoring.
function describeOpenRow(row: AppliedRow): string[] {
  const {action, name, error, outcome, deleted} = row
  const line = `${action} ${JSON.stringify(name)}: ${error?.message ?? outcome}`
  return needsRestoring(row) ? [line, `the old rule: ${toJsonLine(toConfiguration(deleted)).trimEnd()}`] : [line]
}

const openOutcomes: Partial<Record<Outcome, string>> = {
  failed: 'failed',
  unknown: 'may or may not have happened',
  'not tried': 'not tried',
}

// The error of the command if a step failed. If nothing was done, it is the error of the first step.
export function toApplyError(result: ApplyResult): SvcError | undefined {
  const {rows, failures} = result
  const open = rows.filter(({outcome}) => !isDone(outcome))
  const [first] = failures
  if (open.length === 0 || !first) return undefined
  const kind = chooseKind(result)
  const changes = rows.filter(({action}) => action !== 'unchanged').length
  const parts = Object.entries(openOutcomes)
    .map(([outcome, label]) => [rows.filter((row) => row.outcome === outcome).length, label] as const)
    .filter(([count]) => count > 0)
    .map(([count, label]) => `${count} ${label}`)
  return new SvcError({
    error: kind === 'partial' ? 'PARTLY_DONE' : first.error,
    kind,
    message: `Of ${changes === 1 ? '1 change' : `${changes} changes`}, ${parts.join(', ')}`,
    hint: chooseHint(result, kind),
    ...(kind !== 'partial' && first.statusCode !== undefined && {statusCode: first.statusCode}),
    problems: open.flatMap(describeOpenRow),
  })
}
