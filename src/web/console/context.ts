// What every page of the console is given, and how a page reads without failing as a whole.
import type {Content} from '../html.ts'
import type {ConsoleSource, ItemPage, PageQuery} from './source.ts'

type Parameters = Readonly<Record<string, string | undefined>>

// The address of a page below the folder of the console.
export function createLink(folder: string, path: string, parameters: Parameters = {}): string {
  const present = Object.entries(parameters).filter((pair): pair is [string, string] => Boolean(pair[1]))
  const search = new URLSearchParams(present).toString()
  return folder + path + (search && `?${search}`)
}

// What an operator of the sandbox can do with the item of a page. A profile's console has no actions.
export type ActionSubject = 'customer' | 'account' | 'transaction'

export interface ConsoleContext {
  source: ConsoleSource
  // The path of this page, below the folder of the console.
  path: string
  // The query of this page.
  query: Parameters
  now: number
  // The address of a page of the console.
  link: (path: string, parameters?: Parameters) => string
  // Shown at the bottom of a detail page.
  renderActions?: ((subject: ActionSubject) => Content) | undefined
}

export interface ConsolePage {
  title: string
  body: Content
  status?: number
}

export const paths = {
  overview: '/',
  customers: '/console/customers',
  customer: '/console/customer',
  accounts: '/console/accounts',
  account: '/console/account',
  transactions: '/console/transactions',
  transaction: '/console/transaction',
  rules: '/console/rules',
  rule: '/console/rule',
  events: '/console/events',
  event: '/console/event',
  journal: '/console/journal',
  payment: '/console/payment',
} as const

// Either the value, or one sentence about why it could not be read.
export type Outcome<T> = {value: T; failure?: undefined} | {value?: undefined; failure: string}

// A failed read becomes a sentence on the page. A fault in svc itself is not hidden.
export async function tryRead<T>({source}: ConsoleContext, read: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return {value: await read()}
  } catch (error) {
    const failure = source.describeFailure(error)
    if (failure === undefined) throw error
    return {failure}
  }
}

const pageSizeMax = 100

// Only a whole list becomes a total, or a "none".
export interface Cut<Item> {
  items: readonly Item[]
  // Whether the list goes on.
  isCut: boolean
}

// Reads the newest items of a list, page by page, up to a limit.
export async function readNewest<Item>(
  readPage: (query: PageQuery) => Promise<ItemPage<Item>>,
  count: number,
): Promise<Cut<Item>> {
  const items: Item[] = []
  const seen = new Set<string>()
  let pageToken: string | undefined
  do {
    const page = await readPage({pageSize: Math.min(pageSizeMax, count - items.length), pageToken})
    items.push(...page.items.slice(0, count - items.length))
    pageToken = page.nextPageToken
    // A service that repeats a token would be read for ever.
    if (page.items.length === 0 || pageToken === undefined || seen.has(pageToken)) break
    seen.add(pageToken)
  } while (items.length < count)
  return {items, isCut: pageToken !== undefined}
}

// What is said of a list that has none of something. A part never passes for the whole.
export const sayNone = ({items, isCut}: Cut<unknown>, words: string): string =>
  isCut ? `${words} among the newest ${items.length}.` : `${words}.`

// With a count only of a whole list.
export const addCount = (title: string, count: number, {isCut}: {isCut: boolean}): string =>
  count > 0 && !isCut ? `${title}: ${count}` : title

// A page of a list that was read as a whole. If there is more than was read, the token after the last item leads nowhere.
export function cutPage<Item>({items, isCut}: Cut<Item>, {pageSize, pageToken}: PageQuery): ItemPage<Item> {
  const start = Math.max(0, Number.parseInt(pageToken ?? '0', 10) || 0)
  const end = start + pageSize
  const hasMore = items.length > end || (isCut && start < items.length)
  return {items: items.slice(start, end), ...(hasMore && {nextPageToken: String(end)})}
}

// The newest items of a list that is read by their number.
export async function readByCount<Item>(
  count: number,
  read: (count: number) => Promise<readonly Item[]> | undefined,
): Promise<Cut<Item>> {
  const items = (await read(count + 1)) ?? []
  return {items: items.slice(0, count), isCut: items.length > count}
}
