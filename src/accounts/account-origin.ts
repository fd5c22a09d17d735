// Says how a customer comes to a payment account. The interface shows no request that creates one.
import {readCode} from '../contract/loose.ts'
import {quoteForShell} from '../values/text.ts'

export interface MissingAccount {
  customerId: string
  // The sandbox behind the built-in profile, where svc can add accounts.
  isSandbox: boolean
  // Whether the customer has a pending account.
  hasPending: boolean
}

export function describeAccountOrigin({customerId, isSandbox, hasPending}: MissingAccount): string {
  const customer = `--customer ${quoteForShell(customerId)}`
  if (hasPending) return `One is pending until its form is filled in: \`svc accounts open ${customer}\``
  if (isSandbox) {
    return `Add one with \`svc sandbox accounts add ${customer} --type SVC_CRYPTO_WALLET --chain BASE --balance 500\``
  }
  return `Accounts come about at the service, since the interface cannot create them: a bank account by a hosted form, which \`svc accounts open ${customer}\` opens while the account is pending`
}

// The status of a customer is the reason before anything else is. Undefined if the customer is ACTIVE or its status unknown.
export function describeInactivity(customerId: string, status: unknown): string | undefined {
  const code = readCode(status)
  if (code === '' || code === 'ACTIVE') return undefined
  return `Only an ACTIVE customer can pay: \`svc customers get ${quoteForShell(customerId)}\` shows more`
}
