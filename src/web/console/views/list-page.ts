// What all lists of the console share: one page of a list, or the matches of a search among the newest items. And what the pages of
// their items share: the path back to the list, and what is said if the item cannot be shown.
import {readText} from '../../../values/records.ts'
import {capitalize} from '../../../values/text.ts'
import {type Content, html} from '../../html.ts'
import {
  type Column,
  type SearchForm,
  renderAccountLink,
  renderCount,
  renderCustomerLink,
  renderFailure,
  renderHeading,
  renderPaging,
  renderSearch,
  renderTable,
} from '../../parts.ts'
import {type ConsoleContext, type ConsolePage, createMatcher, findSection, readNewest, tryRead} from '../context.ts'
import {toText} from '../../format.ts'
import type {ConsoleAccount, ItemPage, PageQuery} from '../source.ts'

const rowsMax = 50

interface ListPage<Item> {
  // The command that lists everything.
  command: string
  search: SearchForm
  // The texts of an item that a search looks at.
  listTexts: (item: Item) => readonly unknown[]
  // Whether the item has the chosen value.
  hasChoice?: (item: Item, value: string) => boolean
  readPage: (query: PageQuery) => Promise<ItemPage<Item>>
  // Reads what the columns need about the items, such as names.
  prepareColumns: (items: readonly Item[]) => Promise<readonly Column<Item>[]>
  empty: Content
  above?: Content
  // What else to try if nothing matches a search.
  suggestOther?: (search: string) => Content
}

interface ShownItems<Item> {
  items: readonly Item[]
  readCount: number
  isCut: boolean
  nextPageToken?: string | undefined
}

async function readItems<Item>(context: ConsoleContext, list: ListPage<Item>): Promise<ShownItems<Item>> {
  const {query, source} = context
  const choice = list.search.choice && query[list.search.choice.name]
  if (!query['q'] && !choice) {
    const page = await list.readPage({pageSize: rowsMax, pageToken: query['page']})
    const items = page.items.slice(0, rowsMax)
    return {items, readCount: items.length, isCut: page.nextPageToken !== undefined, nextPageToken: page.nextPageToken}
  }
  const {items, isCut} = await readNewest(list.readPage, source.readMax)
  const matches = createMatcher(query['q'] ?? '')
  const found = items.filter(
    (item) => matches(list.listTexts(item)) && (!choice || list.hasChoice?.(item, choice) !== false),
  )
  return {items: found, readCount: items.length, isCut}
}

// How many matches of each kind the search of everything shows.
export const partMax = 5

export async function renderList<Item>(context: ConsoleContext, list: ListPage<Item>): Promise<ConsolePage> {
  const {title, noun} = findSection(context)
  const {command} = list
  const heading =
    !context.isPart &&
    html`<div class="head">
      <h1>${title}</h1>
      ${renderSearch(context, list.search)}
    </div>`
  const read = await tryRead(context, async () => {
    const shown = await readItems(context, list)
    return {shown, columns: await list.prepareColumns(shown.items)}
  })
  if (read.failure !== undefined) {
    return {title, body: [heading, list.above, renderFailure(read.failure)], status: 502}
  }
  const {shown, columns} = read.value
  const choiceName = list.search.choice?.name
  const isFiltered = Boolean(context.query['q'] || (choiceName && context.query[choiceName]))
  const empty: Content = isFiltered
    ? html`No ${noun} matches. ${list.suggestOther?.(context.query['q'] ?? '')}`
    : context.query['page']
      ? 'There are no older ones among those that were read.'
      : list.empty
  return {
    title,
    count: shown.items.length,
    body: [
      heading,
      list.above,
      renderCount({
        id: `${title.toLowerCase()}-count`,
        count: shown.items.length,
        noun,
        isFiltered,
        readCount: shown.readCount,
        isCut: shown.isCut,
        command,
      }),
      renderTable({
        id: `${title.toLowerCase()}-list`,
        caption: title,
        columns,
        items: context.isPart ? shown.items.slice(0, partMax) : shown.items,
        empty,
      }),
      renderPaging(context, shown.nextPageToken),
    ],
  }
}

