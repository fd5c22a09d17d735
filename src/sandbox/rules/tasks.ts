// What waits in the queue for rules, and what each task does when it is due.
import type {Turn} from '../turn.ts'

export interface RuleTasks {}

export const ruleTasks: {[K in keyof RuleTasks]: (turn: Turn, payload: RuleTasks[K]) => void} = {}
