// Payment accounts, as a table and as a record.
import type {Column, View} from '../cli/output/view.ts'
import {type Item, formatMinute, getPath, formatYesNo} from '../cli/output/format-values.ts'

// The first that is there: an account has one of the four forms, and each keeps its things elsewhere.
const readFirst =
  (...paths: ReadonlyArray<readonly string[]>) =>
  (account: Item) =>
    paths.map((path) => getPath(account, ...path)).find((value) => value !== undefined && value !== null)

const readBankField = (field: string) => (account: Item) => getPath(account, 'externalBankAccount', field)

const readSupportedCurrencies = (account: Item) =>
  getPath(account, 'svcAutoFiatAccount', 'supportedDestinationCurrencies')

// Currencies with the same label are one currency on several networks: USDC on ARBITRUM, BASE.
function describeCurrencies(currencies: unknown): unknown {
  if (!Array.isArray(currencies)) return currencies
  const byLabel = Map.groupBy(currencies as Array<Item | null>, (currency) => String(currency?.['label']))
  return [...byLabel].map(([label, some]) => {
    const chains = some.map((currency) => currency?.['chain']).filter((chain) => typeof chain === 'string')
    return chains.length > 0 ? `${label} on ${chains.join(', ')}` : label
  })
}

const onRequest = true

// The columns after which the sandbox puts what an account holds.
const leadingColumns: ReadonlyArray<Column<Item>> = [
  {
    name: 'paymentAccountId',
    short: 'id',
    header: 'ID',
    value: (a) => a['paymentAccountId'],
    format: (id) => (id === '' ? '(pending)' : id),
    rank: 0,
  },
  {name: 'paymentAccountType', short: 'type', header: 'TYPE', value: (a) => a['paymentAccountType'], rank: 2},
  {
    name: 'paymentAccountStatus',
    short: 'status',
    header: 'STATUS',
    value: (a) => a['paymentAccountStatus'],
    rank: 5,
    colour: 'status',
  },
  {
    name: 'method',
    short: 'chain',
    header: 'METHOD',
    value: readFirst(
      ['externalBankAccount', 'bankAccountPaymentMethod'],
      ['externalCryptoWallet', 'address', 'chain'],
      ['svcCryptoWallet', 'address', 'chain'],
    ),
    rank: 1,
  },
  {
    name: 'currency',
    header: 'CURRENCY',
    value: readFirst(
      ['externalBankAccount', 'bankAccountCurrency', 'label'],
      ['externalCryptoWallet', 'currency', 'label'],
      ['svcAutoFiatAccount', 'currency', 'label'],
    ),
    rank: 3,
  },
]

const otherColumns: ReadonlyArray<Column<Item>> = [
  {name: 'nickname', header: 'NICKNAME', value: (a) => a['nickname'], rank: 6, widthGood: 16, widthMin: 8},
  {name: 'bankName', short: 'bank', header: 'BANK', value: readBankField('bankName'), rank: 7, onRequest},
  {
    name: 'bankAccountMask',
    short: 'mask',
    header: 'ACCOUNT NUMBER',
    value: readBankField('bankAccountMask'),
    rank: 7,
    onRequest,
  },
  {name: 'bankAccountType', header: 'KIND', value: readBankField('bankAccountType'), rank: 7, onRequest},
  {
    name: 'bankAccountOwnerName',
    short: 'owner',
    header: 'OWNER',
    value: readBankField('bankAccountOwnerName'),
    rank: 7,
    onRequest,
  },
  {
    name: 'bankAccountOwnerEmail',
    header: 'OWNER’S EMAIL',
    value: readBankField('bankAccountOwnerEmail'),
    rank: 7,
    onRequest,
  },
  {
    name: 'address',
    header: 'WALLET ADDRESS',
    value: readFirst(['externalCryptoWallet', 'address', 'address'], ['svcCryptoWallet', 'address', 'address']),
    rank: 7,
    onRequest,
  },
  {
    name: 'cryptoWalletType',
    header: 'WALLET TYPE',
    value: (a) => getPath(a, 'svcCryptoWallet', 'cryptoWalletType'),
    rank: 7,
    onRequest,
  },
  {
    name: 'supportedDestinationCurrencies',
    short: 'supported',
    header: 'PAYS OUT',
    value: readSupportedCurrencies,
    format: describeCurrencies,
    rank: 8,
    onRequest,
  },
  {
    name: 'isThirdParty',
    header: 'THIRD PARTY',
    value: (a) => a['isThirdParty'],
    format: (value) => (typeof value === 'boolean' ? formatYesNo(value) : value),
    rank: 8,
    onRequest,
  },
  {name: 'customerId', short: 'customer', header: 'CUSTOMER', value: (a) => a['customerId'], rank: 8, onRequest},
  {
    name: 'createdAt',
    short: 'created',
    header: 'CREATED (UTC)',
    value: (a) => a['createdAt'],
    format: formatMinute,
    rank: 8,
    onRequest,
  },
  {
    name: 'bankAccountFormLink',
    short: 'link',
    header: 'FORM',
    value: (a) => a['bankAccountFormLink'],
    rank: 9,
    onRequest,
  },
]

// A form's link is longer than a line has room for, and whoever has pending accounts needs it.
const listPendingForms = (accounts: readonly Item[]) =>
  accounts
    .map((account) => account['bankAccountFormLink'])
    .filter((link) => typeof link === 'string' && link !== '')
    .map((link) => `Pending until its form is filled in: ${String(link)}`)

export const createAccountView = (...held: ReadonlyArray<Column<Item>>): View<Item> => ({
  singular: 'payment account',
  plural: 'payment accounts',
  columns: [...leadingColumns, ...held, ...otherColumns],
  covers: ['externalBankAccount', 'svcAutoFiatAccount', 'externalCryptoWallet', 'svcCryptoWallet'],
})

export const accountView: View<Item> = {...createAccountView(), remarks: listPendingForms}
