// How a payment that was not made is told: a limit, a refusal, or that nobody knows.
import {type ErrorKind, SvcError} from '../errors.ts'
import {type Payment, getLastAttempt} from './payment.ts'

const lowerFirst = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1)

export const stoppedByLimit = ({key}: Payment, why: string) =>
  new SvcError({
    error: 'LIMIT_REACHED',
    kind: 'limit',
    message: `The payment ${key} was stopped: ${lowerFirst(why)}`,
    hint: 'No transaction was sent; run it again with the same key when the price or the limit has changed',
  })

export const wouldBeStopped = ({key}: Payment, why: string) =>
  new SvcError({
    error: 'LIMIT_REACHED',
    kind: 'limit',
    message: `The payment ${key} would be stopped: ${lowerFirst(why)}`,
    hint: 'Nothing was sent',
  })

export function outcomeUnknown({key}: Payment, why: string, cause?: unknown): SvcError {
  return new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message: `Whether the payment ${key} was made is not known yet: ${why.replace(/\.$/, '')}`,
    hint: `Run the same command again, it settles it without paying twice; \`svc journal show ${key}\` says what is known`,
    statusCode: undefined,
    cause,
  })
}

export const severalTransactions = ({key}: Payment, ids: readonly string[]) =>
  new SvcError({
    error: 'SEVERAL_TRANSACTIONS',
    kind: 'unknownOutcome',
    message: `The service has ${ids.length} transactions for the payment ${key}: ${ids.join(', ')}`,
    hint: `Find out which of them is right, then \`svc journal settle ${key} --adopt ID\``,
  })

export const keyUsed = ({key}: Payment) =>
  new SvcError({
    error: 'KEY_USED',
    kind: 'usage',
    message: `The key ${key} belongs to a payment with other content`,
    hint: `A key is for one payment, for ever: choose another, or see \`svc journal show ${key}\`; nothing was sent`,
  })

function kindForStatus(statusCode: number | undefined): ErrorKind {
  if (statusCode === 401 || statusCode === 403) return 'unauthenticated'
  return statusCode === 404 ? 'notFound' : 'refused'
}

// Told the same way by whoever was answered, and by whoever waited for it.
export function rejectedByService(payment: Payment, serviceMessage?: string): SvcError {
  const {reason = 'no reason was given', error = 'REJECTED', statusCode} = getLastAttempt(payment) ?? {}
  return new SvcError({
    error,
    kind: kindForStatus(statusCode),
    message: `The payment ${payment.key} was not made: ${lowerFirst(serviceMessage ?? reason)}`,
    hint: 'Run it again with the same key when the reason is gone',
    statusCode,
  })
}

export const quoteRejected = ({key}: Payment, {error, kind, message, statusCode, problems}: SvcError) =>
  new SvcError({
    error,
    kind,
    message: `The payment ${key} was not made, since no quote was given: ${lowerFirst(message)}`,
    hint: 'Run it again with the same key when the reason is gone',
    statusCode,
    problems,
  })

export const quotesExpired = ({key}: Payment) =>
  new SvcError({
    error: 'QUOTES_EXPIRED',
    kind: 'unreachable',
    message: `The payment ${key} was not made: every quote ran out before it could be used`,
    hint: 'Nothing was paid; try again, and check the clocks of this machine and of the service',
  })

// After midnight a slot has another key, so one of which nobody knows holds up the next.
export const blockedByEarlierSlot = (key: string, earlier: Payment, {kind, error, message, cause}: SvcError) =>
  new SvcError({
    error,
    kind,
    message: `The payment ${key} was not sent, since an earlier slot is not settled: ${lowerFirst(message)}`,
    hint: `Run the same command again, which settles ${earlier.key} first; \`svc journal show ${earlier.key}\` says what is known`,
    cause,
  })

export const paymentInProgress = ({key}: Payment, pid: number, host: string) =>
  new SvcError({
    error: 'PAYMENT_IN_PROGRESS',
    kind: 'pending',
    message: `Another process (${pid} on ${host}) is still working on the payment ${key}`,
    hint: 'Run the same command again later, or allow more with --timeout',
  })

// What a payment came to, stopped or rejected, that another process worked on while this one waited.
export function endedError(payment: Payment): SvcError {
  const {reason = 'no reason was given'} = getLastAttempt(payment) ?? {}
  return payment.state === 'STOPPED' ? stoppedByLimit(payment, reason) : rejectedByService(payment)
}
