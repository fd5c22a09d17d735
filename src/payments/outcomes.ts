// How a payment that was not made is told: a limit, a refusal, or that nobody knows.
import {SvcError, exitCodes} from '../errors.ts'
import {type Payment, lastAttempt} from './payment.ts'

export const stoppedByLimit = ({key}: Payment, why: string) =>
  new SvcError({
    error: 'LIMIT_REACHED',
    exitCode: exitCodes.limit,
    message: `The payment ${key} was stopped: ${why}`,
    hint: 'No transaction was sent; run it again with the same key when the price or the limit has changed',
  })

export function outcomeUnknown({key}: Payment, why: string, cause?: unknown): SvcError {
  return new SvcError({
    error: 'OUTCOME_UNKNOWN',
    exitCode: exitCodes.unknown,
    message: `Whether the payment ${key} was made is not known yet: ${why.replace(/\.$/, '')}`,
    hint: `Run the same command again, it settles it without paying twice; \`svc journal show ${key}\` says what is known`,
    statusCode: undefined,
    cause,
  })
}

export const severalMade = ({key}: Payment, ids: readonly string[]) =>
  new SvcError({
    error: 'SEVERAL_TRANSACTIONS',
    exitCode: exitCodes.unknown,
    message: `The service has ${ids.length} transactions for the payment ${key}: ${ids.join(', ')}`,
    hint: `Find out which of them is right, then \`svc journal settle ${key} --adopt ID\``,
  })

export const otherContent = ({key}: Payment) =>
  new SvcError({
    error: 'KEY_USED',
    exitCode: exitCodes.usage,
    message: `The key ${key} belongs to a payment with other content`,
    hint: `A key is for one payment, for ever: choose another, or see \`svc journal show ${key}\`; nothing was sent`,
  })

export const heldByAnother = ({key}: Payment, pid: number, host: string) =>
  new SvcError({
    error: 'PAYMENT_IN_PROGRESS',
    exitCode: exitCodes.pending,
    message: `Another process (${pid} on ${host}) is still working on the payment ${key}`,
    hint: 'Run the same command again later, or allow more with --timeout',
  })

// What a payment came to that another process worked on while this one waited.
export function toldOf(payment: Payment): SvcError {
  const {reason = 'no reason was given', statusCode} = lastAttempt(payment) ?? {}
  if (payment.state === 'STOPPED') return stoppedByLimit(payment, reason)
  if (payment.state === 'REJECTED') {
    return new SvcError({
      error: 'REJECTED',
      exitCode: exitCodes.refused,
      message: `The service refused the payment ${payment.key}: ${reason}`,
      statusCode,
    })
  }
  return outcomeUnknown(payment, reason)
}
