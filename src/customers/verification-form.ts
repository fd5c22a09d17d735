// The hosted verification form of a customer.
import type {Client} from '../client/client.ts'
import {toText} from '../cli/output/view.ts'
import type {LooseCustomer} from '../contract/loose.ts'
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

// The embedded sandbox serves its forms only while a command does. Until then its links lead nowhere.
const unservedLink = /^https:\/\/forms\.sandbox\.invalid\//

// Says how to open a link that no browser can open, or nothing.
export const describeUnservedLink = ({customerId, verificationLink}: LooseCustomer): string | undefined =>
  typeof verificationLink === 'string' && unservedLink.test(verificationLink)
    ? `The verification link works while the sandbox serves it: \`svc customers open ${quoteForShell(toText(customerId))}\` does, and opens it.`
    : undefined
