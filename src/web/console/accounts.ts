// Payment accounts. Owners' names and whole account numbers are not shown.
import {getCurrencyLabel} from '../../contract/loose.ts'
import {accountTypeLabels} from '../../contract/vocabulary.ts'
import {lookUp, readText} from '../../values/records.ts'
import {formatMoney, renderStatus, renderTime, toText} from '../format.ts'
import {renderItemLink, renderLead} from '../parts.ts'
import {type Cut, cutPage, paths, readByCount, readNewest} from './context.ts'
import {type Noun, createIdFields, customerField, describePlace, linkForm, renderRelated} from './noun.ts'
import type {ConsoleAccount, ConsoleSource} from './source.ts'
import {transactions} from './transactions.ts'
import {findWords} from './words.ts'

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

export async function readOwned(source: ConsoleSource, owner: string): Promise<Cut<ConsoleAccount>> {
  const {items, nextPageToken} = await source.listAccounts(owner)
  return {items, isCut: nextPageToken !== undefined}
}

export const accounts: Noun<ConsoleAccount> = {
  title: 'Accounts',
  noun: 'account',
  path: paths.accounts,
  itemPath: paths.account,
  // The interface lists the accounts of one customer only, and the page of the customer has them.
  part: 'listNewestAccounts',
  command: 'svc accounts list --customer ID --all',
  searchLabel: 'Name, bank, address or id',
  empty: 'There are no accounts.',
  list: async (source, page, owner) => {
    const newest = () => readByCount(source.readMax, (count) => source.listNewestAccounts?.(count))
    return cutPage(await (owner ? readOwned(source, owner) : newest()), page)
  },
  fields: (context, names) => [
    {
      header: 'Account',
      render: (account) => {
        const {paymentAccountId: id, customerId} = account
        return renderItemLink(context, {path: paths.account, id, customerId, text: getAccountName(account)})
      },
    },
    ...customerField(context, names),
    {header: 'Status', render: ({paymentAccountStatus}) => renderStatus(paymentAccountStatus), only: 'list'},
    {header: 'Type', render: ({paymentAccountType: type}) => lookUp(accountTypeLabels, toText(type)) ?? toText(type)},
    {header: 'Name or address', render: describeOther, isLong: true},
    {header: 'Currency', render: describeCurrency},
    ...(context.source.listNewestAccounts ? [{header: 'Balance', render: formatBalances, isNumber: true}] : []),
    {header: 'Form', render: ({bankAccountFormLink}) => linkForm(context, bankAccountFormLink), only: 'page'},
    {header: 'Third party', render: ({isThirdParty}) => isThirdParty === true && 'Yes', only: 'page'},
    {header: 'Created (UTC)', render: ({createdAt}) => renderTime(createdAt), only: 'page'},
    ...createIdFields<ConsoleAccount>(context, paths.account, ({paymentAccountId}) => paymentAccountId),
  ],
  find: async ({source, query}, id) => {
    const {items} = await readOwned(source, query['customer'] ?? '')
    return items.find(({paymentAccountId}) => readText(paymentAccountId).toLowerCase() === id.toLowerCase())
  },
  show: async (context, account) => {
    const paymentAccountId = readText(account.paymentAccountId)
    return {
      title: getAccountName(account),
      status: renderStatus(account.paymentAccountStatus),
      lead: renderLead(findWords('account', account.paymentAccountStatus), readText(account.customerId)),
      related: await renderRelated(context, transactions, {
        title: 'Transactions',
        id: 'account-transactions',
        read: () => readNewest((page) => context.source.listTransactions({...page, paymentAccountId}), transactionsMax),
        empty: 'No transaction has used this account yet.',
      }),
      actions: 'account',
    }
  },
}
