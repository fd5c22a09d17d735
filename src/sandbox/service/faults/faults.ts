// Faults: stores them, finds the one that applies to a request, and applies it to the reply, or to the response on its way.
import {serviceErrors} from '../../../contract/service-errors.ts'
import type {SandboxResponse} from '../../http/exchange.ts'
import type {Reply} from '../../http/reply.ts'
import {ControlError} from '../../operations/control-error.ts'
import type {FaultOrder} from '../../orders.ts'
import type {Result} from '../../../sandbox-results.ts'
import {type Database, omitNull} from '../../store/database.ts'
import {createOpaqueId, deriveDigest} from '../../store/ids.ts'
import {readSettings} from '../../store/settings.ts'
import {toTimestamp} from '../../time/clock.ts'
import type {RequestContext} from '../request-context.ts'
import {type FaultKind, faultKinds, listFaultKinds} from './behaviour-table.ts'

interface Kind {
  // Whether the request is carried out, and only its response is affected.
  carriedOut: boolean
  // The status of the reply that the fault sends, unless another is given.
  statusDefault?: number
}

const getFaultKind = (kind: FaultKind): Kind => faultKinds[kind]

interface FaultRow {
  faultId: string
  method: string
  path: string
  kind: FaultKind
  times: number | null
  after: number
  probability: number
  status: number | null
  retryAfterSeconds: number | null
  delayMs: number
  commitAfterMs: number | null
  // How many requests matched, and on how many of them it acted.
  seen: number
  acted: number
  createdAt: number
}

export type Fault = Pick<FaultRow, 'kind' | 'status' | 'retryAfterSeconds' | 'delayMs' | 'commitAfterMs'>

export type FaultRecord = Result<'Fault'> & {kind: FaultKind}

const columns =
  'faultId, method, path, kind, times, after, probability, status, retryAfterSeconds, delayMs, commitAfterMs, seen, acted, createdAt'
const everyFault = `select ${columns} from faults order by seq`
export const selectLiveFaults = `select ${columns} from faults where times is null or acted < times order by seq`

const toFaultRecord = ({createdAt, ...row}: FaultRow): FaultRecord =>
  ({...omitNull(row), createdAt: toTimestamp(createdAt)}) as FaultRecord

const kindsWithReply = listFaultKinds().filter((kind) => getFaultKind(kind).statusDefault !== undefined)

// Rejects a fault that could never act.
function validateFault({path, kind, status, retryAfterSeconds, delayMs, commitAfterMs}: FaultOrder) {
  if (!path.startsWith('/') && !path.startsWith('*')) {
    throw new ControlError(`The path "${path}" must start with / or *`)
  }
  if (kind === 'delay' && !delayMs) throw new ControlError('A delay needs its length')
  if (!kindsWithReply.includes(kind) && (status !== undefined || retryAfterSeconds !== undefined)) {
    throw new ControlError(`A status or a Retry-After only goes with ${kindsWithReply.join(', ')}, not with ${kind}`)
  }
  if (commitAfterMs !== undefined && getFaultKind(kind).carriedOut) {
    throw new ControlError(`A late commit does not go with ${kind}, which carries the request out immediately`)
  }
}

export function addFault({database, now}: RequestContext, fault: FaultOrder): FaultRecord {
  validateFault(fault)
  const faultId = createOpaqueId(database, 'fault')
  const {method = '*', kind, after = 0, probability = 1, delayMs = 0} = fault
  database.insertRow('faults', {
    faultId,
    method: method.toUpperCase(),
    path: fault.path,
    kind,
    times: fault.times ?? null,
    after,
    probability,
    status: fault.status ?? getFaultKind(kind).statusDefault ?? null,
    retryAfterSeconds: fault.retryAfterSeconds ?? null,
    delayMs,
    commitAfterMs: fault.commitAfterMs ?? null,
    createdAt: now,
  })
  return toFaultRecord(database.only<FaultRow>(`select ${columns} from faults where faultId = ?`, faultId))
}

export const listFaults = (database: Database): FaultRecord[] => database.all<FaultRow>(everyFault).map(toFaultRecord)

export function clearFaults({database}: RequestContext, faultId?: string): FaultRecord[] {
  const cleared = listFaults(database).filter((fault) => faultId === undefined || fault.faultId === faultId)
  if (faultId !== undefined && cleared.length === 0) {
    throw new ControlError(`There is no fault ${faultId}`, {notFound: true})
  }
  for (const fault of cleared) database.run('delete from faults where faultId = ?', fault.faultId)
  return cleared
}

const drawHexDigits = 8

