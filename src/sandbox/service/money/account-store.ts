// Stores payment accounts, and converts them to replies.
import type {z} from 'zod'
import type {account, accountTypes} from '../../../contract/accounts.ts'
import type {Database} from '../../store/database.ts'
import {cacheWhileDeferred} from '../../store/row-cache.ts'
import {createFormLink} from '../../forms/links.ts'
import {paginate, type PagePosition, writeForEachOrder} from '../../http/paging.ts'
import {toTimestamp} from '../../time/clock.ts'
import type {RequestContext} from '../request-context.ts'
import {toCurrencyObject, type FiatMethod, isCrypto, listCurrencies, tokensOfChain} from './currencies.ts'

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
export interface AccountDetails {
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

export type NewAccount = Omit<AccountRow, 'seq' | 'details'> & {details: AccountDetails}

const columns =
  'seq, accountId, customerId, paymentAccountType, paymentAccountStatus, nickname, method, currency, createdAt, ' +
  'formToken, details'

const insertStatement = `
  insert into accounts (${columns})
  values ((select coalesce(max(seq), 0) + 1 from accounts), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

export function insertAccount(database: Database, row: NewAccount) {
  database.run(
    insertStatement,
    row.accountId,
    row.customerId,
    row.paymentAccountType,
    row.paymentAccountStatus,
    row.nickname,
    row.method,
    row.currency,
    row.createdAt,
    row.formToken,
    JSON.stringify(row.details),
  )
}

export const findAccountRow = cacheWhileDeferred((database, accountId): AccountRow | undefined =>
  database.one<AccountRow>(`select ${columns} from accounts where accountId = ?`, accountId),
)

export const findAccountRowByForm = (database: Database, formToken: string): AccountRow | undefined =>
  database.one<AccountRow>(`select ${columns} from accounts where formToken = ?`, formToken)

const selectByCustomer = writeForEachOrder(
  (rowsAfter) => `select ${columns} from accounts where customerId = ? and ${rowsAfter}`,
)

interface AccountsQuery {
  customerId: string
  pageToken?: string | undefined
  pageSize?: number | undefined
}

export function readAccountPage({database, now, behaviours}: RequestContext, query: AccountsQuery) {
  const select = selectByCustomer[behaviours.listOrder]
  return paginate({list: 'accounts', now, behaviours}, query, ({createdAt, seq}, count) =>
    database.all<AccountRow>(select, query.customerId, createdAt, seq, count),
  )
}

export const listAccountRows = (database: Database, customerId: string): AccountRow[] =>
  database.all<AccountRow>(
    `select ${columns} from accounts where customerId = ? order by createdAt desc, seq desc`,
    customerId,
  )

export const listNewestAccountRows = (database: Database, count: number): AccountRow[] =>
  database.all<AccountRow>(`select ${columns} from accounts order by seq desc limit ? + 0`, count)

// Called when the form was submitted. From now on replies show the account's id, and now is its creation time
// (docs/assumptions.md, M3).
export function activateAccount(database: Database, row: AccountRow, details: AccountDetails, now: number) {
  const {accountId, nickname} = row
  database.run(
    `update accounts set paymentAccountStatus = 'ACTIVE', nickname = ?, createdAt = ?, details = ? where accountId = ?`,
    nickname,
    now,
    JSON.stringify(details),
    accountId,
  )
}

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
  const details = JSON.parse(row.details) as AccountDetails
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
