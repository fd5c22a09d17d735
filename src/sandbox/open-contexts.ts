// Opens the contexts of requests and tasks that run in one transaction. One query reads what all of them need.
import {parseBehaviours, selectBehaviourChanges} from './service/faults/behaviours.ts'
import type {RequestContext, SandboxEnvironment} from './service/request-context.ts'

interface Row {
  offsetMs: number
  frozenAt: number | null
  changes: string | null
}

const selectMoment = `select offsetMs, frozenAt, (${selectBehaviourChanges}) as changes from sandbox`

// Gives the context of an instant, by default of the current one.
export type OpenContext = (now?: number) => RequestContext

// Inside a transaction, nobody else can change the clock or the behaviours, so they are read once.
export function openContexts(environment: SandboxEnvironment): OpenContext {
  const {offsetMs, frozenAt, changes} = environment.database.only<Row>(selectMoment)
  const behaviours = parseBehaviours(changes)
  let last: RequestContext | undefined
  return (now = frozenAt ?? Date.now() + offsetMs) => {
    if (last?.now !== now) last = {...environment, now, behaviours}
    return last
  }
}
