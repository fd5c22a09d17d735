// Payment accounts: how they are listed, and how whoever runs the sandbox makes new ones.
import {getCustomerRow} from '../customers/customer-store.ts'
import {ControlError} from '../control-refused.ts'
import type {EndpointHandler} from '../http/endpoint-handler.ts'
import {formTokenIn} from '../forms/links.ts'
import {deriveDigest, nextOpaqueId, nextUuid} from '../store/ids.ts'
import type {RequestContext} from '../request-context.ts'
import {
  accountByForm,
  type AccountDetails,
  accountOf,
  accountPage,
  type AccountRow,
  accountRow,
  type AccountType,
  activateAccount,
  insertAccount,
} from './account-store.ts'
import {chainAddress} from './addresses.ts'
import {currencyOfRail, isCrypto, isFiat, railsOf, tokensOfChain} from './currencies.ts'

export const listAccounts: EndpointHandler<'accounts.list'> = (turn, {query}) => {
  const {customerId} = getCustomerRow(turn.database, query.customerId)
  const {rows, ...rest} = accountPage(turn.database, {...query, customerId})
  return {paymentAccounts: rows.map((row) => accountOf(turn, row)), ...rest}
}

export interface AccountOrder {
  customerId: string
  type: AccountType
  // The rail of a bank account.
  method?: string | undefined
  // The network of a wallet.
  chain?: string | undefined
  currency?: string | undefined
  nickname?: string | undefined
  pending?: boolean | undefined
}

const methodDefault = 'ACH'
const chainDefault = 'BASE'
const tokenDefault = 'USDC'
const fiatDefault = 'USD'

const banks: Readonly<Record<string, string>> = {
  ACH: 'Prairie Mutual Bank',
  WIRE: 'First Harbour Bank',
  SEPA: 'Nordhafen Bank AG',
  CA_INTERAC: 'Tidewater Credit Union',
  IN_NEFT_RTGS_IMPS: 'Sahyadri Co-operative Bank',
}

const nicknames: Readonly<Record<AccountType, (place: string) => string>> = {
  EXTERNAL_BANK_ACCOUNT: (rail) => `Bank account, ${rail}`,
  SVC_AUTO_FIAT_ACCOUNT: (currency) => `Deposits in ${currency}`,
  EXTERNAL_CRYPTO_WALLET: (chain) => `Own wallet on ${chain}`,
  SVC_CRYPTO_WALLET: (chain) => `Wallet on ${chain}`,
}

type Place = Pick<AccountRow, 'method' | 'currency'>

const must = (holds: boolean, sentence: string) => {
  if (!holds) throw new ControlError(sentence)
}

function bankPlace({method = methodDefault, chain, currency}: AccountOrder): Place {
  must(chain === undefined, 'A bank account has a payment method and no chain')
  if (!isFiat(method)) throw new ControlError(`A bank account cannot be reached by ${method}`)
  const own = currencyOfRail[method]
  must(currency === undefined || currency === own, `${method} moves ${own}, not ${currency}`)
  return {method, currency: own}
}

function walletPlace({type, method, chain = method ?? chainDefault, currency}: AccountOrder): Place {
  must(method === undefined || method === chain, 'A wallet has one chain: --method and --chain differ')
  if (!isCrypto(chain)) throw new ControlError(`${chain} is not a crypto network`)
  const isKnown = currency === undefined || currency in tokensOfChain[chain]
  must(isKnown, `There is no ${currency} on ${chain}: there is ${Object.keys(tokensOfChain[chain]).join(' and ')}`)
  return {method: chain, currency: type === 'SVC_CRYPTO_WALLET' ? null : (currency ?? tokenDefault)}
}

function autoFiatPlace({method, chain, currency = fiatDefault}: AccountOrder): Place {
  must(chain === undefined && method === undefined, 'An automatic fiat account takes every rail of its currency')
  must(railsOf(currency).length > 0, `No rail moves ${currency}`)
  return {method: null, currency}
}

function placeOf(order: AccountOrder): Place {
  if (order.type === 'EXTERNAL_BANK_ACCOUNT') return bankPlace(order)
  if (order.type === 'SVC_AUTO_FIAT_ACCOUNT') return autoFiatPlace(order)
  return walletPlace(order)
}

const maskDigits = 4

// What the account looks like from outside, following from a digest of its own.
export function detailsOf(
  type: AccountType,
  method: string | null,
  digest: string,
  owner: {name: string; email: string},
): AccountDetails {
  if (type === 'SVC_AUTO_FIAT_ACCOUNT') return {}
  if (type !== 'EXTERNAL_BANK_ACCOUNT') return {address: chainAddress(method ?? '', digest)}
  const bank = {
    bankAccountOwnerName: owner.name,
    bankAccountOwnerEmail: owner.email,
    bankName: banks[method ?? ''] ?? '',
    bankAccountMask: `****${String(BigInt(`0x${digest}`)).slice(-maskDigits)}`,
  }
  return {bank}
}

export const nicknameOf = (type: AccountType, {method, currency}: Place) => nicknames[type](method ?? currency ?? '')

// A pending bank account knows no more than the rail on which it will be: the rest comes from its form.
export function addAccount({database, now}: RequestContext, order: AccountOrder): AccountRow {
  const customer = getCustomerRow(database, order.customerId)
  const place = placeOf(order)
  const isPending = order.pending === true
  must(!isPending || order.type === 'EXTERNAL_BANK_ACCOUNT', 'Only a bank account can be PENDING')
  const accountId = nextUuid(database, 'account')
  insertAccount(database, {
    accountId,
    customerId: customer.customerId,
    paymentAccountType: order.type,
    paymentAccountStatus: isPending ? 'PENDING' : 'ACTIVE',
    nickname: order.nickname ?? nicknameOf(order.type, place),
    ...place,
    createdAt: now,
    formToken: isPending ? nextOpaqueId(database, 'form') : null,
    details: isPending ? {} : detailsOf(order.type, place.method, deriveDigest('account', accountId), customer),
  })
  return accountRow(database, accountId) as AccountRow
}

// What the form says about the account; without it, everything is made up.
export interface Completion {
  nickname?: string | undefined
  isThirdParty?: boolean | undefined
  bank: NonNullable<AccountDetails['bank']>
}

// The hosted form of a pending bank account was filled in, or counts as filled in. It is named by its token, or by the
// last piece of its link.
export function completeAccount(
  {database, now}: RequestContext,
  linkPiece: string,
  completion?: Completion,
): AccountRow {
  const formToken = formTokenIn(linkPiece)
  const row = accountByForm(database, formToken)
  if (row?.paymentAccountStatus !== 'PENDING') {
    throw new ControlError(`No pending account has the form ${formToken}`, {notFound: true})
  }
  const customer = getCustomerRow(database, row.customerId)
  const {nickname = row.nickname, ...stated} = completion ?? {}
  const details = detailsOf(row.paymentAccountType, row.method, deriveDigest('account', row.accountId), customer)
  activateAccount(database, {...row, nickname}, {...details, ...stated}, now)
  return accountRow(database, row.accountId) as AccountRow
}
