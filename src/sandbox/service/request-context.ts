// What the modules of the sandbox are given: the environment of a whole sandbox, and the context of one request or task.
import type {JournalSource} from '../../web/console/source.ts'
import type {Entrance} from '../../web/entrance.ts'
import type {Database} from '../store/database.ts'
import type {Behaviours} from './faults/behaviour-table.ts'
import {parseBehaviours, selectBehaviourChanges} from './faults/behaviours.ts'

export interface SandboxEnvironment {
  database: Database
  // The base URL of the hosted forms, without a slash at the end.
  formsUrl: string
  // Whether events are stored although no endpoint gets them.
  keepsEvents?: boolean | undefined
  // Who is let into the console. In process, where only svc itself can call it, everybody is.
  consoleEntrance?: Entrance | undefined
  // The payments that the journal of this machine has for this sandbox, if the console shows them.
  journal?: (() => JournalSource) | undefined
}

// A request or a task runs inside a transaction, at one instant of the virtual clock.
export interface RequestContext extends SandboxEnvironment {
  now: number
  behaviours: Behaviours
}

interface Row {
  offsetMs: number
  frozenAt: number | null
  changes: string | null
}

const selectMoment = `select offsetMs, frozenAt, (${selectBehaviourChanges}) as changes from sandbox`

// Gives the context of an instant, by default of the current one.
export type OpenContext = (now?: number) => RequestContext

// Opens the contexts of requests and tasks that run in one transaction. Inside it, nobody else can change the clock or the behaviours,
// so one query reads what all of them need.
export function openContexts(environment: SandboxEnvironment): OpenContext {
  const {offsetMs, frozenAt, changes} = environment.database.only<Row>(selectMoment)
  const behaviours = parseBehaviours(changes)
  let last: RequestContext | undefined
  return (now = frozenAt ?? Date.now() + offsetMs) => {
    if (last?.now !== now) last = {...environment, now, behaviours}
    return last
  }
}
