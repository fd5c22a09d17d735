// What the steps of a scenario work on, and what they return.
import type {Sandbox} from '../sandbox.ts'
import type {Receivers} from './receivers.ts'
import type {Thing} from './references.ts'

export interface Stage {
  sandbox: Sandbox
  // What the steps so far made, by name.
  things: Map<string, Thing>
  receivers: Receivers
  // The snapshots of a sandbox in memory, which has no folder for them.
  images: Map<string, Uint8Array>
}

export interface StepOutcome {
  // What is shown of the step.
  result?: Record<string, unknown>
  made?: {name: string; thing: Thing}
}

// A step did not go as the scenario says.
export class StepFailure extends Error {
  override name = 'StepFailure'
  readonly expected: string
  readonly found: string
  // The line of the expectation, if it is not that of the step.
  readonly line: number | undefined

  constructor(expected: string, found: string, line?: number) {
    super(`expected ${expected}, found ${found}`)
    this.expected = expected
    this.found = found
    this.line = line
  }
}
