// SQL conditions on the state of payments. They are written out, since an index covers some states alone and is used only if its own
// condition is part of the query.
import {type PaymentState, notMadeStates, unsettledStates} from '../protocol/payment.ts'

const toCondition = (states: readonly PaymentState[]) => `state in (${states.map((state) => `'${state}'`).join(', ')})`

const coveredStates = [unsettledStates, notMadeStates]

export function buildStateConditions(states: readonly PaymentState[] | undefined): string[] {
  if (states === undefined) return []
  const covered = coveredStates.find((each) => states.every((state) => each.includes(state)))
  return [toCondition(states), ...(covered && covered.length !== states.length ? [toCondition(covered)] : [])]
}
