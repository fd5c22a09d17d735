// What a fault makes of an answer: another one in its place, or the true one spoiled on its way.
import {serviceErrors} from '../../contract/errors.ts'
import type {SandboxResponse} from '../http/exchange.ts'
import type {Reply} from '../http/reply.ts'
import type {Fault} from './faults.ts'
import {type AppliedFault, getFaultKind} from './kinds.ts'

// Codes for statuses of which the contract has none: gateways in front of a service answer with them.
const furtherCodes: Readonly<Record<number, string>> = {
  408: 'REQUEST_TIMEOUT',
  425: 'TOO_EARLY',
  502: 'BAD_GATEWAY',
  504: 'GATEWAY_TIMEOUT',
}

const getErrorCode = (status: number) =>
  serviceErrors.findLast(({statusCode}) => statusCode === status)?.error ?? furtherCodes[status] ?? `HTTP_${status}`

const renderGatewayPage = (status: number) => `<!DOCTYPE html>
<html><head><title>${status}</title></head><body><h1>${status}</h1><hr><p>gateway</p></body></html>
`

// Begins like an answer and is none.
const garbage = '{"\u0001\uFFFD\u0000]]<<>> 0x7f{{{'

function createErrorReply({status, retryAfterSeconds}: Fault): Reply {
  const statusCode = status ?? 503
  return {
    status: statusCode,
    ...(retryAfterSeconds !== null && {headers: {'retry-after': String(retryAfterSeconds)}}),
    value: {error: getErrorCode(statusCode), message: 'A fault that was asked for: nothing was done', statusCode},
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

// Nobody will see it, but the log wants to know that nothing was done.
const noReply: Reply = {status: 0, text: ''}

const replyByKind: Partial<Record<Fault['kind'], (fault: Fault) => Reply>> = {
  refuse: createErrorReply,
  status: createErrorReply,
  html: createGatewayPageReply,
}

// The answer to a request that is not carried out; undefined says that it is.
export const createFaultReply = (fault: Fault): Reply | undefined =>
  getFaultKind(fault.kind).carriedOut ? undefined : (replyByKind[fault.kind]?.(fault) ?? noReply)

const broken = {reset: 'reset', hang: 'hang', lose: 'lose', truncate: 'truncate'} as const

function toAppliedFault({kind, delayMs}: Fault): AppliedFault {
  return {delayMs, ...(kind in broken && {breaks: broken[kind as keyof typeof broken]})}
}

export function applyFault(fault: Fault, answered: SandboxResponse): SandboxResponse {
  const body = fault.kind === 'garbage' ? garbage : answered.body
  return {...answered, body, fault: toAppliedFault(fault)}
}
