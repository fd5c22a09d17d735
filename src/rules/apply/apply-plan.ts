// Does what a plan says, a step at a time, each settled before the next; what became of every step is kept.
import type {Client} from '../../client/client.ts'
import {type ErrorKind, SvcError} from '../../errors.ts'
import {toText} from '../../cli/output/view.ts'
import {toJsonLine} from '../../cli/output/formats.ts'
import type {Action, PlanStep} from './plan.ts'
import {toConfiguration} from '../rule-configuration.ts'
import type {LooseRule} from '../../contract/loose.ts'
import {createRuleOnce, deleteRule, updateRule} from '../writes.ts'

type Outcome = 'done' | 'adopted' | 'failed' | 'unknown' | 'not tried'

export interface AppliedRow {
  action: Action
  id?: string | undefined
  // The id that a replaced rule had before.
  replacedId?: string
  name: string
  customerId: string
  outcome: Outcome
  // The rule that was to be replaced, as the service had it, where it is deleted and the new one did not come about.
  deleted?: LooseRule
  error?: {error: string; message: string; statusCode?: number}
}

// What may pay too little goes before what may pay too much, and nothing is taken away for good before the rest is there.
const order: readonly Action[] = ['replace', 'update', 'create', 'delete']

// A service that does not answer this often in a row is not asked further.
const unansweredMax = 2

export interface ApplyListener {
  onStep: (done: number, all: number) => void
  onLostReply: (step: PlanStep) => void
}

interface StepResult {
  rule?: LooseRule
  outcome?: Outcome
}

// What is gone already need not be deleted: someone else was quicker.
async function deleteIfPresent(client: Client, {existing, id = ''}: PlanStep, onLostReply: () => void): Promise<void> {
  try {
    await deleteRule(client, id, {before: existing, onLostReply})
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind !== 'notFound') throw error
  }
}

async function createForStep(client: Client, {configuration}: PlanStep, onLostReply: () => void): Promise<StepResult> {
  if (!configuration) throw new Error('a rule to create has no configuration')
  const {rule, adopted} = await createRuleOnce(client, configuration, {onLostReply})
  return {rule, outcome: adopted ? 'adopted' : 'done'}
}

// A replacement that ended between its two halves.
class HalfReplacedError extends SvcError {
  readonly deleted: LooseRule | undefined

  constructor(cause: SvcError, deleted: LooseRule | undefined) {
    const {error, kind, hint, statusCode} = cause
    const isThere =
      kind === 'unknownOutcome' ? 'it is not known whether the new one is there' : 'the new one is not there'
    super({
      error,
      kind,
      message: `the old rule is deleted, and ${isThere}: ${cause.message}`,
      hint,
      statusCode,
      cause,
    })
    this.deleted = deleted
  }
}

type StepExecutor = (client: Client, step: PlanStep, onLostReply: () => void) => Promise<StepResult>

const stepExecutors: Partial<Record<Action, StepExecutor>> = {
  create: createForStep,
  update: async (client, {id = '', configuration}, onLostReply) => {
    if (!configuration) throw new Error('a rule to update has no configuration')
    return {rule: await updateRule(client, id, configuration, {onLostReply})}
  },
  // First the one, then the other: two armed rules could pay twice, while none pays late.
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
  const why = {error, message, ...(statusCode !== undefined && {statusCode})}
  if (!(failure instanceof HalfReplacedError)) return {...toRow(step, outcome), error: why}
  // The id that it had leads nowhere any more.
  const {id: replacedId, ...row} = toRow(step, outcome)
  return {
    ...row,
    ...(replacedId !== undefined && {replacedId}),
    ...(failure.deleted && {deleted: failure.deleted}),
    error: why,
  }
}

const isUnanswered = (kind: ErrorKind) => kind === 'unreachable' || kind === 'unknownOutcome'

export interface ApplyResult {
  // In the order of the plan.
  rows: AppliedRow[]
  // The first failure of each step that failed.
  failures: SvcError[]
}

