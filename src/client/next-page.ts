// Finds the token of the next page in a reply that names it in its own way, and signs that a list goes on where none is
// found (docs/assumptions.md, L8 and L9).
import {isRecord} from '../values/records.ts'

type Fields = Readonly<Record<string, unknown>>

export interface NextPage {
  // For the flag --page-token and the field nextPageToken: the token itself, or `?` and a query if the service wants it
  // under another name than pageToken.
  token: string
  // Where it was found, such as pagination.nextPageToken.
  foundAt: string
}

// Deeper fields of an envelope are not searched.
const depthMax = 3
const fieldsMax = 100

interface Leaf {
  path: string
  // The last name of the path, in lower case and without separators.
  name: string
  spelling: string
  value: unknown
}

const normalizeName = (name: string) => name.replaceAll(/[_-]/g, '').toLowerCase()

// The scalars of an envelope, level by level, so that an outer field comes before an inner one. Lists are left out.
function listLeaves(envelope: Fields): Leaf[] {
  const leaves: Leaf[] = []
  let level: Array<[path: string, fields: Fields]> = [['', envelope]]
  for (let depth = 0; depth < depthMax && level.length > 0; depth++) {
    const inner: typeof level = []
    for (const [path, fields] of level) {
      for (const [spelling, value] of Object.entries(fields).slice(0, fieldsMax)) {
        const at = path === '' ? spelling : `${path}.${spelling}`
        if (isRecord(value)) inner.push([at, value])
        else if (!Array.isArray(value)) leaves.push({path: at, name: normalizeName(spelling), spelling, value})
      }
    }
    level = inner
  }
  return leaves
}

// By normalized name: under which names of the query such a token is sent, beside pageToken.
const tokenNames = new Map<string, (spelling: string) => readonly string[]>([
  ['nextpagetoken', (spelling) => (spelling.includes('_') ? ['page_token'] : [])],
  ['pagetoken', (spelling) => (spelling.includes('_') ? ['page_token'] : [])],
  ['nexttoken', (spelling) => [spelling]],
  ['continuationtoken', (spelling) => [spelling]],
  ['continuation', (spelling) => [spelling]],
  ['nextcursor', () => ['cursor']],
  ['cursor', () => ['cursor']],
  ['endcursor', () => ['cursor']],
  ['after', () => ['cursor', 'after']],
  ['nextpage', () => ['page']],
  ['next', (spelling) => [spelling]],
])

// Names whose value is an address. `href` counts below `next` only.
const addressNames = new Set(['next', 'nextpage', 'nextlink', 'nexturl', 'nextpageurl', 'nexthref', 'nexturi'])
const isAddressField = ({name, path}: Leaf) => addressNames.has(name) || /(^|\.)next\.(href|url|uri)$/i.test(path)

const looksLikeAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^(https?:\/\/|\/|\?)/i.test(value)

// The host of an address is ignored: services behind a proxy name their own. Only its query is used, at the same path.
function toQueryToken(address: string, path: string): string | undefined {
  const url = URL.parse(address, 'http://localhost/')
  if (!url || url.search.length < 2) return undefined
  const isSamePath = address.startsWith('?') || url.pathname.replace(/\/$/, '').endsWith(path)
  return isSamePath ? url.search : undefined
}

const toTokenText = (value: unknown): string | undefined => {
  if (typeof value === 'string' && value !== '') return value
  return typeof value === 'number' || JSON.isRawJSON(value) ? JSON.stringify(value) : undefined
}

function toToken(token: string, otherNames: readonly string[]): string {
  if (otherNames.length === 0) return protectToken(token)
  const query = Object.fromEntries(['pageToken', ...otherNames].map((name) => [name, token]))
  return `?${new URLSearchParams(query).toString()}`
}

// A token of the service that begins with a question mark is not a query of ours.
export const protectToken = (token: string): string =>
  token.startsWith('?') ? `?${new URLSearchParams({pageToken: token}).toString()}` : token

