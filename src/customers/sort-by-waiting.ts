// The order in which customers are corrected: who has waited longest comes first.
import type {LooseCustomer} from '../contract/loose.ts'
import {toInstantMs} from '../values/time.ts'

// A customer without a readable time is sorted last.
const getWaitingSinceMs = ({updatedAt}: LooseCustomer) => toInstantMs(updatedAt) ?? Number.POSITIVE_INFINITY

// Infinity minus Infinity is NaN, which a comparator must not return.
const compareNumbers = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1)

export const sortByWaiting = (customers: readonly LooseCustomer[]): LooseCustomer[] =>
  customers.toSorted((a, b) => compareNumbers(getWaitingSinceMs(a), getWaitingSinceMs(b)))
