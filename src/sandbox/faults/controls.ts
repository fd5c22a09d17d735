// What whoever runs the sandbox can do about faults and behaviours.
import {operate} from '../operation.ts'
import type {House} from '../turn.ts'
import {type Behaviours, behavioursOf, setBehaviours} from './behaviours.ts'

export interface FaultControls {
  behaviours(): Behaviours
  setBehaviours(changes: Partial<Behaviours>): Behaviours
}

export const faultControls = (house: House): FaultControls => ({
  behaviours: () => behavioursOf(house.database),
  setBehaviours: (changes) => operate(house, ({database}) => setBehaviours(database, changes)),
})
