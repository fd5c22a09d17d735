// What each kind of task in the queue does when it is due.
import type {Tasks} from './queue.ts'
import {decideReview, startReview} from './verification.ts'

export const tasks: Tasks = {
  'verification.start': startReview,
  'verification.decide': decideReview,
}
