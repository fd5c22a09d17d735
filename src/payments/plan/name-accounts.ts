// Names the accounts that payments go to, as people recognize them, for those who approve the payments.
import {readParties} from '../../accounts/route-parties.ts'
import {getAccountId} from '../../accounts/accepted-routes.ts'
import {describeAccountOwner, describeRouteEnd} from '../../accounts/describe-account.ts'
import type {Client} from '../../client/client.ts'
import {toText} from '../../cli/output/view.ts'
import type {PaymentContent} from '../protocol/payment-content.ts'

// The accounts of more customers are shown by their ids alone.
const customersMax = 25

export type NameAccount = (content: PaymentContent) => string

export async function readAccountNames(client: Client, contents: readonly PaymentContent[]): Promise<NameAccount> {
  const customerIds = [...new Set(contents.map(({customerId}) => customerId))].slice(0, customersMax)
  const parties = new Map(
    await Promise.all(customerIds.map(async (id) => [id, await readParties(client, id)] as const)),
  )
  return ({customerId, destination}) => {
    const {
      destinationPaymentAccountId: id,
      destinationCurrency: currency,
      destinationPaymentMethod: method,
    } = destination
    const {customer, accounts} = parties.get(customerId) ?? {}
    const account = accounts?.find((each) => getAccountId(each) === id)
    const name = toText(customer?.name).trim()
    const owner = account ? describeAccountOwner(account, name) : ''
    return [name, owner, describeRouteEnd(account, {currency, method}), id].filter((part) => part !== '').join(', ')
  }
}
