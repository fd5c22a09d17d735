// What the parts of the sandbox share: the house they live in, and the turn in which one of them acts.
import type {Database} from './store/database.ts'

export interface SandboxEnvironment {
  database: Database
  // Where the hosted forms live, without a slash at the end.
  formsUrl: string
}

// One request or one task: inside a transaction, at an instant of the virtual clock.
export interface RequestContext extends SandboxEnvironment {
  now: number
}
