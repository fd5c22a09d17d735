// Reads replies of services that differ from the interface: a page token under another name, signs that a list goes on, and an
// object or a list that is wrapped or named otherwise (docs/assumptions.md, L8 to L10).
import {getIdField} from '../contract/ids.ts'
import type {Shape} from '../contract/shape.ts'
import {type WireEndpoint, definitions} from '../contract/wire.frozen.ts'
import {isPresent, isRecord} from '../values/records.ts'

// What fields mean, by their names in lower case and without separators. A token is sent as pageToken and under the names
// behind the colon, where = stands for the name as the service spells it.
const known = {
  tokens: `nextpagetoken:_ pagetoken:_ nexttoken:= continuationtoken:= continuation:= nextcursor:cursor cursor:cursor
    endcursor:cursor after:cursor,after nextpage:page next:=`,
  addresses: 'next nextpage nextlink nexturl nextpageurl nexthref nexturi',
  more: 'hasmore hasnext hasnextpage more moreavailable istruncated',
  totals: 'total totalcount totalitems totalresults totalrecords totalelements',
  pageCounts: 'totalpages pages numpages',
  // What an envelope usually says beside the token. None of it is a token.
  others: `requestid traceid correlationid object kind type status statuscode code success ok message version apiversion
    timestamp date time organizationid self href url first firstpage prev previous previouspage prevpage previouspagetoken
    prevcursor previouscursor last lastpage count size limit pagesize perpage pagecount itemcount currency locale`,
  // Lists whose items cannot be looked at, because there are none.
  lists: 'data items results result records content list values entries rows elements payload response',
}
const splitNames = (text: string) => text.split(/\s+/)
const tokenNames = new Map(
  splitNames(known.tokens)
    .map((entry) => entry.split(':', 2))
    .map(([name = '', path = '']) => [name, path]),
)
const isNamed = (kind: keyof typeof known, name: string) => splitNames(known[kind]).includes(name)
const tokenName = /token|cursor|next|bookmark|marker|after|continu|scroll|offset|anchor|page/

// Deeper fields are not searched, and no more than this many of an object.
const [depthMax, fieldsMax] = [3, 100]

interface Field {
  path: string
  spelling: string
  name: string
  value: unknown
  container: Record<string, unknown>
}

const normalizeName = (name: string) => name.replaceAll(/[_-]/g, '').toLowerCase()

// Every field of a body, level by level, so that an outer field comes before an inner one.
function listFields(body: unknown): Field[] {
  const fields: Field[] = []
  let level: Array<[path: string, container: unknown]> = [['', body]]
  for (let depth = 0; depth < depthMax; depth++) {
    const found = level.flatMap(([outer, container]) =>
      !isRecord(container)
        ? []
        : Object.entries(container)
            .slice(0, fieldsMax)
            .map(([spelling, value]): Field => {
              const path = outer === '' ? spelling : `${outer}.${spelling}`
              return {path, spelling, name: normalizeName(spelling), value, container}
            }),
    )
    fields.push(...found)
    level = found.map(({path, value}) => [path, value])
  }
  return fields
}

const listScalars = (body: unknown) => listFields(body).filter(({value}) => !isRecord(value) && !Array.isArray(value))
const saysEnd = ({name, value}: Field) => value === false && isNamed('more', name)

// A token of the service that begins with a question mark is not a query of ours.
export const protectToken = (token: string): string => (token.startsWith('?') ? toQuery({pageToken: token}) : token)
const toQuery = (query: Record<string, string>) => `?${new URLSearchParams(query).toString()}`

function readToken({name, spelling, value}: Field): string | undefined {
  const names = tokenNames.get(name)
  const isNumber = typeof value === 'number' || JSON.isRawJSON(value)
  const token = typeof value === 'string' ? value : isNumber ? JSON.stringify(value) : ''
  if (names === undefined || token === '') return undefined
  if (names === '_')
    return spelling.includes('_') ? toQuery({pageToken: token, page_token: token}) : protectToken(token)
  const others = names.replace('=', spelling).split(',')
  return toQuery(Object.fromEntries(['pageToken', ...others].map((other) => [other, token])))
}

const linkNext = /<([^<>]{1,4000})>\s*;[^<,]{0,200}\brel\s*=\s*"?next\b/i
const findLink = (link = '') => linkNext.exec(link.slice(0, 8000))?.[1]

// The host of an address is ignored: services behind a proxy name their own. Only its query is used, at the same path.
function readAddress(address: string, path: string): string | undefined {
  const url = URL.parse(address, 'http://localhost/')
  if (!url || url.search.length < 2) return undefined
  return address.startsWith('?') || url.pathname.replace(/\/$/, '').endsWith(path) ? url.search : undefined
}
const isAddress = ({name, path, value}: Field): boolean =>
  (isNamed('addresses', name) || /(^|\.)next\.(href|url|uri)$/i.test(path)) &&
  /^(https?:\/\/|\/|\?)/i.test(typeof value === 'string' ? value : '')

