// Says what a comparison without findings has compared, since an empty list alone proves nothing.
import type {LooseTransaction} from '../contract/loose.ts'
import type {Payment} from './payment.ts'
import {readText} from './read-text.ts'
import {type Scope, createOwnerLookup, isInScope, isSince} from './reconcile.ts'

const count = (number: number, thing: string) => `${number} ${thing}${number === 1 ? '' : 's'}`

export function describeComparison(
  payments: readonly Payment[],
  transactions: readonly LooseTransaction[],
  scope: Scope,
): string {
  const findOwners = createOwnerLookup(payments)
  const byId = new Map(transactions.map((transaction) => [readText(transaction.transactionId), transaction]))
  const listed = new Set<Payment>()
  let recent = 0
  let foreign = 0
  for (const transaction of byId.values()) {
    const owners = findOwners(transaction)
    for (const owner of owners) listed.add(owner)
    if (!isSince(transaction.createdAt, scope.sinceMs)) continue
    recent++
    if (owners.size === 0) foreign++
  }
  const made = payments.filter((payment) => payment.state === 'CREATED' && isInScope(payment, scope))
  // A payment that was just made may not be in the list yet.
  const unlisted = made.filter((payment) => !listed.has(payment)).length
  const since = new Date(scope.sinceMs).toISOString().slice(0, 16)
  const exact =
    unlisted === 0
      ? 'each payment has exactly one transaction'
      : `each payment has exactly one transaction, except ${unlisted} too new to be listed yet`
  const others = `${count(foreign, 'transaction')} ${foreign === 1 ? 'was' : 'were'} not made by svc`
  return `Compared ${count(made.length, 'payment')} of the journal with ${count(recent, 'transaction')} of the service since ${since}Z: ${exact}; ${others}.`
}
