// The controls of faults and behaviours.
import {runOperation} from '../operation.ts'
import type {SandboxEnvironment} from '../request-context.ts'
import {type Behaviours, readBehaviours, resetBehaviours, setBehaviours} from './behaviours.ts'
import {addFault, clearFaults, listFaults, type NewFault, type FaultRecord} from './faults.ts'

export interface FaultControls {
  add(fault: NewFault): FaultRecord
  list(): FaultRecord[]
  // Clears all faults or the named one, and returns them.
  clear(faultId?: string): FaultRecord[]
  behaviours(): Behaviours
  setBehaviours(changes: Partial<Behaviours>): Behaviours
  resetBehaviours(): Behaviours
}

export const createFaultControls = (environment: SandboxEnvironment): FaultControls => ({
  add: (fault) => runOperation(environment, (context) => addFault(context, fault)),
  list: () => listFaults(environment.database),
  clear: (faultId) => runOperation(environment, (context) => clearFaults(context, faultId)),
  behaviours: () => readBehaviours(environment.database),
  setBehaviours: (changes) => runOperation(environment, ({database}) => setBehaviours(database, changes)),
  resetBehaviours: () => runOperation(environment, ({database}) => resetBehaviours(database)),
})
