// The accounts that a route can have on each side, and why a customer has none.
import {type Body, getValue} from '../../values/body-paths.ts'
import {PagedSearch} from '../../cli/ids/choose-item.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {toText} from '../../cli/output/view.ts'
import type {Client} from '../../client/client.ts'
import {
  acceptsRoute,
  canReceive,
  describeAccountOrigin,
  getAccountId,
  hasForm,
  isPending,
} from '../../accounts/describe-account.ts'
import {Parties} from '../../accounts/parties.ts'
import type {LooseCustomer, LoosePaymentAccount} from '../../contract/loose.ts'
import {listCustomers} from '../../customers/answers.ts'
import {customerKind} from '../../customers/find-customer.ts'
import {svc} from '../../values/text.ts'
import {type RoutePrefix, type Side, toRoutePath} from '../route-fields.ts'

export interface Route {
  client: Client
  parties: Parties
  customers: PagedSearch<LooseCustomer>
  // Whether svc itself can add accounts.
  isSandbox?: boolean | undefined
  // The fields that flags or a file gave, which are not asked again.
  given: Body
  prefix: RoutePrefix
  canPay: (account: LoosePaymentAccount) => boolean
  // What an account that can pay is called, for messages.
  payerLabel: string
  // Leads to a new bank account of the customer, and returns its id. Absent where nobody is to be paid now.
  addAccount?: ((customerId: string) => Promise<string>) | undefined
}

export const createRoute = (client: Client, settings: Omit<Route, 'client' | 'parties' | 'customers'>): Route => ({
  ...settings,
  client,
  parties: new Parties(async () => client),
  customers: new PagedSearch((page) => listCustomers(client, page), 'customers', customerKind),
})

const listKnownAccounts = ({parties}: Route, body: Body) => parties.find(body['customerId'])?.accounts ?? []

// Whether somebody new can be paid: a form is waiting, or the sandbox makes one.
export const canAddAccount = (route: Route, body: Body): boolean =>
  route.addAccount !== undefined && (route.isSandbox === true || listKnownAccounts(route, body).some(hasForm))

export const findAccount = (route: Route, body: Body, side: Side) =>
  route.parties.findAccount(body['customerId'], getValue(body, toRoutePath(route.prefix, side, 'PaymentAccountId')))

export const isGiven = ({given}: Route, path: string) => getValue(given, path) !== undefined

// The customer's accounts that can be on this side of a route, including pending ones.
export function listUsable(route: Route, body: Body, side: Side): LoosePaymentAccount[] {
  const payer = getValue(body, toRoutePath(route.prefix, 'source', 'PaymentAccountId'))
  const receiver = getValue(route.given, toRoutePath(route.prefix, 'destination', 'PaymentAccountId'))
  return listKnownAccounts(route, body).filter((account) =>
    side === 'source'
      ? route.canPay(account) && (receiver === undefined || getAccountId(account) !== receiver)
      : canReceive(account) && (isPending(account) || getAccountId(account) !== payer),
  )
}

// Whether an account takes the currency and the method that were given.
export const fitsGiven = (route: Route, side: Side, account: LoosePaymentAccount) =>
  acceptsRoute(
    account,
    getValue(route.given, toRoutePath(route.prefix, side, 'Currency')),
    getValue(route.given, toRoutePath(route.prefix, side, 'PaymentMethod')),
  )

export const listCandidates = (route: Route, body: Body, side: Side): LoosePaymentAccount[] =>
  listUsable(route, body, side).filter((account) => fitsGiven(route, side, account))

export const omitPending = (accounts: readonly LoosePaymentAccount[]) =>
  accounts.filter((account) => !isPending(account))

// The side of the route for which the customer has no account, or undefined.
function findBareSide(route: Route, body: Body): Side | undefined {
  const [payer, ...others] = omitPending(listCandidates(route, body, 'source'))
  const isPayerGiven = isGiven(route, toRoutePath(route.prefix, 'source', 'PaymentAccountId'))
  if (!isPayerGiven && !payer) return 'source'
  if (isGiven(route, toRoutePath(route.prefix, 'destination', 'PaymentAccountId'))) return undefined
  // Of two accounts that can pay, each can receive from the other.
  const receivers = omitPending(listCandidates(route, body, 'destination')).filter(
    (account) => isPayerGiven || others.length > 0 || getAccountId(account) !== (payer && getAccountId(payer)),
  )
  return receivers.length === 0 && !canAddAccount(route, body) ? 'destination' : undefined
}

// Why a customer has no such route, and what to do about it.
export async function findObstacle(route: Route, body: Body): Promise<{reason: string; advice: string} | undefined> {
  const side = findBareSide(route, body)
  if (side === undefined) return undefined
  const customerId = toText(body['customerId'])
  // It only explains why there is no account.
  const found = await route.client.customers.get({customerId}).catch(() => undefined)
  const customer = cleanText(toText(found?.name) || customerId)
  const isOther = listUsable(route, body, side).some((account) => !fitsGiven(route, side, account))
  return {
    reason: `${customer} has no ${side === 'source' ? `${route.payerLabel} that could pay` : 'account that could receive it'}`,
    advice: isOther
      ? `See ${svc`accounts list --customer ${customerId}`}`
      : describeAccountOrigin(customerId, found?.customerStatus),
  }
}
