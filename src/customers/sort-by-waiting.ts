// The order in which customers are corrected: who has waited longest comes first.
import type {LooseCustomer} from '../contract/loose.ts'

// A customer without a readable time is sorted last.
function getWaitingSinceMs({updatedAt}: LooseCustomer): number {
  const ms = typeof updatedAt === 'string' ? Date.parse(updatedAt) : Number.NaN
  return Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms
}

// Infinity minus Infinity is NaN, which a comparator must not return.
const compareNumbers = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1)

export const sortByWaiting = (customers: readonly LooseCustomer[]): LooseCustomer[] =>
  customers.toSorted((a, b) => compareNumbers(getWaitingSinceMs(a), getWaitingSinceMs(b)))
