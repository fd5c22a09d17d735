// Applies faults: some replace the reply to a request, others damage the response on its way to the client.
import {serviceErrors} from '../../../contract/service-errors.ts'
import type {SandboxResponse} from '../../http/exchange.ts'
import type {Reply} from '../../http/reply.ts'
import type {Fault} from './faults.ts'
import {type AppliedFault, getFaultKind} from './kinds.ts'

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

function createErrorReply({kind, status, retryAfterSeconds}: Fault): Reply {
  const statusCode = status ?? 503
  // A client must not be able to tell from the text that the request was carried out after all.
  const message = kind === 'refuse-after' ? 'An injected fault' : 'An injected fault: the request was not carried out'
  return {
    status: statusCode,
    ...(retryAfterSeconds !== null && {headers: {'retry-after': String(retryAfterSeconds)}}),
    value: {error: getErrorCode(statusCode), message, statusCode},
  }
}

function createGatewayPageReply({status, retryAfterSeconds}: Fault): Reply {
  const statusCode = status ?? 502
  return {
    status: statusCode,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...(retryAfterSeconds !== null && {'retry-after': String(retryAfterSeconds)}),
    },
    text: renderGatewayPage(statusCode),
  }
}

// Never sent: it tells the log that the request was not carried out.
const noReply: Reply = {status: 0, text: ''}

const replyByKind: Partial<Record<Fault['kind'], (fault: Fault) => Reply>> = {
  refuse: createErrorReply,
  status: createErrorReply,
  html: createGatewayPageReply,
}

// Undefined if the request is carried out despite the fault.
export const createFaultReply = (fault: Fault): Reply | undefined =>
  getFaultKind(fault.kind).carriedOut ? undefined : (replyByKind[fault.kind]?.(fault) ?? noReply)

// What is sent instead of the reply to a request that was carried out, if anything.
export const createReplyAfterCommit = (fault: Fault): Reply | undefined =>
  fault.kind === 'refuse-after' ? createErrorReply(fault) : undefined

const brokenConnections = {reset: 'reset', hang: 'hang', lose: 'lose', truncate: 'truncate'} as const

function toAppliedFault({kind, delayMs}: Fault): AppliedFault {
  return {
    delayMs,
    ...(kind in brokenConnections && {breaks: brokenConnections[kind as keyof typeof brokenConnections]}),
  }
}

export function applyFault(fault: Fault, response: SandboxResponse): SandboxResponse {
  const body = fault.kind === 'garbage' ? garbage : response.body
  return {...response, body, fault: toAppliedFault(fault)}
}
