// Does what a plan says, a step at a time, each settled before the next; what became of every step is kept.
import type {Client} from '../client/client.ts'
import {type ExitCode, SvcError, exitCodes} from '../errors.ts'
import type {Action, Step} from './plan.ts'
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
async function deleted(client: Client, {existing, id = ''}: Step, onSettling: () => void): Promise<void> {
  try {
    await deleteSettled(client, id, {before: existing, onSettling})
  } catch (error) {
    if (!(error instanceof SvcError) || error.exitCode !== exitCodes.notFound) throw error
  }
}

async function created(client: Client, {configuration}: Step, onSettling: () => void): Promise<Done> {
  if (!configuration) throw new Error('a rule to create has no configuration')
  const {rule, adopted} = await createOnce(client, configuration, {onSettling})
  return {rule, outcome: adopted ? 'adopted' : 'done'}
}

const halfReplaced = (cause: SvcError) =>
  new SvcError({
    error: cause.error,
    exitCode: cause.exitCode,
    message: `the old rule is deleted, and the new one is not there: ${cause.message}`,
    hint: cause.hint,
    statusCode: cause.statusCode,
    cause,
  })

type Doing = (client: Client, step: Step, onSettling: () => void) => Promise<Done>

const doings: Partial<Record<Action, Doing>> = {
  create: created,
  update: async (client, {id = '', configuration}, onSettling) => {
    if (!configuration) throw new Error('a rule to update has no configuration')
    return {rule: await updateSettled(client, id, configuration, {onSettling})}
  },
  // First the one, then the other: two armed rules could pay twice, while none pays late.
  replace: async (client, step, onSettling) => {
    await deleted(client, step, onSettling)
    try {
      return await created(client, step, onSettling)
    } catch (error) {
      throw error instanceof SvcError ? halfReplaced(error) : error
    }
  },
  delete: async (client, step, onSettling) => {
    await deleted(client, step, onSettling)
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

function rowFailed(step: Step, {error, message, statusCode, exitCode}: SvcError): AppliedRow {
  const row = rowOf(step, exitCode === exitCodes.unknown ? 'unknown' : 'failed')
  return {...row, error: {error, message, ...(statusCode !== undefined && {statusCode})}}
}

const isSilence = (code: ExitCode) => code === exitCodes.unreachable || code === exitCodes.unknown

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
      silences = isSilence(error.exitCode) ? silences + 1 : 0
      if (error.exitCode === exitCodes.credential || silences >= silencesMax) break
    }
  }
  return {rows: [...rows.values()], failures}
}

function codeOf({rows, failures: [first]}: Applied): ExitCode {
  if (rows.some(({outcome}) => outcome === 'unknown')) return exitCodes.unknown
  const isAnyDone = rows.some(({action, outcome}) => action !== 'unchanged' && /^(done|adopted)$/.test(outcome))
  return isAnyDone || !first ? exitCodes.partly : first.exitCode
}

const again = 'Run it again: it looks at what the service has first, and does nothing twice'

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
  const exitCode = codeOf(applied)
  const changes = rows.filter(({action}) => action !== 'unchanged').length
  const parts = Object.entries(outcomesOpen)
    .map(([outcome, words]) => [rows.filter((row) => row.outcome === outcome).length, words] as const)
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} ${words}`)
  return new SvcError({
    error: exitCode === exitCodes.partly ? 'PARTLY_DONE' : first.error,
    exitCode,
    message: `Of ${changes === 1 ? '1 change' : `${changes} changes`}, ${parts.join(', ')}`,
    hint: exitCode === exitCodes.credential ? (first.hint ?? again) : again,
    ...(exitCode !== exitCodes.partly && first.statusCode !== undefined && {statusCode: first.statusCode}),
    problems: open.map(
      ({action, name, error, outcome}) => `${action} ${JSON.stringify(name)}: ${error?.message ?? outcome}`,
    ),
  })
}
