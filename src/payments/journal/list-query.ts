// The SQL that lists payments, for both stores.
import {type PaymentState, notMadeStates, unsettledStates} from '../protocol/payment.ts'
import type {PaymentFilter} from './journal.ts'

// What differs between the stores.
interface ListDialect {
  names: {serviceId: string; createdAt: string; transactionId: string}
  // Returns the place of a value in the statement.
  bind: (value: string | number) => string
  // The condition that a column has one of these values.
  bindAny: (column: string, values: readonly string[]) => string
}

// The conditions on the state are written out, since an index covers some states alone and is used only if its own condition is part
// of the query.
const coveredStates = [unsettledStates, notMadeStates]

const toCondition = (states: readonly PaymentState[]) => `state in (${states.map((state) => `'${state}'`).join(', ')})`

function buildStateConditions(states: readonly PaymentState[]): string[] {
  const covered = coveredStates.find((each) => states.every((state) => each.includes(state)))
  return [toCondition(states), ...(covered && covered.length !== states.length ? [toCondition(covered)] : [])]
}

export function buildList(filter: PaymentFilter, {names, bind, bindAny}: ListDialect) {
  const {states, sinceMs, untilMs, lastSlots, transactionIds, keys, newestCount, after} = filter
  const {serviceId, createdAt, transactionId} = names
  const where: string[] = []
  const add = <T>(value: T | undefined, build: (value: T) => string | string[]) => {
    if (value !== undefined) where.push(...[build(value)].flat())
  }
  add(filter.serviceId, (id) => `${serviceId} = ${bind(id)}`)
  add(filter.template, (template) => `template = ${bind(template)}`)
  add(sinceMs, (ms) => `${createdAt} >= ${bind(ms)}`)
  add(untilMs, (ms) => `${createdAt} < ${bind(ms)}`)
  add(lastSlots, ({before}) => `slot < ${bind(before)}`)
  add(transactionIds, (ids) => [`${transactionId} is not null`, bindAny(transactionId, ids)])
  add(keys, (wanted) => bindAny('key', wanted))
  add(states, buildStateConditions)
  add(after, (position) => {
    const [time, key, id] = [bind(position.createdAt), bind(position.key), bind(position.serviceId)]
    // The first condition is one that the index knows.
    return [`(${createdAt}, key) <= (${time}, ${key})`, `(${createdAt}, key, ${serviceId}) < (${time}, ${key}, ${id})`]
  })
  const newestFirst = `${createdAt} desc, key desc`
  const order =
    lastSlots !== undefined
      ? `slot desc, key limit ${bind(lastSlots.count)}`
      : newestCount !== undefined
        ? `${newestFirst} limit ${bind(newestCount)}`
        : keys !== undefined
          ? 'key'
          : `${createdAt}, key`
  return {where, order}
}

// The newest of each service are found by an index, and the newest of those are the newest of all.
export const isOfAllServices = ({serviceId, newestCount, lastSlots}: PaymentFilter): boolean =>
  serviceId === undefined && newestCount !== undefined && lastSlots === undefined
