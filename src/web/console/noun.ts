// A noun of the console: its list, its search, and the page of one item. Each noun is a value of this shape, and all are shown alike.
import {lookUp, readText} from '../../values/records.ts'
import {capitalize} from '../../values/text.ts'
import {renderCode, toText} from '../format.ts'
import {type Content, html} from '../html.ts'
import {
  type Column,
  type Fact,
  type Moment,
  renderCard,
  renderCount,
  renderFacts,
  renderFailure,
  renderHeading,
  renderItemLink,
  renderPaging,
  renderSearch,
  renderTable,
  renderTimeline,
} from '../parts.ts'
import {type ActionSubject, type ConsoleContext, type ConsolePage, paths, readNewest, tryRead} from './context.ts'
import type {ConsoleAccount, ConsoleSource, ItemPage, PageQuery} from './source.ts'

export interface Noun<Item extends object> {
  title: string
  noun: string
  path: string
  itemPath: string
  // Absent in some sources.
  part?: 'events' | 'journal' | 'requests'
  // The command that lists everything.
  command: string
  searchLabel: string
  // A filter by one of a few values.
  choice?: {name: string; label: string; values: readonly string[]; read: (item: Item) => unknown}
  empty: Content
  list: (source: ConsoleSource, query: PageQuery, owner?: string) => Promise<ItemPage<Item>>
  columns: (context: ConsoleContext, names: CustomerNames | undefined, items: readonly Item[]) => Column<Item>[]
  // A note above the list.
  above?: (context: ConsoleContext) => Content
  find: (context: ConsoleContext, id: string) => Promise<Item | undefined>
  missing?: (context: ConsoleContext, id: string) => Content
  show: (context: ConsoleContext, item: Item) => Promise<ShownItem>
}

interface ShownItem {
  title: string
  status?: Content
  // What the person came for, in one sentence, and what to do next.
  lead?: Content
  // Above the timeline.
  first?: Content
  timeline?: {title?: string; moments: readonly Moment[]; note?: Content}
  cards: ReadonlyArray<readonly [title: string, facts: readonly Fact[], note?: Content]>
  related?: Content
  actions?: ActionSubject
}

const rowsMax = 50
// How many matches of each noun the search of everything shows.
export const partMax = 5

// Every text in the item, however deep.
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

