// Which function runs which kind of task.
import {deactivate, decideReview, startReview} from './customers/verification.ts'
import {commitLate} from './faults/late-commit.ts'
import {moneyTasks} from './money/settlement.ts'
import {fireOnSchedule, fireOnThreshold} from './rules/firing.ts'
import type {Tasks} from '../time/queue.ts'

export const tasks: Tasks = {
  'verification.start': startReview,
  'verification.decide': decideReview,
  'verification.deactivate': deactivate,
  ...moneyTasks,
  'request.commit': commitLate,
  'rule.fire': fireOnSchedule,
  'rule.cross': fireOnThreshold,
}
