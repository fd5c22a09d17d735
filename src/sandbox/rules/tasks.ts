// What waits in the queue for rules, and what each task does when it is due.
import type {RequestContext} from '../request-context.ts'
import {fireOnSchedule, fireOnThreshold} from './firing.ts'

export interface RuleTasks {
  'rule.fire': {ruleId: string}
  'rule.cross': {ruleId: string}
}

export const ruleTasks: {[K in keyof RuleTasks]: (context: RequestContext, payload: RuleTasks[K]) => void} = {
  'rule.fire': fireOnSchedule,
  'rule.cross': fireOnThreshold,
}
