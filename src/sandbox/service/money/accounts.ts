// Payment accounts: stores them, converts them to replies, lists them, adds them for the person who runs the sandbox, and
// completes pending ones.
import type {z} from 'zod'
import type {account} from '../../../contract/accounts.ts'
import {type accountTypes, currencyByMethod} from '../../../contract/vocabulary.ts'
import {lookUp} from '../../../values/records.ts'
import {createFormLink} from '../../forms/links.ts'
import type {EndpointHandler} from '../../http/endpoint-handler.ts'
import {type PagePosition, createListQuery, readPage} from '../../http/paging.ts'
import {ControlError} from '../../operations/control-error.ts'
import type {AccountOrder} from '../../orders.ts'
import {type Database, parseStored} from '../../store/database.ts'
import {createOpaqueId, createUuid, deriveDigest} from '../../store/ids.ts'
import {toTimestamp} from '../../time/clock.ts'
import {getCustomerRow} from '../customers/customer-store.ts'
import type {RequestContext} from '../request-context.ts'
import {
  type FiatMethod,
  type PaymentMethod,
  isCrypto,
  isFiat,
  listCurrencies,
  listRails,
  toCurrencyObject,
  tokensOfChain,
} from './currencies.ts'

export type Account = z.infer<typeof account>
export type AccountType = (typeof accountTypes)[number]

interface BankDetails {
  bankAccountOwnerName: string
  bankAccountOwnerEmail: string
  bankName: string
  bankAccountMask: string
  // CHECKING unless given.
  bankAccountType?: string
}

// Details that depend on the type of the account.
interface AccountDetails {
  bank?: BankDetails
  address?: string
  isThirdParty?: boolean | undefined
}

export interface AccountRow extends PagePosition {
  accountId: string
  customerId: string
  paymentAccountType: AccountType
  paymentAccountStatus: 'ACTIVE' | 'PENDING'
  nickname: string
  // The rail of a bank account or the chain of a wallet. Null for an automatic fiat account, which accepts every rail of
  // its currency.
  method: string | null
  // Null for a service-managed wallet, which holds every token of its chain.
  currency: string | null
  formToken: string | null
  details: string
}

type NewAccount = Omit<AccountRow, 'seq' | 'details'> & {details: AccountDetails}

const columns =
  'seq, accountId, customerId, paymentAccountType, paymentAccountStatus, nickname, method, currency, createdAt, ' +
  'formToken, details'

function insertAccount(database: Database, {details, ...row}: NewAccount) {
  database.insertRow('accounts', {...row, details: JSON.stringify(details)}, true)
}

export const findAccountRow = (database: Database, accountId: string): AccountRow | undefined =>
  database.one<AccountRow>(`select ${columns} from accounts where accountId = ?`, accountId)

export const findAccountRowByForm = (database: Database, formToken: string): AccountRow | undefined =>
  database.one<AccountRow>(`select ${columns} from accounts where formToken = ?`, formToken)

const listByCustomer = createListQuery('accounts', `select ${columns} from accounts`, 'customerId = ?1')

export const listAccountRows = (database: Database, customerId: string): AccountRow[] =>
  database.all<AccountRow>(
    `select ${columns} from accounts where customerId = ? order by createdAt desc, seq desc`,
    customerId,
  )

export const listNewestAccountRows = (database: Database, count: number): AccountRow[] =>
  database.all<AccountRow>(`select ${columns} from accounts order by seq desc limit ? + 0`, count)

const getWalletType = (chain: string) => (chain === 'SOLANA' ? 'SOLANA' : 'EVM')

// A quote from an automatic fiat account may go to every token of every network.
const listEveryToken = () =>
  Object.keys(tokensOfChain)
    .filter(isCrypto)
    .flatMap((chain) => listCurrencies(chain).map((label) => toCurrencyObject(label, chain)))

type TypeFields = (row: AccountRow, details: AccountDetails) => Partial<Account>

const typeFields: Readonly<Record<AccountType, TypeFields>> = {
  EXTERNAL_BANK_ACCOUNT: ({method, currency}, {bank}) => ({
    externalBankAccount: {
      ...(bank && {bankAccountType: 'CHECKING', ...bank}),
      bankAccountCurrency: toCurrencyObject(currency ?? '', method ?? ''),
      bankAccountPaymentMethod: method as FiatMethod,
    },
  }),
  SVC_AUTO_FIAT_ACCOUNT: ({currency}) => ({
    svcAutoFiatAccount: {
      currency: toCurrencyObject(currency ?? '', ''),
      supportedDestinationCurrencies: listEveryToken(),
    },
  }),
  EXTERNAL_CRYPTO_WALLET: ({method, currency}, {address}) => ({
    externalCryptoWallet: {
      currency: toCurrencyObject(currency ?? '', method ?? ''),
      address: {address: address ?? '', chain: method ?? ''},
    },
  }),
  SVC_CRYPTO_WALLET: ({method}, {address}) => ({
    svcCryptoWallet: {
      cryptoWalletType: getWalletType(method ?? ''),
      address: {address: address ?? '', chain: method ?? ''},
    },
  }),
}

