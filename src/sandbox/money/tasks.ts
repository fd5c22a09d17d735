// What waits in the queue for money, and what each task does when it is due.
import type {Turn} from '../turn.ts'

export interface MoneyTasks {}

export const moneyTasks: {[K in keyof MoneyTasks]: (turn: Turn, payload: MoneyTasks[K]) => void} = {}
