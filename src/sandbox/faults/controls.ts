// What whoever runs the sandbox can do about faults and behaviours.
import {runOperation} from '../operation.ts'
import type {SandboxEnvironment} from '../request-context.ts'
import {type Behaviours, readBehaviours, resetBehaviours, setBehaviours} from './behaviours.ts'
import {addFault, clearFaults, listFaults, type NewFault, type FaultRecord} from './faults.ts'

export interface FaultControls {
  add(fault: NewFault): FaultRecord
  list(): FaultRecord[]
  // All of them, or the one that is named; what was cleared comes back.
  clear(faultId?: string): FaultRecord[]
  behaviours(): Behaviours
  setBehaviours(changes: Partial<Behaviours>): Behaviours
  resetBehaviours(): Behaviours
}

export const faultControls = (house: SandboxEnvironment): FaultControls => ({
  add: (fault) => runOperation(house, (turn) => addFault(turn, fault)),
  list: () => listFaults(house.database),
  clear: (faultId) => runOperation(house, (turn) => clearFaults(turn, faultId)),
  behaviours: () => readBehaviours(house.database),
  setBehaviours: (changes) => runOperation(house, ({database}) => setBehaviours(database, changes)),
  resetBehaviours: () => runOperation(house, ({database}) => resetBehaviours(database)),
})