// The database stores the token of a form link. The address is added here, because one database can be served at
// several addresses.
export function toAccount(context: RequestContext, row: AccountRow): Account {
  const details = parseStored<AccountDetails>(row.details)
  const isPending = row.paymentAccountStatus === 'PENDING'
  return {
    paymentAccountId: isPending ? '' : row.accountId,
    paymentAccountType: row.paymentAccountType,
    nickname: row.nickname,
    ...(!isPending && {createdAt: toTimestamp(row.createdAt)}),
    customerId: row.customerId,
    paymentAccountStatus: row.paymentAccountStatus,
    isThirdParty: details.isThirdParty ?? false,
    ...(isPending &&
      row.formToken !== null && {bankAccountFormLink: createFormLink(context, 'bank-account', row.formToken)}),
    ...typeFields[row.paymentAccountType](row, details),
  }
}

export const listAccounts: EndpointHandler<'accounts.list'> = (context, {query}) => {
  const {rows, ...rest} = readPage<AccountRow>(context, listByCustomer, query.customerId, query)
  return {paymentAccounts: rows.map((row) => toAccount(context, row)), ...rest}
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
  const own = currencyByMethod[method]
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
function createDetails(
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

interface OpenedAccount extends MethodAndCurrency, Pick<AccountRow, 'accountId' | 'customerId' | 'createdAt'> {
  type: AccountType
  isPending: boolean
  nickname?: string | undefined
  isThirdParty?: true | undefined
  // What its details are invented from.
  digest: string
  owner: {name: string; email: string}
}

// A pending bank account has only a rail; its form supplies the rest.
export function openAccount(database: Database, opened: OpenedAccount) {
  const {type, isPending, isThirdParty, digest, owner, method, currency, ...row} = opened
  insertAccount(database, {
    ...row,
    method,
    currency,
    paymentAccountType: type,
    paymentAccountStatus: isPending ? 'PENDING' : 'ACTIVE',
    nickname: row.nickname ?? nicknames[type](method ?? currency ?? ''),
    formToken: isPending ? createOpaqueId(database, 'form') : null,
    details: isPending ? {} : {...createDetails(type, method, digest, owner), ...(isThirdParty && {isThirdParty})},
  })
}

export function addAccount({database, now}: RequestContext, order: AccountOrder): AccountRow {
  const {type, nickname, holder, pending: isPending = false} = order
  const customer = getCustomerRow(database, order.customerId)
  const resolved = resolveMethodAndCurrency(order)
  requireThat(!isPending || type === 'EXTERNAL_BANK_ACCOUNT', 'Only a bank account can be PENDING')
  requireThat(
    holder === undefined || (type === 'EXTERNAL_BANK_ACCOUNT' && !isPending),
    'Only a bank account has a holder, and one that is PENDING gets it from its form',
  )
  const accountId = createUuid(database, 'account')
  openAccount(database, {
    accountId,
    customerId: customer.customerId,
    createdAt: now,
    type,
    isPending,
    nickname,
    ...resolved,
    digest: deriveDigest('account', accountId),
    owner: {...customer, name: holder ?? customer.name},
    isThirdParty: holder === undefined ? undefined : true,
  })
  return findAccountRow(database, accountId) as AccountRow
}

// Makes a pending bank account ACTIVE, with what was entered in its form. From now on replies show the account's id, and now is its
// creation time (docs/assumptions.md, M3).
export function completeAccount(
  {database, now}: RequestContext,
  {accountId}: AccountRow,
  {nickname, ...details}: AccountDetails & {nickname: string},
): void {
  database.run(
    `update accounts set paymentAccountStatus = 'ACTIVE', nickname = ?, createdAt = ?, details = ? where accountId = ?`,
    nickname,
    now,
    JSON.stringify(details),
    accountId,
  )
}

// Invents addresses, hashes and references in the format of each network or rail.
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const solanaAddressLength = 43
const solanaHashLength = 88
const evmAddressDigits = 40
const railReferenceDigits = 15
const railReferenceUnit = 10n ** BigInt(railReferenceDigits)

// Each pair of neighbouring digits gives one character. The result is not a real base 58 number but looks like one.
const toBase58Text = (digest: string, length: number): string =>
  Array.from({length}, (_, at) => base58[Number.parseInt(digest.slice(at, at + 2), 16) % base58.length]).join('')

export const createChainAddress = (chain: string, digest: string): string =>
  chain === 'SOLANA' ? toBase58Text(digest, solanaAddressLength) : `0x${digest.slice(0, evmAddressDigits)}`

// The last decimal digits of a digest, without writing all of them.
const takeLastDigits = (digest: string) =>
  String(BigInt(`0x${digest}`) % railReferenceUnit).padStart(railReferenceDigits, '0')

// A hash on a chain, a trace number on a rail.
export function createTransferReference(
  method: PaymentMethod,
  transactionId: string,
  side: 'source' | 'destination',
): string {
  const digest = deriveDigest('reference', side, transactionId)
  if (isFiat(method)) return `${method}-${takeLastDigits(digest)}`
  return method === 'SOLANA' ? toBase58Text(digest + deriveDigest('more', digest), solanaHashLength) : `0x${digest}`
}
