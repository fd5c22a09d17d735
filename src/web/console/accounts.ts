// Payment accounts. Owners' names and whole account numbers are not shown.
import {getCurrencyLabel} from '../../contract/loose.ts'
import {readText} from '../../values/records.ts'
import {formatMoney, renderCode, renderStatus, renderTime, toText} from '../format.ts'
import {html} from '../html.ts'
import {renderItemLink, renderLead} from '../parts.ts'
import {cutPage, paths, readNewest} from './context.ts'
import {type Noun, customerColumn, describeAccountType, describePlace, renderCustomer, renderRelated} from './noun.ts'
import type {ConsoleAccount, ConsoleSource} from './source.ts'
import {transactions} from './transactions.ts'
import {findWords} from './words.ts'

// The interface lists the accounts of one customer, so those of the newest customers are read one by one.
const customersReadMax = 12
const transactionsMax = 25

function describeCurrency({externalBankAccount: bank, externalCryptoWallet, svcAutoFiatAccount}: ConsoleAccount) {
  const currency = bank?.bankAccountCurrency ?? externalCryptoWallet?.currency ?? svcAutoFiatAccount?.currency
  return [getCurrencyLabel(currency), bank?.bankAccountPaymentMethod].map(toText).filter(Boolean).join(' by ')
}

// People know a bank account by its bank and its last digits, and a wallet by its name.
function getAccountName(account: ConsoleAccount): string {
  const [place, nickname] = [describePlace(account), toText(account.nickname)]
  return (toText(account.externalBankAccount?.bankName) === '' ? nickname || place : place) || 'Without a name'
}

const describeOther = (account: ConsoleAccount) =>
  [toText(account.nickname), describePlace(account)].find((text) => text !== getAccountName(account)) ?? ''

const formatBalances = ({balances = {}}: ConsoleAccount) =>
  Object.entries(balances)
    .map(([currency, amount]) => formatMoney(amount, currency))
    .join(', ')

async function readAccounts(source: ConsoleSource, owner: string | undefined) {
  if (owner) {
    const {items, nextPageToken} = await source.listAccounts(owner)
    return {items, isCut: nextPageToken !== undefined}
  }
  if (source.listNewestAccounts) {
    const items = await source.listNewestAccounts(source.readMax + 1)
    return {items: items.slice(0, source.readMax), isCut: items.length > source.readMax}
  }
  const {items: newest, isCut} = await readNewest((page) => source.listCustomers(page), customersReadMax)
  const ids = newest.map(({customerId}) => readText(customerId)).filter(Boolean)
  const pages = await Promise.all(ids.map((id) => source.listAccounts(id)))
  return {items: pages.flatMap(({items}) => items), isCut}
}

export const accounts: Noun<ConsoleAccount> = {
  title: 'Accounts',
  noun: 'account',
  path: paths.accounts,
  itemPath: paths.account,
  command: 'svc accounts list --customer ID --all',
  searchLabel: 'Name, bank, address or id',
  empty: 'There are no accounts.',
  list: async (source, page, owner) => {
    const {items, isCut} = await readAccounts(source, owner)
    return cutPage(items, page, isCut)
  },
  above: ({source}) =>
    !source.listNewestAccounts &&
    html`<p class="note">
      The service lists accounts by customer: these are those of the newest ${customersReadMax} customers. Open a
      customer to see any other.
    </p>`,
  columns: (context, names, items) => {
    const linkTo = ({paymentAccountId: id, customerId}: ConsoleAccount, text?: string) =>
      renderItemLink(context, {path: paths.account, id, customerId, text})
    const hasBalances = items.some(({balances}) => balances !== undefined)
    return [
      {header: 'Account', render: (account) => linkTo(account, getAccountName(account))},
      ...customerColumn(context, names),
      {header: 'Status', render: ({paymentAccountStatus}) => renderStatus(paymentAccountStatus)},
      {header: 'Type', render: ({paymentAccountType}) => describeAccountType(paymentAccountType)},
      {header: 'Name or address', render: describeOther, isLong: true},
      {header: 'Currency', render: describeCurrency},
      ...(hasBalances ? [{header: 'Balance', render: formatBalances, isNumber: true}] : []),
      {header: 'ID', render: (account) => linkTo(account), isMinor: true, isShort: true},
    ]
  },
  find: async ({source, query}, id) => {
    const {items} = await readAccounts(source, query['customer'])
    return items.find(({paymentAccountId}) => readText(paymentAccountId).toLowerCase() === id.toLowerCase())
  },
  missing: (_, id) =>
    html`The account ${renderCode(toText(id))} is not among those that were read. Open its customer to find it.`,
  show: async (context, account) => {
    const id = readText(account.paymentAccountId)
    // The form of a real account is opened with svc, so that nobody fills it in by mistake.
    const form = context.source.isReadOnly ? '' : readText(account.bankAccountFormLink)
    return {
      title: getAccountName(account),
      status: renderStatus(account.paymentAccountStatus),
      lead: renderLead(findWords('account', account.paymentAccountStatus), readText(account.customerId)),
      cards: [
        [
          'Details',
          [
            ['Customer', await renderCustomer(context, account)],
            ['Called', toText(account.nickname)],
            ['Type', describeAccountType(account.paymentAccountType)],
            ['Where', describePlace(account)],
            ['Currency', describeCurrency(account)],
            ['Balance', formatBalances(account)],
            ['Form', form && html`<a href="${form}">The hosted form</a>`],
            ['Third party', account.isThirdParty === true && 'Yes'],
            ['Created', renderTime(account.createdAt)],
            ['ID', renderCode(id)],
          ],
        ],
      ],
      related: await renderRelated(context, transactions, {
        title: 'Transactions',
        id: 'account-transactions',
        read: () => context.source.listTransactions({paymentAccountId: id, pageSize: transactionsMax}),
        countMax: transactionsMax,
        empty: 'No transaction has used this account yet.',
        more: html`<p class="note">The newest ${transactionsMax}.</p>`,
      }),
      actions: 'account',
    }
  },
}
