// Finds a payment account in the list of its customer, since the interface has no read for a single one.
import type {Client} from '../client/client.ts'
import {findItem} from '../client/paging.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {SvcError} from '../errors.ts'
import {quoteForShell} from '../validation/shell-quote.ts'

export async function findAccount(client: Client, customerId: string, accountId: string): Promise<LoosePaymentAccount> {
  const found = await findItem(
    (page) => client.accounts.list({customerId, ...page}),
    'paymentAccounts',
    ({paymentAccountId}) => paymentAccountId === accountId,
  )
  if (found) return found
  throw new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `The customer ${customerId} has no payment account "${accountId}"`,
    hint: `\`svc accounts list --customer ${quoteForShell(customerId)}\` shows those it has`,
  })
}