const moreFlags = new Set(['hasmore', 'hasnext', 'hasnextpage', 'more', 'moreavailable', 'istruncated'])

const linkSearched = 8000
const linkNext = /<([^<>]{1,4000})>\s*;[^<,]{0,200}\brel\s*=\s*"?next\b/i

// `link` is the Link header of the reply, and `path` the path of the list.
export function findNextPage(body: unknown, link: string | undefined, path: string): NextPage | undefined {
  const leaves = isRecord(body) ? listLeaves(body) : []
  if (leaves.some(({name, value}) => moreFlags.has(name) && value === false)) return undefined
  for (const leaf of leaves) {
    if (isAddressField(leaf) && looksLikeAddress(leaf.value)) {
      const token = toQueryToken(leaf.value, path)
      if (token !== undefined) return {token, foundAt: leaf.path}
      continue
    }
    const names = tokenNames.get(leaf.name)
    const token = names && toTokenText(leaf.value)
    if (names && token !== undefined) return {token: toToken(token, names(leaf.spelling)), foundAt: leaf.path}
  }
  const address = link && linkNext.exec(link.slice(0, linkSearched))?.[1]
  const token = address ? toQueryToken(address, path) : undefined
  return token === undefined ? undefined : {token, foundAt: 'a Link header'}
}

// What an envelope usually says beside the token. None of it is a token.
const otherNames = new Set(
  `requestid traceid correlationid object kind type status statuscode code success ok message version apiversion timestamp
  date time organizationid self href url first firstpage prev previous previouspage prevpage previouspagetoken prevcursor
  previouscursor last lastpage count size limit pagesize perpage pagecount itemcount currency locale`
    .trim()
    .split(/\s+/),
)

const totalNames = new Set(['total', 'totalcount', 'totalitems', 'totalresults', 'totalrecords', 'totalelements'])
const pageCountNames = new Set(['totalpages', 'pages', 'numpages'])

const isTokenLike = ({name, value}: Leaf) => {
  if (otherNames.has(name) || totalNames.has(name) || pageCountNames.has(name)) return false
  if (typeof value === 'number') return true
  return typeof value === 'string' && value !== '' && !/\s/.test(value) && !/^\d{4}-\d\d-\d\d/.test(value)
}

// Services that send smaller pages than requested send such a number of items. A list may also have that many by chance, so
// then only a field that is named like a token counts.
const isUsualPageSize = (count: number) => count >= 10 && (count % 10 === 0 || count % 25 === 0)
const tokenName = /token|cursor|next|bookmark|marker|after|continu|scroll|offset|anchor|page/

interface ReceivedPage {
  count: number
  // Undefined for a list that the interface does not page.
  requestedSize?: number | undefined
  isFirst: boolean
  link?: string | undefined
}

// The field that says, or may say, that the list goes on after a page without a token that svc can follow.
export function findCutSign(body: unknown, {count, requestedSize, isFirst, link}: ReceivedPage): string | undefined {
  const leaves = isRecord(body) ? listLeaves(body) : []
  if (leaves.some(({name, value}) => moreFlags.has(name) && value === false)) return undefined
  const certain = leaves.find(
    ({name, value}) =>
      (moreFlags.has(name) && value === true) ||
      (isFirst && totalNames.has(name) && typeof value === 'number' && value > count) ||
      (isFirst && pageCountNames.has(name) && typeof value === 'number' && value > 1),
  )
  if (certain) return certain.path
  const isFull = count > 0 && count === requestedSize
  if (!isFull && !isUsualPageSize(count)) return undefined
  const sign = leaves.find((leaf) => isTokenLike(leaf) && (isFull || tokenName.test(leaf.name)))
  return sign?.path ?? (link && linkNext.test(link.slice(0, linkSearched)) ? 'a Link header' : undefined)
}
