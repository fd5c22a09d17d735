// Does what a plan says, a step at a time, each settled before the next; what became of every step is kept.
import type {Client} from '../client/client.ts'
import {type ErrorKind, SvcError} from '../errors.ts'
import {toJsonLine} from '../cli/output/formats.ts'
import type {Action, Step} from './plan.ts'
import {configurationOf} from './rule-form.ts'
import {type Rule, createOnce, deleteSettled, updateSettled} from './writes.ts'

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
  deleted?: Rule
  error?: {error: string; message: string; statusCode?: number}
}

// What may pay too little goes before what may pay too much, and nothing is taken away for good before the rest is there.
const order: readonly Action[] = ['replace', 'update', 'create', 'delete']

// A service that does not answer this often in a row is not asked further.
const silencesMax = 2

export interface Watcher {
  onStep: (done: number, all: number) => void
  onSettling: (step: Step) => void
}

interface Done {
  rule?: Rule
  outcome?: Outcome
}

// What is gone already need not be deleted: someone else was quicker.
async function removed(client: Client, {existing, id = ''}: Step, onSettling: () => void): Promise<void> {
  try {
    await deleteSettled(client, id, {before: existing, onSettling})
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind !== 'notFound') throw error
  }
}

async function created(client: Client, {configuration}: Step, onSettling: () => void): Promise<Done> {
  if (!configuration) throw new Error('a rule to create has no configuration')
  const {rule, adopted} = await createOnce(client, configuration, {onSettling})
  return {rule, outcome: adopted ? 'adopted' : 'done'}
}

// A replacement that ended between its two halves.
class HalfReplaced extends SvcError {
  readonly deleted: Rule | undefined