// Every word of the search must occur somewhere, whatever its case.
export function matchesSearch(item: unknown, search: string): boolean {
  const all = listTexts(item).join('\n').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

async function readItems<Item extends object>({query, source}: ConsoleContext, {choice, list}: Noun<Item>) {
  const read = (page: PageQuery) => list(source, page, query['customer'])
  const [search = '', chosen] = [query['q'], choice && query[choice.name]]
  if (search === '' && !chosen) {
    const {items, nextPageToken} = await read({pageSize: rowsMax, pageToken: query['page']})
    const shown = items.slice(0, rowsMax)
    return {items: shown, readCount: shown.length, isCut: nextPageToken !== undefined, isFiltered: false, nextPageToken}
  }
  const {items, isCut} = await readNewest(read, source.readMax)
  const found = items.filter((item) => matchesSearch(item, search) && (!chosen || choice?.read(item) === chosen))
  return {items: found, readCount: items.length, isCut, isFiltered: true, nextPageToken: undefined}
}

// Says that the list is that of one customer, and leads to the whole.
async function renderOwnerNote(context: ConsoleContext, customerId: string): Promise<Content> {
  return html`<p class="note">
    Only those of ${await renderCustomer(context, {customerId})}. <a href="${context.link(context.path)}">Show all</a>
  </p>`
}

export async function renderList<Item extends object>(
  context: ConsoleContext,
  noun: Noun<Item>,
  isPart = false,
): Promise<ConsolePage> {
  const {title, choice} = noun
  const {query} = context
  const owner = query['customer']
  const heading =
    !isPart &&
    html`<div class="head">
      <h1>${title}</h1>
      ${renderSearch(context, noun.searchLabel, choice, {customer: owner})}
    </div>`
  const above = owner ? await renderOwnerNote(context, owner) : noun.above?.(context)
  const read = await tryRead(context, async () => {
    const shown = await readItems(context, noun)
    return {...shown, columns: noun.columns(context, await findNames(context, shown.items), shown.items)}
  })
  if (read.failure !== undefined) return {title, body: [heading, above, renderFailure(read.failure)], status: 502}
  const {items, columns, isFiltered, nextPageToken} = read.value
  const search = query['q']?.trim() ?? ''
  // One that is older than those that were searched can still be read by its id.
  const other =
    noun.itemPath === paths.customer &&
    /^[\da-f]{8}-[\da-f-]{27}$/i.test(search) &&
    html`<a href="${context.link(paths.customer, {id: search})}">Look for the customer with this id</a>`
  const empty = isFiltered
    ? html`No ${noun.noun} matches. ${other}`
    : query['page']
      ? 'There are no older ones among those that were read.'
      : noun.empty
  const id = title.toLowerCase()
  return {
    title,
    count: items.length,
    body: [
      heading,
      above,
      renderCount(`${id}-count`, noun, read.value),
      renderTable({id: `${id}-list`, caption: title, columns, items: isPart ? items.slice(0, partMax) : items, empty}),
      renderPaging(context, nextPageToken),
    ],
  }
}

const createPage = (title: string, status: number, body: Content): ConsolePage => ({
  title,
  status,
  body: html`<h1>${title}</h1>
    ${body}`,
})

export async function renderItem<Item extends object>(context: ConsoleContext, noun: Noun<Item>): Promise<ConsolePage> {
  const id = context.query['id'] ?? context.query['key'] ?? ''
  const read = await tryRead(context, () => noun.find(context, id))
  if (read.failure !== undefined) return createPage(capitalize(noun.noun), 502, renderFailure(read.failure))
  if (!read.value) {
    const missing = noun.missing?.(context, id) ?? html`There is no ${noun.noun} ${renderCode(toText(id))}.`
    return createPage(capitalize(noun.noun), 404, html`<p>${missing}</p>`)
  }
  const {title, status, lead, first, timeline, cards, related, actions} = await noun.show(context, read.value)
  const story =
    timeline &&
    renderCard(
      timeline.title ?? 'What happened',
      renderTimeline(`${noun.noun}-timeline`, timeline.moments, 'Nothing has happened yet.'),
      {note: timeline.note},
    )
  const facts = cards.map(([name, values, note]) => renderCard(name, renderFacts(values), {note}))
  return {
    title,
    body: [
      renderHeading(context, {list: noun.path, listTitle: noun.title, title, beside: status}),
      lead,
      story
        ? html`<div class="columns" id="${noun.noun}" data-live>
            <div>${first} ${story}</div>
            <div>${facts}</div>
          </div>`
        : html`<div id="${noun.noun}" data-live>${facts}</div>`,
      related,
      actions && context.renderActions?.(actions),
    ],
  }
}

// Items of another noun on the page of an item, such as the transactions of a customer.
export async function renderRelated<Item extends object>(
  context: ConsoleContext,
  noun: Pick<Noun<Item>, 'columns'>,
  related: {
    title: string
    id: string
    countMax: number
    empty: string
    read: () => Promise<ItemPage<Item>>
    note?: string
    // Shown if there are more than these.
    more?: Content
  },
): Promise<Content> {
  const {title, id, countMax, empty, note, more} = related
  const read = await tryRead(context, related.read)
  if (read.failure !== undefined) return renderCard(title, renderFailure(read.failure))
  const items = read.value.items.slice(0, countMax)
  const table = renderTable({id, caption: title, columns: noun.columns(context, undefined, items), items, empty})
  const isCut = read.value.nextPageToken !== undefined || read.value.items.length > countMax
  return renderCard(title, [table, isCut && more], {note})
}

export type CustomerNames = ReadonlyMap<string, string>

interface OfCustomer {
  customerId?: unknown
}

export const findNames = ({source}: ConsoleContext, items: readonly object[]): Promise<CustomerNames> =>
  source.findNames(items.map((item) => readText((item as OfCustomer).customerId)).filter(Boolean))

// The customer of an item. Without its name the link shows the id.
export async function renderCustomer(context: ConsoleContext, item: OfCustomer): Promise<Content> {
  const names = await tryRead(context, () => findNames(context, [item]))
  return linkCustomer(context, item.customerId, names.value?.get(readText(item.customerId)))
}

export const linkCustomer = (context: ConsoleContext, id: unknown, text?: string): Content =>
  readText(id) === '' ? '' : renderItemLink(context, {path: paths.customer, id, text})

// There is none without names: the page of a customer has it in its title.
export const customerColumn = (context: ConsoleContext, names: CustomerNames | undefined): Column<OfCustomer>[] =>
  names
    ? [
        {
          header: 'Customer',
          render: ({customerId}) => linkCustomer(context, customerId, names.get(readText(customerId))),
        },
      ]
    : []

const typeLabels: Readonly<Record<string, string>> = {
  EXTERNAL_BANK_ACCOUNT: 'Bank account',
  EXTERNAL_CRYPTO_WALLET: 'External wallet',
  SVC_CRYPTO_WALLET: 'Service wallet',
  SVC_AUTO_FIAT_ACCOUNT: 'Automatic fiat account',
}

export const describeAccountType = (type: unknown) => lookUp(typeLabels, toText(type)) ?? toText(type)

const addressEnds = {start: 8, end: 6}

const shortenAddress = (address: string) =>
  address.length > addressEnds.start + addressEnds.end
    ? `${address.slice(0, addressEnds.start)}…${address.slice(-addressEnds.end)}`
    : address

// The bank and the masked number, or the address of a wallet.
export function describePlace(account: ConsoleAccount): string {
  const {externalBankAccount: bank, externalCryptoWallet, svcCryptoWallet} = account
  const {address, chain} = externalCryptoWallet?.address ?? svcCryptoWallet?.address ?? {}
  return [toText(bank?.bankName), toText(bank?.bankAccountMask), shortenAddress(toText(address)), toText(chain)]
    .filter(Boolean)
    .join(' ')
}

// An account that money comes from or goes to: a name, a bank and the last digits. The name is the owner that a bank account states,
// or else the customer. What cannot be read is left out.
export async function renderParty(context: ConsoleContext, accountId: unknown, item: OfCustomer): Promise<Content> {
  const customerId = readText(item.customerId)
  const read = await tryRead(context, async () => {
    if (readText(accountId) === '' || customerId === '') return undefined
    const {items} = await context.source.listAccounts(customerId)
    const account = items.find(({paymentAccountId}) => paymentAccountId === accountId)
    const owner = toText(account?.externalBankAccount?.bankAccountOwnerName)
    const name = owner || (await findNames(context, [item])).get(customerId)
    return account && [name, describePlace(account)].filter(Boolean).join(', ')
  })
  return renderItemLink(context, {path: paths.account, id: accountId, customerId, text: read.value})
}
