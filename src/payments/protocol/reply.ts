// Classifies what came of POST /transactions: created, rejected, never sent, or unknown.
import {inconclusiveStatuses} from '../../client/failures.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {isRecord, readText} from '../../values/records.ts'
import {
  type Payment,
  type Refusal,
  deriveCorrelationId,
  isDerivedCorrelationId,
  isQuoteKey,
  normalizeCorrelationId,
  readCorrelationId,
  toQuoteKey,
} from './payment.ts'

// The reasons are in svc's words: messages of the service may contain personal data.
export type Reply =
  | {kind: 'created'; transaction: LooseTransaction}
  // The service rejected the request. It is believed only if the bytes were sent once and its list
  // has no transaction.
  | {kind: 'rejected'; reason: string; error: SvcError; refusal: Omit<Refusal, 'isConfirmed'>}
  // Nothing left this machine.
  | {kind: 'unsent'; reason: string; error?: SvcError}
  | {kind: 'unknown'; reason: string; statusCode?: number}

// Ids by which a transaction is recognized as one of a payment.
export interface PaymentIds {
  quoteIds: readonly string[]
  // The id that svc derives, and those that a caller chose for a request.
  correlationIds: readonly string[]
}

export const getPaymentIds = ({serviceId, key, attempts}: Payment): PaymentIds => ({
  quoteIds: [...(isQuoteKey(key) ? [key.slice(toQuoteKey('').length)] : []), ...attempts.map(({quote}) => quote.id)],
  correlationIds: [
    deriveCorrelationId(serviceId, key),
    ...attempts.flatMap(({armed}) => normalizeCorrelationId(readCorrelationId(armed?.bytes)) || []),
  ],
})

// Whether a transaction belongs to the payment with these ids. A service may give the same quote to
// several payments, so the quote decides only if the transaction has no correlationId of svc's.
export function belongsToPayment({quoteId, correlationId}: LooseTransaction, ids: PaymentIds): boolean {
  if (ids.correlationIds.includes(normalizeCorrelationId(correlationId))) return true
  if (isDerivedCorrelationId(correlationId)) return false
  return ids.quoteIds.includes(readText(quoteId))
}

export function classifyReply(body: unknown, ids: PaymentIds): Reply {
  if (!isRecord(body)) return {kind: 'unknown', reason: 'The answer was no transaction'}
  if (readText(body['transactionId']) !== '' && belongsToPayment(body, ids)) {
    return {kind: 'created', transaction: body}
  }
  const whose = isDerivedCorrelationId(body['correlationId'])
    ? 'of another payment'
    : 'with neither our quote nor our correlationId'
  return {kind: 'unknown', reason: `The answer was a transaction ${whose}`}
}

// A reply is classified by its status. Without a reply, `effect` says whether bytes may have left
// this machine.
export function classifyFailure(error: unknown): Reply {
  // A bug of svc while sending says nothing about what the service received.
  if (!(error instanceof SvcError)) {
    return {kind: 'unknown', reason: `svc itself failed while sending (${String(error)})`}
  }
  const {statusCode, effect, message, reason: cause = message} = error
  if (statusCode === undefined) return {kind: effect === 'none' ? 'unsent' : 'unknown', reason: cause, error}
  const code = readErrorCode(error)
  const reason = describeAnswer(error)
  const isRejection = statusCode >= 400 && statusCode < 500 && !inconclusiveStatuses.has(statusCode)
  return isRejection
    ? {kind: 'rejected', reason, error, refusal: {error: code, statusCode}}
    : {kind: 'unknown', reason, statusCode}
}

// Describes a failed answer in svc's words, since those of the service may contain personal data.
export function describeAnswer(error: SvcError): string {
  const code = readErrorCode(error)
  return `The service answered ${error.statusCode}${code === `HTTP_${error.statusCode}` ? '' : ` ${code}`}`
}

const codePattern = /^[A-Z][A-Z0-9_]{0,63}$/
// svc's own codes for a request that failed, which the service did not send.
const ownCodes = new Set(['OUTCOME_UNKNOWN', 'UNREACHABLE'])

const readErrorCode = (error: SvcError): string =>
  ownCodes.has(error.error) ? `HTTP_${error.statusCode}` : toStoredCode(error)

// Some services send a sentence where a code belongs, which may name a person.
export const toStoredCode = ({error, statusCode}: Pick<SvcError, 'error' | 'statusCode'>): string =>
  statusCode === undefined || codePattern.test(error) ? error : `HTTP_${statusCode}`
