// What each kind of task in the queue does when it is due.
import {deactivate, decideReview, startReview} from './customers/verification.ts'
import {moneyTasks} from './money/tasks.ts'
import {ruleTasks} from './rules/tasks.ts'
import type {Tasks} from './time/queue.ts'
import {webhookTasks} from './webhooks/tasks.ts'

export const tasks: Tasks = {
  'verification.start': startReview,
  'verification.decide': decideReview,
  'verification.deactivate': deactivate,
  ...moneyTasks,
  ...ruleTasks,
  ...webhookTasks,
}