  constructor(cause: SvcError, deleted: Rule | undefined) {
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

type Doing = (client: Client, step: Step, onSettling: () => void) => Promise<Done>

const doings: Partial<Record<Action, Doing>> = {
  create: created,
  update: async (client, {id = '', configuration}, onSettling) => {
    if (!configuration) throw new Error('a rule to update has no configuration')
    return {rule: await updateSettled(client, id, configuration, {onSettling})}
  },
  // First the one, then the other: two armed rules could pay twice, while none pays late.
  replace: async (client, step, onSettling) => {
    await removed(client, step, onSettling)
    try {
      return await created(client, step, onSettling)
    } catch (error) {
      throw error instanceof SvcError ? new HalfReplaced(error, step.existing) : error
    }
  },
  delete: async (client, step, onSettling) => {
    await removed(client, step, onSettling)
    return {}
  },
}

const rowOf = ({action, id, name, customerId}: Step, outcome: Outcome): AppliedRow => ({
  action,
  ...(id !== undefined && {id}),
  name,
  customerId,
  outcome,
})

function rowDone(step: Step, {rule, outcome = 'done'}: Done): AppliedRow {
  const row = rowOf(step, outcome)
  const isReplaced = step.action === 'replace' && step.id !== undefined
  return {...row, ...(rule && {id: rule.id}), ...(isReplaced && {replacedId: step.id})}
}

function rowFailed(step: Step, failure: SvcError): AppliedRow {
  const {error, message, statusCode, kind} = failure
  const outcome = kind === 'unknownOutcome' ? 'unknown' : 'failed'
  const why = {error, message, ...(statusCode !== undefined && {statusCode})}
  if (!(failure instanceof HalfReplaced)) return {...rowOf(step, outcome), error: why}
  // The id that it had leads nowhere any more.
  const {id: replacedId, ...row} = rowOf(step, outcome)
  return {
    ...row,
    ...(replacedId !== undefined && {replacedId}),
    ...(failure.deleted && {deleted: failure.deleted}),
    error: why,
  }
}

const isSilence = (kind: ErrorKind) => kind === 'unreachable' || kind === 'unknownOutcome'

export interface Applied {
  // In the order of the plan.
  rows: AppliedRow[]
  // The first failure of each step that failed.
  failures: SvcError[]
}

export async function applyPlan(client: Client, steps: readonly Step[], watcher: Watcher): Promise<Applied> {
  const rows = new Map(steps.map((step) => [step, rowOf(step, step.action === 'unchanged' ? 'done' : 'not tried')]))
  const failures: SvcError[] = []
  // Whose rules did not all come about: what may be the forerunner of one of them is not taken away.
  const incomplete = new Set<string>()
  const todo = order.flatMap((action) => steps.filter((step) => step.action === action))
  let silences = 0
  for (const [index, step] of todo.entries()) {
    watcher.onStep(index, todo.length)
    if (step.action === 'delete' && incomplete.has(step.customerId.toLowerCase())) continue
    try {
      const done = await doings[step.action]?.(client, step, () => watcher.onSettling(step))
      rows.set(step, rowDone(step, done ?? {}))
      silences = 0
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      rows.set(step, rowFailed(step, error))
      failures.push(error)
      incomplete.add(step.customerId.toLowerCase())
      silences = isSilence(error.kind) ? silences + 1 : 0
      if (error.kind === 'unauthenticated' || silences >= silencesMax) break
    }
  }
  return {rows: [...rows.values()], failures}
}

function chooseKind({rows, failures: [first]}: Applied): ErrorKind {
  if (rows.some(({outcome}) => outcome === 'unknown')) return 'unknownOutcome'
  const isAnyDone = rows.some(
    ({action, outcome, deleted}) => (action !== 'unchanged' && /^(done|adopted)$/.test(outcome)) || deleted,
  )
  return isAnyDone || !first ? 'partial' : first.kind
}

const again = 'Run it again: it looks at what the service has first, and does nothing twice'

const restore =
  'Mend what was refused and run it again; to have the old rule back meanwhile, give what it was to `svc rules create -f FILE`'

// Where it may have come about all the same, the old one beside it would pay as well.
const isToRestore = ({deleted, outcome}: AppliedRow) => deleted !== undefined && outcome === 'failed'

const hintFor = ({rows, failures: [first]}: Applied, kind: ErrorKind): string => {
  if (rows.some(isToRestore)) return restore
  return kind === 'unauthenticated' ? (first?.hint ?? again) : again
}

// One line each, and for a rule that is gone without its successor another, from which it can be made again.
function problemsOf(row: AppliedRow): string[] {
  const {action, name, error, outcome, deleted} = row
  const what = `${action} ${JSON.stringify(name)}: ${error?.message ?? outcome}`
  return isToRestore(row) ? [what, `what it was: ${toJsonLine(configurationOf(deleted)).trimEnd()}`] : [what]
}

const outcomesOpen: Partial<Record<Outcome, string>> = {
  failed: 'failed',
  unknown: 'may or may not have happened',
  'not tried': 'not tried',
}

// How the command ends where not every step was done. Where none was, it ends as the first one did.
export function endingOf(applied: Applied): SvcError | undefined {
  const {rows, failures} = applied
  const open = rows.filter(({outcome}) => outcome !== 'done' && outcome !== 'adopted')
  const [first] = failures
  if (open.length === 0 || !first) return undefined
  const kind = chooseKind(applied)
  const changes = rows.filter(({action}) => action !== 'unchanged').length
  const parts = Object.entries(outcomesOpen)
    .map(([outcome, words]) => [rows.filter((row) => row.outcome === outcome).length, words] as const)
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} ${words}`)
  return new SvcError({
    error: kind === 'partial' ? 'PARTLY_DONE' : first.error,
    kind,
    message: `Of ${changes === 1 ? '1 change' : `${changes} changes`}, ${parts.join(', ')}`,
    hint: hintFor(applied, kind),
    ...(kind !== 'partial' && first.statusCode !== undefined && {statusCode: first.statusCode}),
    problems: open.flatMap(problemsOf),
  })
}
