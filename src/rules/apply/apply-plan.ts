// Applies a plan step by step, and reports the outcome of every step.
import type {Client} from '../../client/client.ts'
import type {LooseRule} from '../../contract/loose.ts'
import {type ErrorKind, SvcError} from '../../errors.ts'
import {type ExitNotice, withExitNotice} from '../../cli/exit.ts'
import {toJsonLine} from '../../cli/output/formats.ts'
import {toText} from '../../cli/output/view.ts'
import {countNoun, svc} from '../../values/text.ts'
import {toConfiguration} from '../rule-configuration.ts'
import {type Recheck, type RuleCreation, createRuleOnce, deleteRule, updateRule} from '../writes.ts'
import type {Action, PlanStep} from './plan.ts'

type Outcome = 'done' | 'adopted' | 'failed' | 'unknown' | 'not tried'

export interface AppliedRow {
  action: Action
  id?: string | undefined
  // The id of the rule that was replaced.
  replacedId?: string | undefined
  name: string
  customerId: string
  outcome: Outcome
  // The old rule, if it was deleted and the new one could not be created.
  deleted?: LooseRule | undefined
  error?: {error: string; message: string; statusCode: number | undefined}
}

// Deletions come last, so that nothing is removed for good before everything else exists.
const actionOrder: readonly Action[] = ['replace', 'update', 'create', 'delete']

// svc stops after this many steps in a row without a reply.
const unansweredMax = 2

export interface ApplyContext {
  // The service that the client calls, as notes name it.
  service: string
  onStep: (done: number, all: number) => void
  onLostReply: (step: PlanStep, lost: SvcError) => void
}

const toRow = ({action, id, name, customerId}: PlanStep, outcome: Outcome): AppliedRow => ({
  action,
  id,
  name,
  customerId,
  outcome,
})

// A rule that somebody else has already deleted is not an error.
async function deleteIfPresent(client: Client, {id = '', existing = {id}}: PlanStep, recheck: Recheck): Promise<void> {
  try {
    await deleteRule(client, id, existing, recheck)
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind !== 'notFound') throw error
  }
}

interface Applied {
  row: AppliedRow
  failure?: SvcError
}

function fail(step: PlanStep, failure: SvcError, more: Partial<AppliedRow> = {}): Applied {
  const {error, message, statusCode, kind} = failure
  const row = toRow(step, kind === 'unknownOutcome' ? 'unknown' : 'failed')
  return {row: {...row, ...more, error: {error, message, statusCode}}, failure}
}

// Deletes before it creates: two active rules could pay twice, while a missing one only pays late.
async function applyStep(client: Client, step: PlanStep, creation: RuleCreation): Promise<Applied> {
  const {action, id = '', existing, configuration} = step
  const row = toRow(step, 'done')
  let isDeleted = false
  try {
    if (action === 'update' && configuration) {
      await updateRule(client, id, configuration, creation)
      return {row}
    }
    if (action !== 'create') await deleteIfPresent(client, step, creation)
    if (!configuration) return {row}
    isDeleted = action === 'replace'
    const {rule, adopted} = await createRuleOnce(client, configuration, creation)
    const replacedId = isDeleted ? id : undefined
    return {row: {...row, id: toText(rule.id), replacedId, outcome: adopted ? 'adopted' : 'done'}}
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    if (!isDeleted) return fail(step, error)
    const isUnknown = error.kind === 'unknownOutcome'
    const newRule = isUnknown ? 'it is not known whether the new one exists' : 'the new one was not created'
    const message = `the old rule was deleted, and ${newRule}: ${error.message}`
    return fail(step, error.with({message}), {id: undefined, replacedId: id, deleted: existing})
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

export const applyPlan = (client: Client, steps: readonly PlanStep[], context: ApplyContext): Promise<ApplyResult> =>
  withExitNotice(() => interruptionNotice, applySteps(client, steps, context))

async function applySteps(client: Client, steps: readonly PlanStep[], context: ApplyContext): Promise<ApplyResult> {
  const rows = new Map(steps.map((step) => [step, toRow(step, step.action === 'unchanged' ? 'done' : 'not tried')]))
  const failures: SvcError[] = []
  // Customers with a failed step. Their rules are not deleted, because one of them may be the predecessor of a rule that
  // could not be created.
  const customersWithFailures = new Set<string>()
  const todo = actionOrder.flatMap((action) => steps.filter((step) => step.action === action))
  let unanswered = 0
  for (const [index, step] of todo.entries()) {
    context.onStep(index, todo.length)
    if (step.action === 'delete' && customersWithFailures.has(step.customerId.toLowerCase())) continue
    const {row, failure} = await applyStep(client, step, {
      service: context.service,
      onLostReply: (lost) => context.onLostReply(step, lost),
    })
    rows.set(step, row)
    unanswered = failure && isUnanswered(failure.kind) ? unanswered + 1 : 0
    if (!failure) continue
    failures.push(failure)
    customersWithFailures.add(step.customerId.toLowerCase())
    if (failure.kind === 'unauthenticated' || unanswered >= unansweredMax) break
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

const describeRestoring = () =>
  `Correct what was rejected and run the command again. To restore the old rule until then, save it to a file and run ${svc`rules create -f FILE`}`

// Not if the outcome is unknown: the new rule may exist, and then a restored old rule would also pay.
const needsRestoring = ({deleted, outcome}: AppliedRow) => deleted !== undefined && outcome === 'failed'

// One line, and a second one with the configuration of a rule that needs restoring.
function describeOpenRow(row: AppliedRow): string[] {
  const {action, name, error, outcome, deleted} = row
  const line = `${action} ${JSON.stringify(name)}: ${error?.message ?? outcome}`
  return needsRestoring(row) ? [line, `the old rule: ${toJsonLine(toConfiguration(deleted)).trimEnd()}`] : [line]
}

// The error of the command if a step failed. If nothing was done, it is the error of the first step.
export function toApplyError(result: ApplyResult): SvcError | undefined {
  const {rows, failures} = result
  const open = rows.filter(({outcome}) => !isDone(outcome))
  const [first] = failures
  if (open.length === 0 || !first) return undefined
  const kind = chooseKind(result)
  const changes = rows.filter(({action}) => action !== 'unchanged').length
  const parts = [...Map.groupBy(open, ({outcome}) => outcome)].map(([outcome, own]) => `${own.length} ${outcome}`)
  const hint = kind === 'unauthenticated' ? first.hint : undefined
  return new SvcError({
    error: kind === 'partial' ? 'PARTLY_DONE' : first.error,
    kind,
    message: `Of ${countNoun(changes, 'change')}, ${parts.join(', ')}`,
    hint: rows.some(needsRestoring) ? describeRestoring() : (hint ?? rerunHint),
    ...(kind !== 'partial' && first.statusCode !== undefined && {statusCode: first.statusCode}),
    problems: open.flatMap(describeOpenRow),
  })
}
