// Reads what a commit is judged by, under locks that keep it from changing until the commit: other processes that would add to
// it wait, on whatever host they are.
import type {Query, SqlValue} from '../../../storage/postgres/database.ts'
import type {SpendingQuery} from '../../../controls/check-spending.ts'
import {spendingStates} from '../../protocol/payment.ts'
import type {CommitCheck, CommitFindings, Lease} from '../journal.ts'
import {type PaymentRow, toPayment} from './rows.ts'
import {getStatement} from './statements.ts'

type SpendingCheck = Pick<CommitCheck, 'spending' | 'otherIds'>

const listIds = (serviceId: string, {otherIds = []}: SpendingCheck) => [serviceId, ...otherIds]

// What is spent in a currency at a service is judged by one process at a time.
export const listSpendingLocks = (serviceId: string, check: SpendingCheck): string[] =>
  check.spending
    ? listIds(serviceId, check).map((id) => `spending ${id} ${check.spending?.currency.toUpperCase()}`)
    : []

// Everybody takes locks in the same order, so that nobody waits for each other.
export async function lockAll(query: Query, names: readonly string[]): Promise<void> {
  if (names.length > 0) await query(getStatement('lock'), [names.toSorted()])
}

export const getSpendingValues = (
  serviceIds: readonly string[],
  key: string,
  {currency, sinceMs}: SpendingQuery,
): SqlValue[] => [serviceIds, key, currency.toUpperCase(), sinceMs, spendingStates]

// The amounts, added up where they can be.
export async function readSpentSums(
  query: Query,
  {serviceId, key}: Pick<Lease, 'serviceId' | 'key'>,
  check: SpendingCheck,
): Promise<string[]> {
  if (!check.spending) return []
  const values = getSpendingValues(listIds(serviceId, check), key, check.spending)
  const rows = await query<{amount: string}>(getStatement('spentSum'), values)
  return rows.map(({amount}) => amount)
}

// The statements after the lock see what its last holder wrote.
export async function readFindings(query: Query, lease: Lease, check: CommitCheck): Promise<CommitFindings> {
  const {serviceId, key} = lease
  await lockAll(query, [`key ${key}`, ...listSpendingLocks(serviceId, check)])
  const rows = await query<PaymentRow>(getStatement('elsewhere'), [serviceId, key])
  const others = rows.map(toPayment)
  const isOtherId = (id: string) => check.otherIds?.includes(id) === true
  return {
    spentAmounts: await readSpentSums(query, lease, check),
    underOtherIds: others.filter((payment) => isOtherId(payment.serviceId)),
    elsewhere: others.filter((payment) => !isOtherId(payment.serviceId)),
  }
}
