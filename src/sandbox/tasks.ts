// What each kind of task in the queue does when it is due.
import type {Tasks} from './time/queue.ts'
import {decideReview, startReview} from './customers/verification.ts'

export const tasks: Tasks = {
  'verification.start': startReview,
  'verification.decide': decideReview,
}
