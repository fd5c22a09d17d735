// Classifies what came of POST /transactions: created, rejected, never sent, or unknown.
import type {LooseTransaction} from '../../contract/loose.ts'
import {ReplyError, inconclusiveStatuses} from '../../client/failures.ts'
import {SvcError} from '../../errors.ts'
import {isRecord} from '../../values/records.ts'
import {isDerivedCorrelationId} from './payment.ts'

export type SendOutcome =
  | {kind: 'created'; transaction: LooseTransaction}
  // The service rejected the request. It is believed only if the bytes were sent once and its list has no transaction.
  | {kind: 'rejected'; error: SvcError}
  // Nothing left this machine.
  | {kind: 'unsent'; error: SvcError}
  | {kind: 'unknown'; reason: string; statusCode?: number}

// By these a transaction is recognized as one of a payment.
export interface PaymentIds {
  quoteIds: readonly string[]
  // The derived one, and those that a caller chose for a request.
  correlationIds: readonly string[]
}

// Whose transaction it is: that of the payment whose correlationId it has. One without a correlationId of svc's is that of the
// payment whose quote it has. A service may give the same quote to several payments.
export const belongsToPayment = ({quoteId, correlationId}: LooseTransaction, ids: PaymentIds): boolean => {
  if (typeof correlationId === 'string' && ids.correlationIds.includes(correlationId)) return true
  if (isDerivedCorrelationId(correlationId)) return false
  return typeof quoteId === 'string' && ids.quoteIds.includes(quoteId)
}

export function classifyReply(body: unknown, ids: PaymentIds): SendOutcome {
  if (!isRecord(body)) return {kind: 'unknown', reason: 'The answer was no transaction'}
  const {transactionId} = body
  if (typeof transactionId !== 'string' || transactionId === '' || !belongsToPayment(body, ids)) {
    const whose = isDerivedCorrelationId(body['correlationId'])
      ? 'of another payment'
      : 'with neither our quote nor our correlationId'
    return {kind: 'unknown', reason: `The answer was a transaction ${whose}`}
  }
  return {kind: 'created', transaction: body}
}

const bodyLengthMax = 10_000

const reusePatterns = [
  /idempoten|duplicate/,
  /\b(key|quotes?|quoteid)\b.*\b(already|re-?used|used|consumed|redeemed|executed|conflicts?)\b/s,
  /\b(already|re-?used|used|consumed|redeemed|executed|conflicts?)\b.*\b(key|quotes?|quoteid)\b/s,
  /\balready (been )?(processed|executed|submitted|created|made|exists)\b/,
]

// A rejection because a key or a quote was used before may mean that an earlier request created the transaction.
function speaksOfReuse(error: SvcError): boolean {
  const body = error instanceof ReplyError ? (JSON.stringify(error.readBody()) ?? '') : ''
  const text = `${error.error} ${error.message} ${body.slice(0, bodyLengthMax)}`.toLowerCase().replaceAll('_', ' ')
  return reusePatterns.some((pattern) => pattern.test(text))
}

const isRejection = (error: SvcError, status: number) =>
  status >= 400 && status < 500 && !inconclusiveStatuses.has(status) && !speaksOfReuse(error)

// A reply is classified by its status. Without a reply, `effect` says whether bytes may have left this machine.
export function classifyFailure(error: unknown): SendOutcome {
  // A bug of svc while sending says nothing about what the service received.
  if (!(error instanceof SvcError)) {
    return {kind: 'unknown', reason: `svc itself failed while sending (${String(error)})`}
  }
  const {statusCode, effect} = error
  if (statusCode === undefined) {
    return effect === 'none' ? {kind: 'unsent', error} : {kind: 'unknown', reason: describeFailure(error)}
  }
  return isRejection(error, statusCode)
    ? {kind: 'rejected', error}
    : {kind: 'unknown', reason: describeFailure(error), statusCode}
}

const codePattern = /^[A-Z][A-Z0-9_]{0,63}$/

// What the journal keeps of a failure: the status and the code of the service, but not its message, which may contain
// personal data.
export function describeFailure(failure: SvcError): string {
  const {statusCode, message} = failure
  if (statusCode === undefined) return message
  const code = readErrorCode(failure)
  return `The service answered ${statusCode}${code === `HTTP_${statusCode}` ? '' : ` ${code}`}`
}

// svc's own codes for a request that failed, which the service did not send.
const ownCodes = new Set(['OUTCOME_UNKNOWN', 'UNREACHABLE'])

// Some services send a sentence where a code belongs.
export const readErrorCode = ({error, statusCode}: SvcError): string =>
  codePattern.test(error) && !ownCodes.has(error) ? error : `HTTP_${statusCode}`