// The draw is derived from the seed, so that it does not depend on the process.
function isSelected(database: Database, {faultId, probability, seen}: FaultRow): boolean {
  if (probability >= 1) return true
  const {seed} = readSettings(database)
  const draw = Number.parseInt(deriveDigest(seed, 'fault', faultId, seen).slice(0, drawHexDigits), 16)
  return draw / 16 ** drawHexDigits < probability
}

// The oldest fault that acts on this request, if any. It is counted in the same transaction, so that processes that share
// the database never act more often than requested.
export function takeFault(database: Database, method: string, path: string): Fault | undefined {
  if (!database.all<FaultRow>(selectLiveFaults).some((fault) => matchesRequest(fault, method, path))) return undefined
  return database.transact(() => {
    for (const fault of database.all<FaultRow>(selectLiveFaults)) {
      if (!matchesRequest(fault, method, path)) continue
      const counted = {...fault, seen: fault.seen + 1}
      const acts = counted.seen > fault.after && isSelected(database, counted)
      database.run(
        'update faults set seen = seen + 1, acted = acted + ? where faultId = ?',
        acts ? 1 : 0,
        fault.faultId,
      )
      if (acts) return counted
    }
    return undefined
  })
}

// Paths are written as in the contract, with * for anything.
const specialCharacters = /[.*+?^${}()|[\]\\]/g

// {customerId} matches one segment of a path, * any number of characters.
const toPattern = (path: string) =>
  path
    .split(/(\{\w+\}|\*)/)
    .map((part) => {
      if (part === '*') return '.*'
      return part.startsWith('{') ? '[^/]+' : part.replace(specialCharacters, String.raw`\$&`)
    })
    .join('')

export const matchesRequest = (fault: {method: string; path: string}, method: string, path: string) =>
  (fault.method === '*' || fault.method === method) && new RegExp(`^${toPattern(fault.path)}$`).test(path)

// Codes for statuses that the contract does not have, and that gateways in front of a service send.
const gatewayCodes: Readonly<Record<number, string>> = {
  408: 'REQUEST_TIMEOUT',
  425: 'TOO_EARLY',
  502: 'BAD_GATEWAY',
  504: 'GATEWAY_TIMEOUT',
}

const getErrorCode = (status: number) =>
  serviceErrors.findLast(({statusCode}) => statusCode === status)?.error ?? gatewayCodes[status] ?? `HTTP_${status}`

const renderGatewayPage = (status: number) => `<!DOCTYPE html>
<html><head><title>${status}</title></head><body><h1>${status}</h1><hr><p>gateway</p></body></html>
`

// Starts like JSON and is not.
const garbage = '{"\u0001\uFFFD\u0000]]<<>> 0x7f{{{'

const createHeaders = ({retryAfterSeconds}: Fault) => ({
  ...(retryAfterSeconds !== null && {'retry-after': String(retryAfterSeconds)}),
})

function createErrorReply(fault: Fault): Reply {
  const statusCode = fault.status ?? 503
  // A client must not be able to tell from the text that the request was carried out after all.
  const ending = fault.kind === 'refuse-after' ? '' : ': the request was not carried out'
  const value = {error: getErrorCode(statusCode), message: `An injected fault${ending}`, statusCode}
  return {status: statusCode, headers: createHeaders(fault), value}
}

function createGatewayPageReply(fault: Fault): Reply {
  const status = fault.status ?? 502
  const headers = {'content-type': 'text/html; charset=utf-8', ...createHeaders(fault)}
  return {status, headers, text: renderGatewayPage(status)}
}

// Never sent: it tells the log that the request was not carried out.
const noReply: Reply = {status: 0, text: ''}

// Undefined if the request is carried out despite the fault.
export function createFaultReply(fault: Fault): Reply | undefined {
  const {carriedOut, statusDefault} = getFaultKind(fault.kind)
  if (carriedOut) return undefined
  if (statusDefault === undefined) return noReply
  return fault.kind === 'html' ? createGatewayPageReply(fault) : createErrorReply(fault)
}

// What is sent instead of the reply to a request that was carried out, if anything.
export const createReplyAfterCommit = (fault: Fault): Reply | undefined =>
  fault.kind === 'refuse-after' ? createErrorReply(fault) : undefined

const brokenConnections = ['reset', 'hang', 'lose', 'truncate'] as const

export function applyFault({kind, delayMs}: Fault, response: SandboxResponse): SandboxResponse {
  const breaks = brokenConnections.find((each) => each === kind)
  const body = kind === 'garbage' ? garbage : response.body
  return {...response, body, fault: {delayMs, ...(breaks && {breaks})}}
}
