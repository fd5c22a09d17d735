// Lists payment accounts, adds them for the person who runs the sandbox, and completes pending ones.
import {getCustomerRow} from '../customers/customer-store.ts'
import {ControlError} from '../../operations/control-error.ts'
import type {EndpointHandler} from '../../http/endpoint-handler.ts'
import {getFormToken} from '../../forms/links.ts'
import {deriveDigest, createOpaqueId, createUuid} from '../../store/ids.ts'
import type {RequestContext} from '../request-context.ts'
import {
  findAccountRowByForm,
  type AccountDetails,
  toAccount,
  readAccountPage,
  type AccountRow,
  findAccountRow,
  type AccountType,
  activateAccount,
  insertAccount,
} from './account-store.ts'
import {createChainAddress} from './addresses.ts'
import {currencyOfRail, isCrypto, isFiat, listRails, tokensOfChain} from './currencies.ts'
import {lookUp} from '../../../values/records.ts'

export const listAccounts: EndpointHandler<'accounts.list'> = (context, {query}) => {
  const {rows, ...rest} = readAccountPage(context, query)
  return {paymentAccounts: rows.map((row) => toAccount(context, row)), ...rest}
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

const bankNames: Readonly<Record<string, string>> = {
  ACH: 'Prairie Mutual Bank',
  WIRE: 'First Harbour Bank',
  SEPA: 'Nordhafen Bank AG',
  CA_INTERAC: 'Tidewater Credit Union',
  IN_NEFT_RTGS_IMPS: 'Sahyadri Co-operative Bank',
}

const nicknames: Readonly<Record<AccountType, (resolved: string) => string>> = {
  EXTERNAL_BANK_ACCOUNT: (rail) => `Bank account, ${rail}`,
  SVC_AUTO_FIAT_ACCOUNT: (currency) => `Deposits in ${currency}`,
  EXTERNAL_CRYPTO_WALLET: (chain) => `Own wallet on ${chain}`,
  SVC_CRYPTO_WALLET: (chain) => `Wallet on ${chain}`,
}

type MethodAndCurrency = Pick<AccountRow, 'method' | 'currency'>

const requireThat = (holds: boolean, sentence: string) => {
  if (!holds) throw new ControlError(sentence)
}

function resolveBankAccount({method = methodDefault, chain, currency}: AccountOrder): MethodAndCurrency {
  requireThat(chain === undefined, 'A bank account has a payment method and no chain')
  if (!isFiat(method)) throw new ControlError(`A bank account cannot be reached by ${method}`)
  const own = currencyOfRail[method]
  requireThat(currency === undefined || currency === own, `${method} moves ${own}, not ${currency}`)
  return {method, currency: own}
}

function resolveWallet({type, method, chain = method ?? chainDefault, currency}: AccountOrder): MethodAndCurrency {
  requireThat(method === undefined || method === chain, 'A wallet has one chain: --method and --chain differ')
  if (!isCrypto(chain)) throw new ControlError(`${chain} is not a crypto network`)
  const isKnown = currency === undefined || currency in tokensOfChain[chain]
  requireThat(
    isKnown,
    `There is no ${currency} on ${chain}: there is ${Object.keys(tokensOfChain[chain]).join(' and ')}`,
  )
  return {method: chain, currency: type === 'SVC_CRYPTO_WALLET' ? null : (currency ?? tokenDefault)}
}

function resolveAutoFiatAccount({method, chain, currency = fiatDefault}: AccountOrder): MethodAndCurrency {
  requireThat(chain === undefined && method === undefined, 'An automatic fiat account takes every rail of its currency')
  requireThat(listRails(currency).length > 0, `No rail moves ${currency}`)
  return {method: null, currency}
}

function resolveMethodAndCurrency(order: AccountOrder): MethodAndCurrency {
  if (order.type === 'EXTERNAL_BANK_ACCOUNT') return resolveBankAccount(order)
  if (order.type === 'SVC_AUTO_FIAT_ACCOUNT') return resolveAutoFiatAccount(order)
  return resolveWallet(order)
}

const maskDigits = 4

// Invents the details of an account from its digest, so that they are the same every time.
export function createDetails(
  type: AccountType,
  method: string | null,
  digest: string,
  owner: {name: string; email: string},
): AccountDetails {
  if (type === 'SVC_AUTO_FIAT_ACCOUNT') return {}
  if (type !== 'EXTERNAL_BANK_ACCOUNT') return {address: createChainAddress(method ?? '', digest)}
  const bank = {
    bankAccountOwnerName: owner.name,
    bankAccountOwnerEmail: owner.email,
    bankName: lookUp(bankNames, method ?? '') ?? '',
    bankAccountMask: `****${String(BigInt(`0x${digest}`)).slice(-maskDigits)}`,
  }
  return {bank}
}

export const createNickname = (type: AccountType, {method, currency}: MethodAndCurrency) =>
  nicknames[type](method ?? currency ?? '')

// A pending bank account has only a rail; its form supplies the rest.
export function addAccount({database, now}: RequestContext, order: AccountOrder): AccountRow {
  const customer = getCustomerRow(database, order.customerId)
  const resolved = resolveMethodAndCurrency(order)
  const isPending = order.pending === true
  requireThat(!isPending || order.type === 'EXTERNAL_BANK_ACCOUNT', 'Only a bank account can be PENDING')
  const accountId = createUuid(database, 'account')
  insertAccount(database, {
    accountId,
    customerId: customer.customerId,
    paymentAccountType: order.type,
    paymentAccountStatus: isPending ? 'PENDING' : 'ACTIVE',
    nickname: order.nickname ?? createNickname(order.type, resolved),
    ...resolved,
    createdAt: now,
    formToken: isPending ? createOpaqueId(database, 'form') : null,
    details: isPending ? {} : createDetails(order.type, resolved.method, deriveDigest('account', accountId), customer),
  })
  return findAccountRow(database, accountId) as AccountRow
}

// What was entered in the form.
export interface FormCompletion {
  nickname?: string | undefined
  isThirdParty?: boolean | undefined
  bank: NonNullable<AccountDetails['bank']>
}

// Makes a pending bank account ACTIVE. Without a completion, its details are invented. The form is identified by its
// token or by the last segment of its link.
export function completeAccount(
  {database, now}: RequestContext,
  sealedToken: string,
  completion?: FormCompletion,
): AccountRow {
  const formToken = getFormToken(sealedToken)
  const row = findAccountRowByForm(database, formToken)
  if (row?.paymentAccountStatus !== 'PENDING') {
    throw new ControlError(`No pending account has the form ${formToken}`, {notFound: true})
  }
  const customer = getCustomerRow(database, row.customerId)
  const {nickname = row.nickname, ...stated} = completion ?? {}
  const details = createDetails(row.paymentAccountType, row.method, deriveDigest('account', row.accountId), customer)
  activateAccount(database, {...row, nickname}, {...details, ...stated}, now)
  return findAccountRow(database, row.accountId) as AccountRow
}
