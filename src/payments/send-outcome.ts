// What an answer to POST /transactions says: that it was made, that it was not, or nothing that can be relied on.
import {SvcError} from '../errors.ts'
import type {Fields} from './service.ts'

export type SendOutcome =
  | {kind: 'created'; transaction: Fields; transactionId: string}
  // A refusal of the service. It says that nothing was made only as the first and only answer to bytes sent once.
  | {kind: 'refused'; error: SvcError}
  // Nothing left this machine.
  | {kind: 'unsent'; error: SvcError}
  | {kind: 'ambiguous'; reason: string; statusCode?: number}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export interface PaymentIds {
  quoteIds: readonly string[]
  correlationId: string
}

// A transaction is ours if it was made from one of our quotes, or carries what only this payment carries.
export const belongsToPayment = ({quoteId, correlationId}: Fields, ids: PaymentIds) =>
  (typeof quoteId === 'string' && ids.quoteIds.includes(quoteId)) || correlationId === ids.correlationId

export function classifyReply(body: unknown, ids: PaymentIds): SendOutcome {
  if (!isFields(body)) return {kind: 'ambiguous', reason: 'The answer was no transaction'}
  const {transactionId} = body
  if (typeof transactionId !== 'string' || transactionId === '' || !belongsToPayment(body, ids)) {
    return {kind: 'ambiguous', reason: 'The answer was a transaction with neither our quote nor our correlationId'}
  }
  return {kind: 'created', transaction: body, transactionId}
}

// These say 4xx, and yet the transaction may have been made, or may be in the making.
const ambiguousStatuses = new Set([408, 409, 425, 429])

const isRejection = (status: number) => status >= 400 && status < 500 && !ambiguousStatuses.has(status)

export function classifyFailure(error: unknown): SendOutcome {
  // A fault of svc in the middle of sending says nothing about what the service has heard.
  if (!(error instanceof SvcError))
    return {kind: 'ambiguous', reason: `svc itself failed while sending (${String(error)})`}
  const {statusCode, effect} = error
  if (statusCode !== undefined && isRejection(statusCode)) return {kind: 'refused', error}
  if (statusCode === undefined && effect === 'none') return {kind: 'unsent', error}
  return {kind: 'ambiguous', reason: describeFailure(error), ...(statusCode !== undefined && {statusCode})}
}

const plainCode = /^[A-Z][A-Z0-9_]{0,63}$/

// What is kept of a failure: the service's code, and none of its words, since they may repeat whom the payment is for.
export function describeFailure(failure: SvcError): string {
  const {statusCode, message} = failure
  if (statusCode === undefined) return message
  const code = readErrorCode(failure)
  return `The service answered ${statusCode}${code === `HTTP_${statusCode}` ? '' : ` ${code}`}`
}

// What a service puts in the place of a code may be words as well.
export const readErrorCode = ({error, statusCode}: SvcError): string =>
  plainCode.test(error) ? error : `HTTP_${statusCode}`
