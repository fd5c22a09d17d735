// What each kind of task in the queue does when it is due.
import {decideReview, startReview} from './customers/verification.ts'
import {moneyTasks} from './money/tasks.ts'
import {ruleTasks} from './rules/tasks.ts'
import type {Tasks} from './time/queue.ts'
import {webhookTasks} from './webhooks/tasks.ts'

export const tasks: Tasks = {
  'verification.start': startReview,
  'verification.decide': decideReview,
  ...moneyTasks,
  ...ruleTasks,
  ...webhookTasks,
}