// The token of the next page and where it was found: the token itself, or `?` and a query if the service wants another name than
// pageToken. `link` is the Link header of the reply, and `path` the path of the list.
export function findNextPage(body: unknown, link: string | undefined, path: string) {
  const fields = listScalars(body)
  if (fields.some(saysEnd)) return undefined
  for (const field of fields) {
    const token = isAddress(field) ? readAddress(String(field.value), path) : readToken(field)
    if (token !== undefined) return {token, foundAt: field.path}
  }
  const address = findLink(link)
  const token = address === undefined ? undefined : readAddress(address, path)
  return token === undefined ? undefined : {token, foundAt: 'a Link header'}
}

const isTokenLike = ({name, value}: Field) => {
  if (isNamed('others', name) || isNamed('totals', name) || isNamed('pageCounts', name)) return false
  if (typeof value === 'number') return true
  return typeof value === 'string' && value !== '' && !/\s/.test(value) && !/^\d{4}-\d\d-\d\d/.test(value)
}

// The field that says, or may say, that the list goes on after a page without a token that svc can follow. Services that send smaller
// pages than requested send a round number of items. A list may have that many by chance, so then only a name like a token counts.
export function findCutSign(
  body: unknown,
  {count, requestedSize, isFirst, link}: {count: number; requestedSize?: number; isFirst: boolean; link?: string},
): string | undefined {
  const fields = listScalars(body)
  if (fields.some(saysEnd)) return undefined
  const isOver = (value: unknown, least: number) => isFirst && typeof value === 'number' && value > least
  const certain = fields.find(
    ({name, value}) =>
      (isNamed('more', name) && value === true) ||
      (isNamed('totals', name) && isOver(value, count)) ||
      (isNamed('pageCounts', name) && isOver(value, 1)),
  )
  const isFull = count > 0 && count === requestedSize
  const isRound = count >= 10 && (count % 10 === 0 || count % 25 === 0)
  if (certain || (!isFull && !isRound)) return certain?.path
  const sign = fields.find((field) => isTokenLike(field) && (isFull || tokenName.test(field.name)))
  return sign?.path ?? (findLink(link) === undefined ? undefined : 'a Link header')
}

const resolveShape = (shape: Shape = {}): Shape => (shape.$ref ? (definitions[shape.$ref] ?? {}) : shape)

// Fewer than two known fields may be there by chance: an error also has a name, or an id.
function looksLike(value: unknown, {required = []}: Shape, idField: string): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  return (idField !== 'id' && isPresent(value[idField])) || required.filter((name) => isPresent(value[name])).length > 1
}

// An object, or a list under the key of the interface, and where it was found: empty if the body is the list itself.
interface Found {
  value: Record<string, unknown>
  path: string
}

// The object of a reply, if it is not the body itself; undefined if the body is what the interface says, or has none.
export function findWrappedObject(body: unknown, endpoint: WireEndpoint): Found | undefined {
  const isIt = (value: unknown) => looksLike(value, resolveShape(endpoint.reply), getIdField(endpoint.name))
  if (isIt(body)) return undefined
  const candidates = Array.isArray(body) ? [{path: 'a list', value: body}] : listFields(body)
  for (const {path, value} of candidates) {
    const inner: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
    if (isRecord(inner) && isIt(inner)) return {value: inner, path}
  }
  return undefined
}

// The list of a reply that does not have it under the key of the interface.
export function findList(body: unknown, endpoint: WireEndpoint, itemsKey: string): Found | undefined {
  const shape = resolveShape(resolveShape(endpoint.reply).properties?.[itemsKey]?.items)
  const isIt = (list: readonly unknown[]) =>
    list.every(isRecord) && looksLike(list[0], shape, getIdField(endpoint.name))
  if (Array.isArray(body)) return body.length === 0 || isIt(body) ? {value: {[itemsKey]: body}, path: ''} : undefined
  let empty: Found | undefined
  for (const {path, spelling, name, value, container} of listFields(body)) {
    if (!Array.isArray(value)) continue
    // What the envelope has under the key of the interface is not the list.
    const {[spelling]: _list, [itemsKey]: _other, ...others} = container
    const found = {value: {[itemsKey]: value, ...others}, path}
    if (isIt(value)) return found
    if (value.length === 0 && (name === normalizeName(itemsKey) || isNamed('lists', name))) empty ??= found
  }
  return empty
}
