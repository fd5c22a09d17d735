// Adds customers and accounts under given ids, which stand in for those of another service.
import {findCustomerRow, insertCustomer} from '../customers/customer-store.ts'
import {ControlError} from '../../operations/control-error.ts'
import {createOpaqueId, deriveDigest} from '../../store/ids.ts'
import {getHomeOrganizationId} from '../../store/settings.ts'
import type {RequestContext} from '../request-context.ts'
import {type AccountType, createDetails, createNickname, findAccountRow, insertAccount} from './accounts.ts'
import {currencyOfRail, isCrypto, isFiat, toMinorUnits, tokensOfChain} from './currencies.ts'
import {holders, postEntries} from './ledger.ts'

interface StandInEnd {
  accountId: string
  currency: string
  method: string
}

export interface StandInRoute {
  customerId: string
  source: StandInEnd
  destination: StandInEnd
}

export interface StandInCount {
  customers: number
  accounts: number
}

// The customer has no data but an address that nobody has.
function addCustomer({database, now}: RequestContext, customerId: string): boolean {
  const id = customerId.toLowerCase()
  if (findCustomerRow(database, id)) return false
  const name = `Stand-in ${id.slice(0, 8)}`
  insertCustomer(database, {
    customerId: id,
    organizationId: getHomeOrganizationId(database),
    customerType: 'BUSINESS',
    customerStatus: 'ACTIVE',
    name,
    statedName: name,
    email: `stand-in.${id.slice(0, 8)}@example.org`,
    createdAt: now,
    updatedAt: now,
    formToken: createOpaqueId(database, 'form'),
    issues: [],
    data: {},
  })
  return true
}

// A source on a network is a wallet of the service, since only from there money can be sent at once.
function chooseType(side: 'source' | 'destination', method: string): AccountType {
  if (isFiat(method)) return 'EXTERNAL_BANK_ACCOUNT'
  return side === 'source' ? 'SVC_CRYPTO_WALLET' : 'EXTERNAL_CRYPTO_WALLET'
}

function checkCurrency({currency, method}: StandInEnd): void {
  const label = currency.toUpperCase()
  if (isFiat(method) && currencyOfRail[method] !== label)
    throw new ControlError(`The sandbox moves ${currencyOfRail[method]} by ${method}, not ${label}`)
  if (isCrypto(method) && !(label in tokensOfChain[method]))
    throw new ControlError(`The sandbox has no ${label} on ${method}`)
  if (!isFiat(method) && !isCrypto(method)) throw new ControlError(`The sandbox has no payment method ${method}`)
}

function addAccountAs(
  {database, now}: RequestContext,
  customerId: string,
  side: 'source' | 'destination',
  end: StandInEnd,
): boolean {
  const {accountId, currency, method} = end
  if (findAccountRow(database, accountId)) return false
  checkCurrency(end)
  const type = chooseType(side, method)
  const own = {method, currency: type === 'SVC_CRYPTO_WALLET' ? null : currency.toUpperCase()}
  const owner = {name: 'Stand-in', email: 'stand-in@example.org'}
  insertAccount(database, {
    accountId,
    customerId: customerId.toLowerCase(),
    paymentAccountType: type,
    paymentAccountStatus: 'ACTIVE',
    nickname: `${createNickname(type, own)} (stand-in)`,
    ...own,
    createdAt: now,
    formToken: null,
    details: createDetails(type, method, deriveDigest('account', accountId), owner),
  })
  return true
}

// Sources come first, since an account that is both is one to pay from.
export function addStandIns(context: RequestContext, routes: readonly StandInRoute[]): StandInCount {
  let [customers, accounts] = [0, 0]
  for (const {customerId} of routes) customers += addCustomer(context, customerId) ? 1 : 0
  for (const side of ['source', 'destination'] as const) {
    for (const route of routes) accounts += addAccountAs(context, route.customerId, side, route[side]) ? 1 : 0
  }
  return {customers, accounts}
}

const plenty = '1000000000'

// Enough for every payment from these wallets.
export function fillSources(context: RequestContext, routes: readonly StandInRoute[]): void {
  for (const {accountId, currency, method} of new Map(
    routes.map(({source}) => [`${source.accountId} ${source.currency}`, source]),
  ).values()) {
    const row = findAccountRow(context.database, accountId)
    const minor = toMinorUnits(plenty, currency.toUpperCase())
    if (row?.paymentAccountType !== 'SVC_CRYPTO_WALLET' || minor === null || !isCrypto(method)) continue
    postEntries(context, `stand-in deposit to ${accountId}`, [
      {holder: holders.outside(method), currency: currency.toUpperCase(), amount: -minor},
      {holder: holders.wallet(row.accountId), currency: currency.toUpperCase(), amount: minor},
    ])
  }
}
