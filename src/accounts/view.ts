// The columns of payment accounts.
import {
  type Column,
  type View,
  describeUnservedLink,
  formatMinute,
  formatYesNo,
  joinParts,
  isUnservedLink,
  toText,
} from '../cli/output/view.ts'
import {type LooseCurrency, type LoosePaymentAccount, getCurrencyLabel} from '../contract/loose.ts'
import {createCustomerColumns} from '../customers/customer-names.ts'
import {quoteForShell} from '../values/text.ts'
import {describeLocation} from './describe-account.ts'

type Read = (account: LoosePaymentAccount) => unknown

// An account has one of four forms, and each keeps these values in another place.
const readFirst =
  (...reads: readonly Read[]): Read =>
  (account) =>
    reads.map((read) => read(account)).find((value) => value !== undefined && value !== null)

const readMethod = readFirst(
  (a) => a.externalBankAccount?.bankAccountPaymentMethod,
  (a) => a.externalCryptoWallet?.address?.chain,
  (a) => a.svcCryptoWallet?.address?.chain,
)

const readCurrency = readFirst(
  (a) => getCurrencyLabel(a.externalBankAccount?.bankAccountCurrency),
  (a) => getCurrencyLabel(a.externalCryptoWallet?.currency),
  (a) => getCurrencyLabel(a.svcAutoFiatAccount?.currency),
)

const readChain = readFirst(
  (a) => a.externalCryptoWallet?.address?.chain,
  (a) => a.svcCryptoWallet?.address?.chain,
)

// Such as: Zoë Ångström, Example Bank ****6789, or BASE 0x1234…cdef
const describePlace: Read = (account) => {
  const place = [toText(readChain(account)), describeLocation(account)].filter((part) => part !== '').join(' ')
  return joinParts(toText(account.externalBankAccount?.bankAccountOwnerName).trim(), place)
}

const readAddress = readFirst(
  (a) => a.externalCryptoWallet?.address?.address,
  (a) => a.svcCryptoWallet?.address?.address,
)

// Currencies with the same label are one currency on several networks, such as: USDC on ARBITRUM, BASE
function describeCurrencies(currencies: unknown): unknown {
  if (!Array.isArray(currencies)) return currencies
  const byLabel = Map.groupBy<string, LooseCurrency>(currencies, (currency) => String(getCurrencyLabel(currency)))
  return [...byLabel].map(([label, sameLabel]) => {
    const chains = sameLabel
      .map((currency) => (typeof currency === 'object' ? currency?.chain : undefined))
      .filter((chain) => typeof chain === 'string')
    return chains.length > 0 ? `${label} on ${chains.join(', ')}` : label
  })
}

const onRequest = true

// The sandbox adds the balance after these columns.
const leadingColumns: ReadonlyArray<Column<LoosePaymentAccount>> = [
  {
    name: 'paymentAccountId',
    short: 'id',
    header: 'ID',
    value: (a) => a.paymentAccountId,
    format: (id) => (id === '' ? '(pending)' : id),
    rank: 0,
    isId: true,
  },
  {name: 'paymentAccountType', short: 'type', header: 'TYPE', value: (a) => a.paymentAccountType, rank: 0},
  {
    name: 'where',
    header: 'WHOSE, WHERE',
    value: describePlace,
    rank: 1,
    widthGood: 24,
    widthMin: 16,
    wraps: true,
    isTableOnly: true,
    isPartOfAnother: true,
  },
  {
    name: 'paymentAccountStatus',
    short: 'status',
    header: 'STATUS',
    value: (a) => a.paymentAccountStatus,
    rank: 3,
    colour: 'status',
  },
  {
    name: 'method',
    short: 'chain',
    header: 'METHOD',
    value: readMethod,
    rank: 5,
  },
  {
    name: 'currency',
    header: 'CURRENCY',
    value: readCurrency,
    rank: 2,
  },
]

const otherColumns: ReadonlyArray<Column<LoosePaymentAccount>> = [
  {name: 'nickname', header: 'NICKNAME', value: (a) => a.nickname, rank: 4, widthGood: 16, widthMin: 8},
  {name: 'bankName', short: 'bank', header: 'BANK', value: (a) => a.externalBankAccount?.bankName, rank: 7, onRequest},
  {
    name: 'bankAccountMask',
    short: 'mask',
    header: 'ACCOUNT NUMBER',
    value: (a) => a.externalBankAccount?.bankAccountMask,
    rank: 7,
    onRequest,
  },
  {name: 'bankAccountType', header: 'KIND', value: (a) => a.externalBankAccount?.bankAccountType, rank: 7, onRequest},
  {
    name: 'bankAccountOwnerName',
    short: 'owner',
    header: 'OWNER',
    value: (a) => a.externalBankAccount?.bankAccountOwnerName,
    rank: 7,
    onRequest,
  },
  {
    name: 'bankAccountOwnerEmail',
    header: 'OWNER’S EMAIL',
    value: (a) => a.externalBankAccount?.bankAccountOwnerEmail,
    rank: 7,
    onRequest,
  },
  {
    name: 'address',
    header: 'WALLET ADDRESS',
    value: readAddress,
    rank: 7,
    onRequest,
  },
  {
    name: 'cryptoWalletType',
    header: 'WALLET TYPE',
    value: (a) => a.svcCryptoWallet?.cryptoWalletType,
    rank: 7,
    onRequest,
  },
  {
    name: 'supportedDestinationCurrencies',
    short: 'supported',
    header: 'PAYS OUT',
    value: (a) => a.svcAutoFiatAccount?.supportedDestinationCurrencies,
    format: describeCurrencies,
    rank: 8,
    onRequest,
  },
  {
    name: 'isThirdParty',
    header: 'THIRD PARTY',
    value: (a) => a.isThirdParty,
    format: (value) => (typeof value === 'boolean' ? formatYesNo(value) : value),
    rank: 8,
    onRequest,
  },
  ...createCustomerColumns<LoosePaymentAccount>(8, onRequest),
  {
    name: 'createdAt',
    short: 'created',
    header: 'CREATED (UTC)',
    value: (a) => a.createdAt,
    format: formatMinute,
    rank: 8,
    onRequest,
  },
  {
    name: 'bankAccountFormLink',
    short: 'link',
    header: 'FORM',
    value: (a) => a.bankAccountFormLink,
    rank: 9,
    onRequest,
  },
]

// The link to a form is too long for a column, so it is printed below the table.
function listPendingForms(accounts: readonly LoosePaymentAccount[]): string[] {
  const links = accounts
    .map((account) => account.bankAccountFormLink)
    .filter((link) => typeof link === 'string' && link)
  const owner = accounts.find(({bankAccountFormLink: link}) => isUnservedLink(link))?.customerId
  return [
    ...links.map((link) => `Pending until its form is filled in: ${String(link)}`),
    ...(owner === undefined ? [] : [describeUnservedLink(`open ${quoteForShell(toText(owner))} --bank-account`)]),
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