export async function applyPlan(
  client: Client,
  steps: readonly PlanStep[],
  watcher: ApplyListener,
): Promise<ApplyResult> {
  const rows = new Map(steps.map((step) => [step, toRow(step, step.action === 'unchanged' ? 'done' : 'not tried')]))
  const failures: SvcError[] = []
  // Whose rules did not all come about: what may be the forerunner of one of them is not taken away.
  const incomplete = new Set<string>()
  const todo = order.flatMap((action) => steps.filter((step) => step.action === action))
  let unanswered = 0
  for (const [index, step] of todo.entries()) {
    watcher.onStep(index, todo.length)
    if (step.action === 'delete' && incomplete.has(step.customerId.toLowerCase())) continue
    try {
      const done = await stepExecutors[step.action]?.(client, step, () => watcher.onLostReply(step))
      rows.set(step, toDoneRow(step, done ?? {}))
      unanswered = 0
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      rows.set(step, toFailedRow(step, error))
      failures.push(error)
      incomplete.add(step.customerId.toLowerCase())
      unanswered = isUnanswered(error.kind) ? unanswered + 1 : 0
      if (error.kind === 'unauthenticated' || unanswered >= unansweredMax) break
    }
  }
  return {rows: [...rows.values()], failures}
}

function chooseKind({rows, failures: [first]}: ApplyResult): ErrorKind {
  if (rows.some(({outcome}) => outcome === 'unknown')) return 'unknownOutcome'
  const isAnyDone = rows.some(
    ({action, outcome, deleted}) => (action !== 'unchanged' && /^(done|adopted)$/.test(outcome)) || deleted,
  )
  return isAnyDone || !first ? 'partial' : first.kind
}

const rerunHint = 'Run it again: it looks at what the service has first, and does nothing twice'

const restoreHint =
  'Mend what was refused and run it again; to have the old rule back meanwhile, give what it was to `svc rules create -f FILE`'

// Where it may have come about all the same, the old one beside it would pay as well.
const needsRestoring = ({deleted, outcome}: AppliedRow) => deleted !== undefined && outcome === 'failed'

const chooseHint = ({rows, failures: [first]}: ApplyResult, kind: ErrorKind): string => {
  if (rows.some(needsRestoring)) return restoreHint
  return kind === 'unauthenticated' ? (first?.hint ?? rerunHint) : rerunHint
}

// One line each, and for a rule that is gone without its successor another, from which it can be made again.
function describeOpenRow(row: AppliedRow): string[] {
  const {action, name, error, outcome, deleted} = row
  const what = `${action} ${JSON.stringify(name)}: ${error?.message ?? outcome}`
  return needsRestoring(row) ? [what, `what it was: ${toJsonLine(toConfiguration(deleted)).trimEnd()}`] : [what]
}

const openOutcomes: Partial<Record<Outcome, string>> = {
  failed: 'failed',
  unknown: 'may or may not have happened',
  'not tried': 'not tried',
}

// How the command ends where not every step was done. Where none was, it ends as the first one did.
export function toApplyError(applied: ApplyResult): SvcError | undefined {
  const {rows, failures} = applied
  const open = rows.filter(({outcome}) => outcome !== 'done' && outcome !== 'adopted')
  const [first] = failures
  if (open.length === 0 || !first) return undefined
  const kind = chooseKind(applied)
  const changes = rows.filter(({action}) => action !== 'unchanged').length
  const parts = Object.entries(openOutcomes)
    .map(([outcome, words]) => [rows.filter((row) => row.outcome === outcome).length, words] as const)
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} ${words}`)
  return new SvcError({
    error: kind === 'partial' ? 'PARTLY_DONE' : first.error,
    kind,
    message: `Of ${changes === 1 ? '1 change' : `${changes} changes`}, ${parts.join(', ')}`,
    hint: chooseHint(applied, kind),
    ...(kind !== 'partial' && first.statusCode !== undefined && {statusCode: first.statusCode}),
    problems: open.flatMap(describeOpenRow),
  })
}
