// Turns the body of a 2xx reply into what its endpoint returns. Fields that the interface does not have are kept.
import {getIdField} from '../contract/ids.ts'
import {type Shape, type ShapeProblem, check} from '../contract/shape.ts'
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
}

// The endpoint with its path filled in.
export function readReply(options: Connection & ReadOptions, endpoint: WireEndpoint, reply: ParsedReply): Fields {
  const {body} = reply
  const problem = isRecord(body) ? findProblem(body, endpoint) : describeBody(body)
  if (!isRecord(body) || problem !== undefined) throw createUnreadable(options, endpoint, reply, problem ?? '')
  const sign = endpoint.items === undefined ? undefined : findCutSign(body, reply, endpoint.reply)
  if (sign !== undefined) setCutSign(body, sign)
  checkReply(options, endpoint, body)
  return body
}

export function checkReply({onContractViolation}: ReadOptions, {name, reply}: WireEndpoint, body: unknown): void {
  const violations = check(body, reply, {definitions}).filter(({kind}) => kind === 'missing' || kind === 'wrong')
  if (violations.length > 0) onContractViolation?.(name, violations)
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

// What makes a reply unreadable. A read of one thing shows what there is; after a write, nobody knows what was made if its id is
// missing.
function findProblem(body: Fields, {name, method, items: itemsKey}: WireEndpoint): string | undefined {
  if (itemsKey === undefined) {
    const idField = getIdField(name)
    return isWrite(method) && !isPresent(body[idField]) ? `an object without ${idField}` : undefined
  }
  const items = body[itemsKey]
  if (!Array.isArray(items)) return `no list of ${itemsKey}`
  return items.every(isRecord) ? undefined : `${itemsKey} that are not objects`
}

// A page without a token is the last one, as the interface says. A field that the interface does not have, and whose name speaks of
// paging, may be the token of a service that names it otherwise, and a header may name the next
// page, so the list may be cut (docs/assumptions.md, L9).
const pagingName = /next|token|cursor|pag(e|ing|ination)|more|bookmark|marker|after|offset|continu|link/i

function findCutSign(page: Fields, {hasNextLink}: ParsedReply, shape: Shape = {}): string | undefined {
  const known = (shape.$ref ? definitions[shape.$ref] : shape)?.properties ?? {}
  if (Object.hasOwn(known, 'nextPageToken') && isPresent(page['nextPageToken'])) return undefined
  const mayBeToken = (value: unknown) => isPresent(value) && value !== false && !Array.isArray(value)
  const field = Object.keys(page).find(
    (name) => pagingName.test(name) && !Object.hasOwn(known, name) && mayBeToken(page[name]),
  )
  return field ?? (hasNextLink ? 'a Link header with rel="next"' : undefined)
}
