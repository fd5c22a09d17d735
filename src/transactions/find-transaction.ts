// Finds a transaction in the service's list, because the interface cannot read a single one.
import type {Client} from '../client/client.ts'
import {type Page, findItem} from '../client/paging.ts'
import type {LooseTransaction} from '../contract/loose.ts'
import {findShapeProblems} from '../contract/shape.ts'
import {SvcError} from '../errors.ts'
import {startProgress} from '../cli/output/progress.ts'

// Which transactions to search. Without a field, all of them.
export interface TransactionScope {
  customerId?: string
  paymentAccountId?: string
}

// The customer of a transaction as a scope, if its id is valid as a filter.
export function toCustomerScope({customerId}: LooseTransaction): TransactionScope | undefined {
  return typeof customerId === 'string' && findShapeProblems(customerId, {format: 'uuid'}).length === 0
    ? {customerId}
    : undefined
}

const matchId = (transactionId: string) => {
  const wanted = transactionId.toLowerCase()
  return ({transactionId: id}: LooseTransaction) => typeof id === 'string' && id.toLowerCase() === wanted
}

export async function findTransaction(
  client: Client,
  transactionId: string,
  scope: TransactionScope,
  withProgress = true,
): Promise<LooseTransaction> {
  const progress = withProgress ? startProgress() : undefined
  let searched = 0
  const ask = async (page: {pageSize: number; pageToken?: string}): Promise<Page> => {
    if (searched > 0) progress?.report(`${searched} transactions searched…`)
    const listed = await client.transactions.list({...scope, ...page})
    searched += listed.transactions.length
    return listed
  }
  const found = await findItem(ask, 'transactions', matchId(transactionId)).finally(() => progress?.end())
  if (found) return found
  throw toNotFound(transactionId, scope, searched)
}

function toNotFound(
  transactionId: string,
  {customerId, paymentAccountId}: TransactionScope,
  searched: number,
): SvcError {
  const owner = [customerId && ` of customer ${customerId}`, paymentAccountId && ` of account ${paymentAccountId}`]
  const count = searched === 1 ? 'one transaction' : `${searched} transactions`
  return new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `${transactionId} is not among the ${count}${owner.filter(Boolean).join('')} that the service lists`,
    hint: 'Check the id, and that it belongs to this profile',
  })
}