// Says that the list is that of one customer, and leads to the whole.
export async function renderOwnerNote(context: ConsoleContext, customerId: string): Promise<Content> {
  const names = await tryRead(context, () => context.source.findNames([customerId]))
  return html`<p class="note">
    Only those of ${renderCustomerLink(context, customerId, names.value?.get(customerId))}.
    <a href="${context.link(context.path)}">Show all</a>
  </p>`
}

// The column that names the customer of each item, in the lists of all customers.
export type CustomerNames = ReadonlyMap<string, string>

interface OfCustomer {
  customerId?: unknown
}

export const findCustomerNames = ({source}: ConsoleContext, items: readonly OfCustomer[]): Promise<CustomerNames> =>
  source.findNames(items.map(({customerId}) => readText(customerId)).filter(Boolean))

// The link to the customer of one item. Without its name it shows the id.
export async function renderOwnerLink(context: ConsoleContext, item: OfCustomer): Promise<Content> {
  const names = await tryRead(context, () => findCustomerNames(context, [item]))
  return renderCustomerLink(context, item.customerId, names.value?.get(readText(item.customerId)))
}

const addressEnds = {start: 8, end: 6}

const shortenAddress = (address: string) =>
  address.length > addressEnds.start + addressEnds.end
    ? `${address.slice(0, addressEnds.start)}…${address.slice(-addressEnds.end)}`
    : address

// The bank and the masked number, or the address of a wallet.
export function describePlace({
  externalBankAccount: bank,
  externalCryptoWallet,
  svcCryptoWallet,
}: ConsoleAccount): string {
  const {address, chain} = externalCryptoWallet?.address ?? svcCryptoWallet?.address ?? {}
  return [toText(bank?.bankName), toText(bank?.bankAccountMask), shortenAddress(toText(address)), toText(chain)]
    .filter(Boolean)
    .join(' ')
}

// An account that money comes from or goes to: a name, a bank and the last digits. The name is the owner that a bank account states,
// or else the customer. What cannot be read is left out.
async function findPartyName(
  context: ConsoleContext,
  accountId: unknown,
  item: OfCustomer,
): Promise<string | undefined> {
  const customerId = readText(item.customerId)
  if (readText(accountId) === '' || customerId === '') return undefined
  const [accounts, names] = await Promise.all([
    tryRead(context, () => context.source.listAccounts(customerId)),
    tryRead(context, () => findCustomerNames(context, [item])),
  ])
  const account = accounts.value?.items.find(({paymentAccountId}) => paymentAccountId === accountId)
  const owner = toText(account?.externalBankAccount?.bankAccountOwnerName) || names.value?.get(customerId)
  return account && [owner, describePlace(account)].filter(Boolean).join(', ')
}

export const renderPartyName = async (
  context: ConsoleContext,
  accountId: unknown,
  item: OfCustomer,
): Promise<Content> =>
  renderAccountLink(context, accountId, item.customerId, await findPartyName(context, accountId, item))

// There is none without names: the page of a customer has it in its title.
export const createCustomerNameColumns = (
  context: ConsoleContext,
  names: CustomerNames | undefined,
): Column<OfCustomer>[] =>
  names === undefined
    ? []
    : [
        {
          header: 'Customer',
          render: ({customerId}) => renderCustomerLink(context, customerId, names.get(readText(customerId))),
        },
      ]

interface ItemView<Item> {
  find: () => Promise<Item | undefined>
  // What is said if there is none.
  missing: Content
  render: (item: Item) => Promise<{title: string; beside?: Content; body: Content}>
}

export async function renderItem<Item>(
  context: ConsoleContext,
  {find, missing, render}: ItemView<Item>,
): Promise<ConsolePage> {
  const {title: listTitle, path, noun} = findSection(context)
  const read = await tryRead(context, find)
  if (read.failure !== undefined) return createPage(capitalize(noun), 502, renderFailure(read.failure))
  if (!read.value) return createPage(capitalize(noun), 404, html`<p>${missing}</p>`)
  const {title, beside, body} = await render(read.value)
  const heading = renderHeading(context, {list: path, listTitle, title, beside})
  return {title, body: [heading, body]}
}

const createPage = (title: string, status: number, body: Content): ConsolePage => ({
  title,
  status,
  body: html`<h1>${title}</h1>
    ${body}`,
})
