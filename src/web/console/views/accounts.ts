// The payment accounts, and the page of one with its transactions. Owners' names and whole account numbers are not shown here.
import {lookUp, readText} from '../../../values/records.ts'
import {getCurrencyLabel} from '../../../contract/loose.ts'
import {type Content, html} from '../../html.ts'
import {type ConsoleContext, type ConsolePage, cutPage, readNewest} from '../context.ts'
import {formatMoney, renderCode, renderStatus, renderTime, toText, toWords} from '../../format.ts'
import {type Column, renderAccountLink, renderCard, renderFacts, renderLead} from '../../parts.ts'
import type {ConsoleAccount, PageQuery} from '../source.ts'
import {
  type CustomerNames,
  createCustomerNameColumns,
  describePlace,
  findCustomerNames,
  renderList,
  renderOwnerLink,
  renderOwnerNote,
  renderItem,
} from './list-page.ts'
import {findWords} from '../words.ts'
import {renderRelatedTransactions} from './transactions.ts'

// The interface lists the accounts of one customer, so those of the newest customers are read one by one.
const customersReadMax = 12
const transactionsMax = 25

const typeLabels: Readonly<Record<string, string>> = {
  EXTERNAL_BANK_ACCOUNT: 'Bank account',
  EXTERNAL_CRYPTO_WALLET: 'External wallet',
  SVC_CRYPTO_WALLET: 'Service wallet',
  SVC_AUTO_FIAT_ACCOUNT: 'Automatic fiat account',
}

const describeType = (type: unknown) => lookUp(typeLabels, toText(type)) ?? toWords(type)

const describeCurrency = ({externalBankAccount: bank, externalCryptoWallet, svcAutoFiatAccount}: ConsoleAccount) =>
  [
    getCurrencyLabel(bank?.bankAccountCurrency ?? externalCryptoWallet?.currency ?? svcAutoFiatAccount?.currency),
    bank?.bankAccountPaymentMethod,
  ]
    .map(toText)
    .filter(Boolean)
    .join(' by ')

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

export function createAccountColumns(
  context: ConsoleContext,
  items: readonly ConsoleAccount[],
  names?: CustomerNames,
): Column<ConsoleAccount>[] {
  const hasBalances = items.some(({balances}) => balances !== undefined)
  return [
    {
      header: 'Account',
      render: (account) =>
        renderAccountLink(context, account.paymentAccountId, account.customerId, getAccountName(account)),
    },
    ...createCustomerNameColumns(context, names),
    {header: 'Status', render: ({paymentAccountStatus}) => renderStatus(paymentAccountStatus)},
    {header: 'Type', render: ({paymentAccountType}) => describeType(paymentAccountType)},
    {header: 'Name or address', render: describeOther, isLong: true},
    {header: 'Currency', render: describeCurrency},
    ...(hasBalances ? [{header: 'Balance', render: formatBalances, isNumber: true}] : []),
    {
      header: 'ID',
      render: ({paymentAccountId, customerId}) => renderAccountLink(context, paymentAccountId, customerId),
      isMinor: true,
      isShort: true,
    },
  ]
}

async function readAccounts({
  source,
  query,
}: ConsoleContext): Promise<{accounts: readonly ConsoleAccount[]; isCut: boolean}> {
  const customer = query['customer']
  if (customer) {
    const {items, nextPageToken} = await source.listAccounts(customer)
    return {accounts: items, isCut: nextPageToken !== undefined}
  }
  if (source.listNewestAccounts) {
    const accounts = await source.listNewestAccounts(source.readMax + 1)
    return {accounts: accounts.slice(0, source.readMax), isCut: accounts.length > source.readMax}
  }
  const {items, isCut} = await readNewest((page) => source.listCustomers(page), customersReadMax)
  const ids = items.map(({customerId}) => readText(customerId)).filter(Boolean)
  const pages = await Promise.all(ids.map((id) => source.listAccounts(id)))
  return {accounts: pages.flatMap((page) => page.items), isCut}
}

// Accounts are read as a whole, since the interface has no list of them, and shown in pages.
export async function renderAccounts(context: ConsoleContext): Promise<ConsolePage> {
  const {source, query} = context
  const owner = query['customer']
  const readPage = async (page: PageQuery) => {
    const {accounts, isCut} = await readAccounts(context)
    return cutPage(accounts, page, isCut)
  }
  return renderList<ConsoleAccount>(context, {
    command: 'svc accounts list --customer ID --all',
    search: {label: 'Name, bank, address or id', kept: {customer: owner}},
    listTexts: (account) => [
      account.nickname,
      account.paymentAccountId,
      account.customerId,
      account.externalBankAccount?.bankName,
      account.externalCryptoWallet?.address?.address,
      account.svcCryptoWallet?.address?.address,
      describeType(account.paymentAccountType),
    ],
    readPage,
    prepareColumns: async (items) => createAccountColumns(context, items, await findCustomerNames(context, items)),
    empty: 'There are no accounts.',
    above: owner
      ? await renderOwnerNote(context, owner)
      : !source.listNewestAccounts &&
        html`<p class="note">
          The service lists accounts by customer: these are those of the newest ${customersReadMax} customers. Open a
          customer to see any other.
        </p>`,
  })
}

async function findAccount({source, query}: ConsoleContext, id: string): Promise<ConsoleAccount | undefined> {
  const customer = query['customer']
  const accounts = customer
    ? (await source.listAccounts(customer)).items
    : ((await source.listNewestAccounts?.(source.readMax)) ?? [])
  return accounts.find(({paymentAccountId}) => readText(paymentAccountId).toLowerCase() === id.toLowerCase())
}

// The form of a real account is opened with svc, so that nobody fills it in by mistake.
function renderForm({source}: ConsoleContext, account: ConsoleAccount): Content {
  const form = source.isReadOnly ? '' : readText(account.bankAccountFormLink)
  return form && html`<a href="${form}">The hosted form</a>`
}

export async function renderAccount(context: ConsoleContext): Promise<ConsolePage> {
  const id = context.query['id'] ?? ''
  return renderItem(context, {
    find: () => findAccount(context, id),
    missing: html`The account ${renderCode(toText(id))} is not among those that were read. Open its customer to find it.`,
    render: async (account) => {
      const facts = renderFacts([
        ['Customer', await renderOwnerLink(context, account)],
        ['Called', toText(account.nickname)],
        ['Type', describeType(account.paymentAccountType)],
        ['Where', describePlace(account)],
        ['Currency', describeCurrency(account)],
        ['Balance', formatBalances(account)],
        ['Form', renderForm(context, account)],
        ['Third party', account.isThirdParty === true && 'Yes'],
        ['Created', renderTime(account.createdAt)],
        ['ID', renderCode(toText(account.paymentAccountId))],
      ])
      return {
        title: getAccountName(account),
        beside: renderStatus(account.paymentAccountStatus),
        body: [
          renderLead(findWords('account', account.paymentAccountStatus), readText(account.customerId)),
          html`<div id="account" data-live>${renderCard('Details', facts)}</div>`,
          await renderRelatedTransactions(context, {
            title: 'Transactions',
            id: 'account-transactions',
            query: {paymentAccountId: id},
            countMax: transactionsMax,
            empty: 'No transaction has used this account yet.',
            more: html`<p class="note">The newest ${transactionsMax}.</p>`,
          }),
          context.renderActions?.('account'),
        ],
      }
    },
  })
}
