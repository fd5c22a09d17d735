// What whoever runs the sandbox can do about faults and behaviours.
import {operate} from '../operation.ts'
import type {House} from '../request-context.ts'
import {type Behaviours, behavioursOf, resetBehaviours, setBehaviours} from './behaviours.ts'
import {addFault, clearFaults, listFaults, type NewFault, type ShownFault} from './faults.ts'

export interface FaultControls {
  add(fault: NewFault): ShownFault
  list(): ShownFault[]
  // All of them, or the one that is named; what was cleared comes back.
  clear(faultId?: string): ShownFault[]
  behaviours(): Behaviours
  setBehaviours(changes: Partial<Behaviours>): Behaviours
  resetBehaviours(): Behaviours
}

export const faultControls = (house: House): FaultControls => ({
  add: (fault) => operate(house, (turn) => addFault(turn, fault)),
  list: () => listFaults(house.database),
  clear: (faultId) => operate(house, (turn) => clearFaults(turn, faultId)),
  behaviours: () => behavioursOf(house.database),
  setBehaviours: (changes) => operate(house, ({database}) => setBehaviours(database, changes)),
  resetBehaviours: () => operate(house, ({database}) => resetBehaviours(database)),
})
