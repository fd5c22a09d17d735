// Turns the body of a 2xx reply into what its endpoint returns, also if the service has it in another place or form.
import {getIdField} from '../contract/ids.ts'
import {type ShapeProblem, findShapeProblems, matchesShape} from '../contract/shape.ts'
import {type WireEndpoint, definitions} from '../contract/wire.frozen.ts'
import type {Connection} from './connection.ts'
import {createUnreadableReply} from './failures.ts'
import {isWrite} from '../values/urls.ts'
import {setCutSign} from './paging.ts'
import type {ParsedReply} from './send-request.ts'
import {isPresent, isRecord} from '../values/records.ts'

type Fields = Record<string, unknown>

export interface ReadOptions {
  // Called if a reply violates the contract; the reply is returned all the same.
  onContractViolation?: (endpoint: string, problems: ShapeProblem[]) => void
  // Called if a reply has what the interface says in another place or under another name, where svc has found it.
  onOtherShape?: ((shape: OtherShape) => void) | undefined
}

// How a reply differs from the interface: its own name of the page token, or where its object or list was found.
export type OtherShape = {endpoint: string} & ({pageToken: string} | {objectAt: string} | {listAt: string})

// For notices and for `svc doctor`.
export function describeOtherShape(shape: OtherShape): string {
  if ('pageToken' in shape) {
    return `the service sends the token of the next page in ${shape.pageToken} instead of nextPageToken; svc follows it`
  }
  if ('objectAt' in shape) {
    return `the reply to ${shape.endpoint} is wrapped in ${shape.objectAt}; svc reads what is inside`
  }
  const where = shape.listAt === '' ? 'a bare list' : `a list in ${shape.listAt}`
  return `the reply to ${shape.endpoint} is ${where} instead of the interface’s envelope; svc reads it`
}

// The endpoint with its path filled in.
export async function readReply(
  options: Connection & ReadOptions,
  endpoint: WireEndpoint,
  query: Fields,
  reply: ParsedReply,
): Promise<unknown> {
  const body = endpoint.items
    ? await readList(options, endpoint, endpoint.items, query, reply)
    : await readObject(options, endpoint, reply)
  if (matchesShape(body, endpoint.reply, definitions)) return body
  const violations = findShapeProblems(body, endpoint.reply, definitions).filter(
    ({kind}) => kind === 'missing' || kind === 'wrong',
  )
  if (violations.length > 0) options.onContractViolation?.(endpoint.name, violations)
  return body
}

function createUnreadable(
  options: Connection,
  endpoint: WireEndpoint,
  {status, text, body}: ParsedReply,
  what: string,
) {
  const failedRequest = {...endpoint, host: new URL(options.baseUrl).host, caller: options.callerLabel}
  if (text !== undefined) options.onUnreadBody?.(text)
  return createUnreadableReply(failedRequest, status, what, body)
}

const describeBody = (body: unknown) => (body === undefined ? 'an empty body' : 'JSON that is not an object')

// Most replies are as the interface says, so what finds the others is loaded when it is needed, and kept.
let shapes: Promise<typeof import('./other-shapes.ts')> | undefined
const loadShapes = () => (shapes ??= import('./other-shapes.ts'))

// The object that a body wraps, or the body itself.
export async function unwrapBody(options: ReadOptions, endpoint: WireEndpoint, body: unknown): Promise<unknown> {
  if (isRecord(body) && matchesShape(body, endpoint.reply, definitions)) return body
  const {findWrappedObject} = await loadShapes()
  const found = findWrappedObject(body, endpoint)
  if (!found) return body
  options.onOtherShape?.({endpoint: endpoint.name, objectAt: found.path})
  return found.value
}

async function readObject(
  options: Connection & ReadOptions,
  endpoint: WireEndpoint,
  reply: ParsedReply,
): Promise<unknown> {
  const value = await unwrapBody(options, endpoint, reply.body)
  if (!isRecord(value)) throw createUnreadable(options, endpoint, reply, describeBody(reply.body))
  if (!isWrite(endpoint.method)) return value
  // A read shows what there is. After a write, nobody knows what was made if its id is missing.
  const idField = getIdField(endpoint.name)
  if (!isPresent(value[idField])) {
    throw createUnreadable(options, endpoint, reply, `an object without ${idField}`)
  }
  return value
}

async function readList(
  options: Connection & ReadOptions,
  endpoint: WireEndpoint,
  itemsKey: string,
  query: Fields,
  reply: ParsedReply,
): Promise<unknown> {
  const {body} = reply
  const isUsual = isRecord(body) && Array.isArray(body[itemsKey])
  const page = isUsual ? body : await findOtherList(options, endpoint, itemsKey, reply)
  const items = page[itemsKey]
  if (!Array.isArray(items) || !items.every(isRecord))
    throw createUnreadable(options, endpoint, reply, `${itemsKey} that are not objects`)
  return readEnd(options, endpoint, {page, items, query, reply})
}

async function findOtherList(
  options: Connection & ReadOptions,
  endpoint: WireEndpoint,
  itemsKey: string,
  reply: ParsedReply,
): Promise<Fields> {
  const {findList} = await loadShapes()
  const found = findList(reply.body, endpoint, itemsKey)
  if (!found) {
    const isReadable = isRecord(reply.body)
    throw createUnreadable(options, endpoint, reply, isReadable ? `no list of ${itemsKey}` : describeBody(reply.body))
  }
  options.onOtherShape?.({endpoint: endpoint.name, listAt: found.path})
  return found.value
}

interface ReceivedPage {
  page: Fields
  items: unknown[]
  query: Fields
  reply: ParsedReply
}

// Gives the page its nextPageToken, if the service names it otherwise, and marks a page after which the list may go on.
async function readEnd(
  options: ReadOptions,
  endpoint: WireEndpoint,
  {page, items, query, reply}: ReceivedPage,
): Promise<Fields> {
  const own = page['nextPageToken']
  if (isPresent(own) && !(typeof own === 'string' && own.startsWith('?'))) return page
  const isBare = page === reply.body && Object.keys(page).length === 1
  if (isBare && reply.link === undefined) return page
  const {findCutSign, findNextPage, protectToken} = await loadShapes()
  if (typeof own === 'string' && own !== '') return {...page, nextPageToken: protectToken(own)}
  // A service that has the field of the interface says with it that the list ends.
  const next = 'nextPageToken' in page ? undefined : findNextPage(reply.body, reply.link, endpoint.path)
  if (next) {
    options.onOtherShape?.({endpoint: endpoint.name, pageToken: next.foundAt})
    const {[next.foundAt]: _token, ...others} = page
    return {...others, nextPageToken: next.token}
  }
  const {pageSize, pageToken} = query
  const sign = findCutSign(reply.body, {
    count: items.length,
    ...(typeof pageSize === 'number' && {requestedSize: pageSize}),
    isFirst: pageToken === undefined,
    ...(reply.link !== undefined && {link: reply.link}),
  })
  if (sign !== undefined) setCutSign(page, sign)
  return page
}
