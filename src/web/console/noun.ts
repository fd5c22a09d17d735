// A noun of the console: its list, its search, and the page of one item. Each noun is a value of this shape, and all are shown alike.
import {describeLocation} from '../../values/account-location.ts'
import {readText} from '../../values/records.ts'
import {capitalize} from '../../values/text.ts'
import {renderCode, toText} from '../format.ts'
import {type Content, html} from '../html.ts'
import {
  type Column,
  type Moment,
  renderCard,
  renderCount,
  renderFacts,
  renderFailure,
  renderItemLink,
  renderPaging,
  renderSearch,
  renderTable,
  renderTimeline,
} from '../parts.ts'
import {
  type ActionSubject,
  type ConsoleContext,
  type ConsolePage,
  type Cut,
  paths,
  readNewest,
  tryRead,
} from './context.ts'
import type {ConsoleAccount, ConsoleSource, ItemPage, PageQuery} from './source.ts'

export interface Noun<Item extends object> {
  title: string
  noun: string
  path: string
  itemPath: string
  // Absent in some sources.
  part?: 'events' | 'journal' | 'listNewestAccounts'
  // The command that lists everything.
  command: string
  searchLabel: string
  // A filter by one of a few values.
  choice?: {name: string; label: string; values: readonly string[]; read: (item: Item) => unknown}
  empty: Content
  list: (source: ConsoleSource, query: PageQuery, owner?: string) => Promise<ItemPage<Item>>
  fields: (context: ConsoleContext, names: Names) => Field<Item>[]
  // A note above the list.
  above?: (context: ConsoleContext) => Content
  find: (context: ConsoleContext, id: string) => Promise<Item | undefined>
  missing?: (context: ConsoleContext, id: string) => Content
  show: (context: ConsoleContext, item: Item) => Promise<ShownItem>
}

// What is shown of an item: a column of the list, and a fact on its page, unless it is for one of them only.
export interface Field<Item> extends Column<Item> {
  only?: 'list' | 'page'
}

interface ShownItem {
  title: string
  status?: Content
  // What the person came for, in one sentence, and what to do next.
  lead?: Content
  // Above the timeline.
  first?: Content
  timeline?: {title?: string; moments: readonly Moment[]; note?: Content}
  // Below the facts.
  note?: Content
  related?: Content
  actions?: ActionSubject
}

const rowsMax = 50

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

async function renderList<Item extends object>(context: ConsoleContext, noun: Noun<Item>): Promise<ConsolePage> {
  const {title, choice} = noun
  const {query, link} = context
  const owner = query['customer']
  const heading = html`<div class="head">
    <h1>${title}</h1>
    ${renderSearch(context, noun.searchLabel, choice, {customer: owner})}
  </div>`
  const ofOwner =
    owner && html`<p class="note">Only those of one customer. <a href="${link(context.path)}">Show all</a></p>`
  const above = ofOwner || noun.above?.(context)
  const read = await tryRead(context, async () => {
    const shown = await readItems(context, noun)
    return {...shown, columns: listColumns(noun.fields(context, await findNames(context, shown.items)))}
  })
  if (read.failure !== undefined) return {title, body: [heading, above, renderFailure(read.failure)], status: 502}
  const {items, columns, isFiltered, nextPageToken} = read.value
  const search = query['q']?.trim() ?? ''
  // One that is older than those that were searched can still be read by its id.
  const other =
    noun.itemPath === paths.customer &&
    /^[\da-f]{8}-[\da-f-]{27}$/i.test(search) &&
    html`<a href="${link(paths.customer, {id: search})}">Look for the customer with this id</a>`
  const empty = isFiltered
    ? html`No ${noun.noun} matches. ${other}`
    : query['page']
      ? 'There are no older ones among those that were read.'
      : noun.empty
  const id = title.toLowerCase()
  return {
    title,
    body: [
      heading,
      above,
      renderCount(`${id}-count`, noun, read.value),
      renderTable({id: `${id}-list`, caption: title, columns, items, empty}),
      renderPaging(context, nextPageToken),
    ],
  }
}

const listColumns = <Item>(fields: readonly Field<Item>[]) => fields.filter(({only}) => only !== 'page')

const createPage = (title: string, status: number, body: Content): ConsolePage => ({
  title,
  status,
  body: html`<h1>${title}</h1>
    ${body}`,
})

// Some sources have no journal, no events, or no list of accounts.
export const isListed = ({source}: ConsoleContext, {part}: Pick<NounPages, 'part'>) =>
  part === undefined || source[part] !== undefined

async function renderItem<Item extends object>(context: ConsoleContext, noun: Noun<Item>): Promise<ConsolePage> {
  const id = context.query['id'] ?? context.query['key'] ?? ''
  const read = await tryRead(context, () => noun.find(context, id))
  if (read.failure !== undefined) return createPage(capitalize(noun.noun), 502, renderFailure(read.failure))
  const item = read.value
  if (!item) {
    const missing = noun.missing?.(context, id) ?? html`There is no ${noun.noun} ${renderCode(toText(id))}.`
    return createPage(capitalize(noun.noun), 404, html`<p>${missing}</p>`)
  }
  const [{title, status, lead, first, timeline, note, related, actions}, names] = await Promise.all([
    noun.show(context, item),
    findAllNames(context, item),
  ])
  const facts = noun
    .fields(context, names)
    .filter(({only}) => only !== 'list')
    .map(({header, render}) => [header, render(item)] as const)
  const details = renderCard('Details', renderFacts(facts), {note})
  const story =
    timeline &&
    renderCard(timeline.title ?? 'What happened', renderTimeline(`${noun.noun}-timeline`, timeline.moments), {
      note: timeline.note,
    })
  return {
    title,
    body: [
      html`<p class="crumb">
          ${isListed(context, noun) ? html`<a href="${context.link(noun.path)}">${noun.title}</a>` : linkCustomer(context, readOwner(item), names)}
        </p>
        <h1 class="item" id="heading" data-live>${title} ${status}</h1>`,
      lead,
      html`<div class="${story && 'columns'}" id="${noun.noun}" data-live>
        ${story && html`<div>${first} ${story}</div>`}
        <div>${details}</div>
      </div>`,
      related,
      actions && context.renderActions?.(actions),
    ],
  }
}

