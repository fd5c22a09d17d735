// Says what a comparison without findings has compared, since an empty list alone proves nothing.
import type {LooseTransaction} from '../../contract/loose.ts'
import type {PaymentList} from './comparison-store.ts'
import {type Scope, createOwnerLookup, isInScope, isSince, listOnce} from './reconcile.ts'
import {countNoun} from '../../values/text.ts'

export function describeComparison(
  payments: PaymentList,
  transactions: Iterable<LooseTransaction>,
  scope: Scope,
): string {
  const findOwners = createOwnerLookup(payments)
  const ownersInList = new Set<number>()
  let recent = 0
  let foreign = 0
  for (const transaction of listOnce(transactions)) {
    const owners = findOwners(transaction)
    for (const owner of owners) ownersInList.add(owner)
    if (!isSince(transaction.createdAt, scope.sinceMs)) continue
    recent++
    if (owners.length === 0) foreign++
  }
  let made = 0
  // A payment that was just made may not be in the list yet.
  let unlisted = 0
  let place = 0
  for (const payment of payments) {
    const isMade = payment.state === 'CREATED' && isInScope(payment, scope)
    if (isMade) made++
    if (isMade && !ownersInList.has(place)) unlisted++
    place++
  }
  const since = new Date(scope.sinceMs).toISOString().slice(0, 16)
  const exact =
    unlisted === 0
      ? 'each payment has exactly one transaction'
      : `each payment has exactly one transaction, except ${unlisted} too new to be listed yet`
  const others = `${countNoun(foreign, 'transaction')} ${foreign === 1 ? 'was' : 'were'} not made by svc`
  return `Compared ${countNoun(made, 'payment')} of the journal with ${countNoun(recent, 'transaction')} of the service since ${since}Z: ${exact}; ${others}.`
}
