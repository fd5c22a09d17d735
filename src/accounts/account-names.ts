// Names the accounts that payments come from and go to, as people recognize them, for those who approve the payments.
import {toText} from '../cli/output/view.ts'
import type {Client} from '../client/client.ts'
import {describeAccountOwner, describeRouteEnd, getAccountId} from './describe-account.ts'
import {type RouteParties, readParties} from './directory.ts'

// The accounts of more customers are shown by their ids alone.
export const customersNamedMax = 1000
const concurrentReads = 4

// The customer, the owner and the bank, without the id. Empty if nothing is known.
export type NameAccount = (customerId: string, accountId: string) => string

export async function readAccountNames(client: Client, customerIds: readonly string[]): Promise<NameAccount> {
  const parties = new Map<string, RouteParties>()
  const left = [...new Set(customerIds)].slice(0, customersNamedMax).values()
  const work = async () => {
    for (const id of left) parties.set(id, await readParties(client, id))
  }
  await Promise.all(Array.from({length: concurrentReads}, work))
  return (customerId, accountId) => {
    const {customer, accounts} = parties.get(customerId) ?? {}
    const account = accounts?.find((each) => getAccountId(each) === accountId)
    const name = toText(customer?.name).trim()
    const owner = account ? describeAccountOwner(account, name) : ''
    const place = describeRouteEnd(account, {currency: '', method: ''})
    return [name, owner, place].filter((part) => part !== '').join(', ')
  }
}
