// Reads what a commit is judged by, under locks that keep it from changing until the commit: other processes that would add to
// it wait, on whatever host they are.
import type {SpendingQuery} from '../../../controls/check-spending.ts'
import type {Query, SqlValue} from '../../../storage/postgres/database.ts'
import {type Payment, spendingStates} from '../../protocol/payment.ts'
import {policyApprovalSubject, policySubject} from '../../../controls/policy-entries.ts'
import type {CommitCheck, CommitFindings, Lease} from '../journal.ts'
import {type PaymentRow, getStatement, toPayment} from './statements.ts'

type SpendingCheck = Pick<CommitCheck, 'spending'>

// What is spent in a currency at a service is judged by one process at a time.
export const listSpendingLocks = (serviceId: string, {spending}: SpendingCheck): string[] =>
  spending ? [`spending ${serviceId} ${spending.currency.toUpperCase()}`] : []

// Everybody takes locks in the same order, so that nobody waits for each other.
export async function lockAll(query: Query, names: readonly string[]): Promise<void> {
  if (names.length > 0) await query(getStatement('lock'), [names.toSorted()])
}

export const getSpendingValues = (serviceId: string, key: string, {currency, sinceMs}: SpendingQuery): SqlValue[] => [
  serviceId,
  key,
  currency.toUpperCase(),
  sinceMs,
  spendingStates,
]

// The amounts, added up where they can be.
export async function readSpentSums(
  query: Query,
  {serviceId, key}: Pick<Lease, 'serviceId' | 'key'>,
  check: SpendingCheck,
): Promise<string[]> {
  if (!check.spending) return []
  const values = getSpendingValues(serviceId, key, check.spending)
  const rows = await query<{amount: string}>(getStatement('spentSum'), values)
  return rows.map(({amount}) => amount)
}

// The statements after the lock see what its last holder wrote.
export async function readFindings(query: Query, lease: Lease, check: CommitCheck): Promise<CommitFindings> {
  const {serviceId, key} = lease
  const {transactionId} = check
  const transactionLocks = transactionId === undefined ? [] : [`transaction ${transactionId}`]
  await lockAll(query, [`key ${key}`, ...transactionLocks, ...listSpendingLocks(serviceId, check)])
  const rows = await query<PaymentRow>(getStatement('elsewhere'), [serviceId, key])
  return {
    spentAmounts: await readSpentSums(query, lease, check),
    elsewhere: rows.map(toPayment),
    owners: transactionId === undefined ? [] : await findOwners(query, lease, transactionId),
    policyMark: check.readsPolicyMark ? await countPolicyEntries(query) : 0,
  }
}

const policyValues = [policySubject.serviceId, [policySubject.key, policyApprovalSubject.key]] as const

async function countPolicyEntries(query: Query): Promise<number> {
  const [row] = await query<{mark: number}>(getStatement('policyMark'), policyValues)
  return row?.mark ?? 0
}

// The payments of these keys at every service, and how many entries the policy has, in one go.
export async function findEverywhere(
  query: Query,
  keys: readonly string[],
): Promise<{payments: Payment[]; policyMark: number}> {
  const rows = await query<{mark: number} & (PaymentRow | {payment: null})>(getStatement('everywhere'), [
    keys,
    ...policyValues,
  ])
  return {
    payments: rows.flatMap((row) => (row.payment === null ? [] : [toPayment(row)])),
    policyMark: rows[0]?.mark ?? 0,
  }
}

async function findOwners(query: Query, {serviceId, key}: Lease, transactionId: string): Promise<Payment[]> {
  const rows = await query<PaymentRow>(getStatement('owners'), [serviceId, transactionId, key])
  return rows.map(toPayment)
}
