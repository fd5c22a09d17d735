// Finds one transaction in the service's list, page by page, since the interface has no read of a single one.
import type {Client} from '../client/client.ts'
import {type Page, findItem} from '../client/paging.ts'
import {findShapeProblems} from '../contract/shape.ts'
import {SvcError} from '../errors.ts'
import {startProgress} from '../cli/output/progress.ts'
import type {Item} from '../cli/output/format-values.ts'

// Among whose transactions to look; all of them, if nothing is said.
export interface TransactionScope {
  customerId?: string
  paymentAccountId?: string
}

// The same, as the flags say it.
export const toScope = ({
  customer,
  account,
}: {
  customer?: string | undefined
  account?: string | undefined
}): TransactionScope => ({
  ...(customer && {customerId: customer}),
  ...(account && {paymentAccountId: account}),
})

// Whose transaction it is, where the service says so in a form that it takes as a filter as well.
export function toCustomerScope({customerId}: Item): TransactionScope | undefined {
  return typeof customerId === 'string' && findShapeProblems(customerId, {format: 'uuid'}).length === 0
    ? {customerId}
    : undefined
}

const matchId = (transactionId: string) => {
  const wanted = transactionId.toLowerCase()
  return ({transactionId: id}: Item) => typeof id === 'string' && id.toLowerCase() === wanted
}

export async function findTransaction(
  client: Client,
  transactionId: string,
  among: TransactionScope,
  withProgress = true,
): Promise<Item> {
  const progress = withProgress ? startProgress() : undefined
  let searched = 0
  const ask = async (page: {pageSize: number; pageToken?: string}): Promise<Page> => {
    if (searched > 0) progress?.report(`${searched} transactions searched…`)
    const listed = await client.transactions.list({...among, ...page})
    searched += listed.transactions.length
    return listed
  }
  const found = await findItem(ask, 'transactions', matchId(transactionId)).finally(() => progress?.end())
  if (found) return found as Item
  throw toNotFound(transactionId, among, searched)
}

function toNotFound(
  transactionId: string,
  {customerId, paymentAccountId}: TransactionScope,
  searched: number,
): SvcError {
  const whose = [customerId && ` of customer ${customerId}`, paymentAccountId && ` of account ${paymentAccountId}`]
  const count = searched === 1 ? 'one transaction' : `${searched} transactions`
  return new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `${transactionId} is not among the ${count}${whose.filter(Boolean).join('')} that the service lists`,
    hint: 'Check the id, and that it belongs to this profile',
  })
}
