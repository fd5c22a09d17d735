// The columns of payment accounts.
import {
  type Column,
  type View,
  createColumn,
  describeUnservedLink,
  formatMinute,
  formatYesNo,
  joinParts,
  isUnservedLink,
  toText,
} from '../cli/output/view.ts'
import {type LooseCurrency, type LoosePaymentAccount, getCurrencyLabel} from '../contract/loose.ts'
import {createCustomerColumns} from '../customers/view.ts'
import {describeLocation} from '../values/account-location.ts'
import {svc} from '../values/text.ts'
import {getOwnerName} from './describe-account.ts'

const readCurrency = (a: LoosePaymentAccount) =>
  getCurrencyLabel(a.externalBankAccount?.bankAccountCurrency) ??
  getCurrencyLabel(a.externalCryptoWallet?.currency) ??
  getCurrencyLabel(a.svcAutoFiatAccount?.currency)

const readWallet = (a: LoosePaymentAccount, field: 'chain' | 'address') =>
  a.externalCryptoWallet?.address?.[field] ?? a.svcCryptoWallet?.address?.[field]

// Such as: Zoë Ångström, Example Bank ****6789, or BASE 0x1234…cdef
const describePlace = (account: LoosePaymentAccount) => {
  const place = [toText(readWallet(account, 'chain')), describeLocation(account)].filter(Boolean).join(' ')
  return joinParts(getOwnerName(account), place)
}

// Such as: USDC on BASE
const describeCurrency = (currency: LooseCurrency) =>
  [getCurrencyLabel(currency), typeof currency === 'object' ? currency?.chain : undefined]
    .map(toText)
    .filter(Boolean)
    .join(' on ')

type AccountColumn = Column<LoosePaymentAccount>

// The sandbox adds the balance after these columns.
const leadingColumns: readonly AccountColumn[] = [
  createColumn('paymentAccountId', 0, {
    short: 'id',
    header: 'ID',
    format: (id) => (id === '' ? '(pending)' : id),
    kind: 'id',
  }),
  createColumn('paymentAccountType', 0, {short: 'type', header: 'TYPE'}),
  createColumn('where', 1, {
    header: 'WHOSE, WHERE',
    value: describePlace,
    kind: 'sentence',
    shown: 'table',
  }),
  createColumn('paymentAccountStatus', 3, {short: 'status', header: 'STATUS', kind: 'status'}),
  createColumn('method', 5, {
    short: 'chain',
    value: (a) => a.externalBankAccount?.bankAccountPaymentMethod ?? readWallet(a, 'chain'),
  }),
  createColumn('currency', 2, {value: readCurrency}),
]

const createHidden = (name: string, rank: number, header: string, more: Partial<AccountColumn> = {}): AccountColumn =>
  createColumn(name, rank, {header, ...more, shown: 'onRequest'})

const createBankColumn = (
  name: keyof NonNullable<LoosePaymentAccount['externalBankAccount']>,
  header: string,
  more: Partial<AccountColumn> = {},
): AccountColumn => createHidden(name, 7, header, {value: (a) => a.externalBankAccount?.[name], ...more})

const otherColumns: readonly AccountColumn[] = [
  createColumn('nickname', 4, {kind: 'text'}),
  createBankColumn('bankName', 'BANK', {short: 'bank'}),
  createBankColumn('bankAccountMask', 'ACCOUNT NUMBER', {short: 'mask'}),
  createBankColumn('bankAccountType', 'KIND'),
  createBankColumn('bankAccountOwnerName', 'OWNER', {short: 'owner'}),
  createBankColumn('bankAccountOwnerEmail', 'OWNER’S EMAIL'),
  createHidden('address', 7, 'WALLET ADDRESS', {value: (a) => readWallet(a, 'address')}),
  createHidden('cryptoWalletType', 7, 'WALLET TYPE', {value: (a) => a.svcCryptoWallet?.cryptoWalletType}),
  createHidden('supportedDestinationCurrencies', 8, 'PAYS OUT', {
    short: 'supported',
    value: (a) => a.svcAutoFiatAccount?.supportedDestinationCurrencies,
    format: (currencies) => (Array.isArray(currencies) ? currencies.map(describeCurrency) : currencies),
  }),
  createHidden('isThirdParty', 8, 'THIRD PARTY', {
    format: (value) => (typeof value === 'boolean' ? formatYesNo(value) : value),
  }),
  ...createCustomerColumns<LoosePaymentAccount>(8, 'record'),
  createHidden('createdAt', 8, 'CREATED (UTC)', {short: 'created', format: formatMinute}),
  createHidden('bankAccountFormLink', 9, 'FORM', {short: 'link'}),
]

// The link to a form is too long for a column, so it is printed below the table.
function listPendingForms(accounts: readonly LoosePaymentAccount[]): string[] {
  const links = accounts
    .map((account) => account.bankAccountFormLink)
    .filter((link) => typeof link === 'string' && link)
  const owner = accounts.find(({bankAccountFormLink: link}) => isUnservedLink(link))?.customerId
  return [
    ...links.map((link) => `Pending until its form is filled in: ${String(link)}`),
    ...(owner === undefined ? [] : [describeUnservedLink(svc`open ${toText(owner)} --bank-account`)]),
  ]
}

export const createAccountView = <T extends LoosePaymentAccount>(
  ...balanceColumns: ReadonlyArray<Column<T>>
): View<T> => ({
  singular: 'payment account',
  plural: 'payment accounts',
  columns: [...leadingColumns, ...balanceColumns, ...otherColumns],
  covers: ['externalBankAccount', 'svcAutoFiatAccount', 'externalCryptoWallet', 'svcCryptoWallet'],
})

export const accountView: View<LoosePaymentAccount> = {...createAccountView(), remarks: listPendingForms}
