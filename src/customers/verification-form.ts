// The hosted verification form of a customer.
import type {Client} from '../client/client.ts'
import {SvcError} from '../errors.ts'
import {quoteForShell} from '../values/text.ts'

const noLink = (customerId: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: 'The customer has no verification link',
    hint: `\`svc customers get ${quoteForShell(customerId)}\` shows the customer`,
  })

export async function requireVerificationLink(client: Client, customerId: string): Promise<string> {
  const {verificationLink} = await client.customers.get({customerId})
  if (typeof verificationLink === 'string' && verificationLink !== '') return verificationLink
  throw noLink(customerId)
}
