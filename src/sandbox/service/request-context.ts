// What the modules of the sandbox are given: the environment of a whole sandbox, and the context of one request or task.
import type {JournalSource} from '../../web/console/source.ts'
import type {Behaviours} from './faults/behaviour-table.ts'
import type {Database} from '../store/database.ts'

export interface SandboxEnvironment {
  database: Database
  // The base URL of the hosted forms, without a slash at the end.
  formsUrl: string
  // Whether events are stored although no endpoint gets them.
  keepsEvents?: boolean | undefined
  // What a request to the console must know. In process, where only svc itself can call it, there is none.
  consoleToken?: string | undefined
  // The payments that the journal of this machine has for this sandbox, if the console shows them.
  journal?: (() => JournalSource) | undefined
}

// A request or a task runs inside a transaction, at one instant of the virtual clock.
export interface RequestContext extends SandboxEnvironment {
  now: number
  behaviours: Behaviours
}