// The pages of a noun, whatever its items are.
export interface NounPages extends Pick<Noun<never>, 'title' | 'noun' | 'path' | 'itemPath' | 'part'> {
  renderList: (context: ConsoleContext) => Promise<ConsolePage>
  renderItem: (context: ConsoleContext) => Promise<ConsolePage>
}

export const createPages = <Item extends object>(noun: Noun<Item>): NounPages => ({
  ...noun,
  renderList: (context) => renderList(context, noun),
  renderItem: (context) => renderItem(context, noun),
})

// Items of another noun on the page of an item, such as the transactions of a customer.
export async function renderRelated<Item extends object>(
  context: ConsoleContext,
  noun: Pick<Noun<Item>, 'fields'>,
  // `all` is the address of the whole list.
  related: {title: string; id: string; empty: string; read: () => Promise<Cut<Item>>; note?: string; all?: string},
): Promise<Content> {
  const {title, id, empty, note, all} = related
  const read = await tryRead(context, related.read)
  if (read.failure !== undefined) return renderCard(title, renderFailure(read.failure))
  const {items, isCut} = read.value
  const columns = listColumns(noun.fields(context, {}))
  const table = renderTable({id, caption: title, columns, items, empty})
  const more = html`<p class="note">The newest ${items.length}. ${all && html`<a href="${all}">Show all</a>`}</p>`
  return renderCard(title, [table, isCut && more], {note})
}

// What people call customers and accounts. Without it, a link shows an id; a related list has no column for the customer.
export interface Names {
  customers?: ReadonlyMap<string, string>
  accounts?: ReadonlyMap<string, string>
}

interface OfCustomer {
  customerId?: unknown
}

const readOwner = (item: object) => readText((item as OfCustomer).customerId)

export const findNames = async ({source}: ConsoleContext, items: readonly object[]): Promise<Required<Names>> => ({
  customers: await source.findNames(items.map(readOwner).filter(Boolean)),
  accounts: new Map(),
})

// Also the accounts of the customer: a name, a bank and the last digits. The name is the owner that a bank account states, or else the
// customer. What cannot be read is left out.
async function findAllNames(context: ConsoleContext, item: object): Promise<Names> {
  const owner = readOwner(item)
  const read = await tryRead(context, async () => {
    const {customers} = await findNames(context, [item])
    const {items} = owner === '' ? {items: []} : await context.source.listAccounts(owner)
    const accounts = items.map((account) => {
      const name = toText(account.externalBankAccount?.bankAccountOwnerName) || customers.get(owner)
      return [readText(account.paymentAccountId), [name, describePlace(account)].filter(Boolean).join(', ')] as const
    })
    return {customers, accounts: new Map(accounts)}
  })
  return read.value ?? {customers: new Map()}
}

export const linkCustomer = (context: ConsoleContext, id: unknown, {customers}: Names = {}, text?: string): Content =>
  readText(id) === ''
    ? ''
    : renderItemLink(context, {path: paths.customer, id, text: text ?? customers?.get(readText(id))})

export const customerField = (context: ConsoleContext, names: Names): Field<OfCustomer>[] =>
  names.customers ? [{header: 'Customer', render: ({customerId}) => linkCustomer(context, customerId, names)}] : []

// The whole id is on the page of the item.
export const createIdFields = <Item extends OfCustomer>(
  context: ConsoleContext,
  path: string,
  read: (item: Item) => unknown,
): Field<Item>[] => [
  {
    header: 'ID',
    render: (item) => renderItemLink(context, {path, id: read(item), customerId: item.customerId}),
    isMinor: true,
    isShort: true,
    only: 'list',
  },
  {header: 'ID', render: (item) => renderCode(toText(read(item))), only: 'page'},
]

// The form of a real customer or account is opened with svc, so that nobody fills it in by mistake.
export const linkForm = ({source}: ConsoleContext, address: unknown): Content =>
  !source.isReadOnly && readText(address) !== '' && html`<a href="${readText(address)}">The hosted form</a>`

// An account that money comes from or goes to.
export const accountField = <Item extends OfCustomer>(
  context: ConsoleContext,
  {accounts}: Names,
  header: 'From' | 'To',
  read: (item: Item) => unknown,
): Field<Item> => ({
  header,
  render: (item) => {
    const [id, {customerId}] = [read(item), item]
    return renderItemLink(context, {path: paths.account, id, customerId, text: accounts?.get(readText(id))})
  },
  only: 'page',
})

// The bank and the masked number, or the address of a wallet and its network.
export function describePlace(account: ConsoleAccount): string {
  const {chain} = account.externalCryptoWallet?.address ?? account.svcCryptoWallet?.address ?? {}
  return [toText(describeLocation(account)), toText(chain)].filter(Boolean).join(' ')
}
