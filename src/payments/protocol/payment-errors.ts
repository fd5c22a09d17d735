// The errors of payments that were not made, or whose outcome is unknown.
import {type ErrorKind, SvcError} from '../../errors.ts'
import {lowerFirst, quoteForShell} from '../../values/text.ts'
import {formatUtcTime, minuteMs} from '../../values/time.ts'
import {JournalUnusable} from '../journal/journal.ts'
import {type Payment, getLastAttempt, isQuoteKey, unsettledStates} from './payment.ts'

// For a person who stops at the price: the quote was a request, even though it moves no money.
export const stoppedAfterQuote = 'Stopped; a quote was requested, and nothing was paid'

export const stoppedByLimit = ({key}: Payment, reason: string) =>
  new SvcError({
    error: 'LIMIT_REACHED',
    kind: 'limit',
    message: `The payment ${key} was stopped: ${lowerFirst(reason)}`,
    hint: 'No transaction was sent; run it again with the same key when the price or the limit has changed',
  })

export const wouldBeStopped = ({key}: Payment, reason: string) =>
  new SvcError({
    error: 'LIMIT_REACHED',
    kind: 'limit',
    message: `The payment ${key} would be stopped: ${lowerFirst(reason)}`,
    hint: 'Nothing was sent',
  })

// A payment that was not made takes two complete lists, or one more if one was read.
export const describeSettlingTimes = (times: readonly number[]) =>
  times.map((ms) => `after ${formatUtcTime(roundUpToMinute(ms))}`).join(' and again ')

const roundUpToMinute = (ms: number) => Math.ceil(ms / minuteMs) * minuteMs

function settleHint({key}: Payment, times: readonly number[]): string {
  const absence =
    times.length > 0
      ? ` If nothing was made, a run ${describeSettlingTimes(times)} settles that, or one with --wait.`
      : ''
  return `Run the same command again to settle it without paying twice.${absence} \`svc journal show ${quoteForShell(key)}\` shows what is known`
}

// Without resending, only the list can settle a payment, which takes a quarter of an hour if nothing was made.
const resendHint =
  'If the service honours idempotency keys, `svc profiles set NAME --resend yes` lets svc settle it sooner'

interface UnknownDetails {
  canResend?: boolean
  // When another run can prove that nothing was made.
  settlingTimes?: readonly number[]
  cause?: unknown
}

export const outcomeUnknown = (
  payment: Payment,
  reason: string,
  {canResend = true, settlingTimes = [], cause}: UnknownDetails = {},
) =>
  new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message: `Whether the payment ${payment.key} was made is not known yet: ${reason}`,
    reason,
    hint: [settleHint(payment, settlingTimes), ...(canResend ? [] : [resendHint])].join('. '),
    cause,
  })

// The service has made the payment, and the journal could not be written. The next run finds the transaction and records it.
export class UnrecordedPayment extends SvcError {
  readonly transactionId: string

  constructor(payment: Payment, transactionId: string, cause: JournalUnusable) {
    super({
      error: 'OUTCOME_UNKNOWN',
      kind: 'unknownOutcome',
      message: `The payment ${payment.key} was made as the transaction ${transactionId}, but the journal could not record it: ${cause.reason}`,
      hint: settleHint(payment, []),
      cause,
    })
    this.transactionId = transactionId
  }
}

// The service has given one transaction to two payments, so one of them was not made by it.
export const transactionTaken = (payment: Payment, transactionId: string, owner: Payment) =>
  outcomeUnknown(
    payment,
    `the service returned the transaction ${transactionId}, which is that of the payment ${owner.key}`,
  )

// The journal lacks what this process has sent: a database that failed over lost its last commits, or a backup was restored.
export const journalWentBack = ({key}: Payment, transactionId: string | undefined) =>
  new SvcError({
    error: 'JOURNAL_WENT_BACK',
    kind: 'unknownOutcome',
    message: `The payment ${key} was sent${transactionId === undefined ? '' : ` and made as the transaction ${transactionId}`}, but the journal has lost that: it went back to an earlier state`,
    hint: `${transactionId === undefined ? 'Run the same command again to settle it' : `Enter it with \`svc journal settle ${quoteForShell(key)} --adopt ${quoteForShell(transactionId)} --why …\``}. Other payments may be lost as well: \`svc reconcile\` finds them`,
  })

// The service confirmed it, and a complete list that was read later than it may lag does not have it.
export const transactionMissing = ({key, transactionId}: Payment) =>
  new SvcError({
    error: 'TRANSACTION_MISSING',
    kind: 'unknownOutcome',
    message: `The payment ${key} was made as the transaction ${transactionId}, but the service does not list it any more`,
    hint: `Ask the service what became of it; \`svc journal show ${quoteForShell(key)}\` shows what it answered. Nothing was sent`,
  })

export const severalTransactions = ({key}: Payment, ids: readonly string[]) =>
  new SvcError({
    error: 'SEVERAL_TRANSACTIONS',
    kind: 'unknownOutcome',
    message: `The service has ${ids.length} transactions for the payment ${key}: ${ids.join(', ')}`,
    hint: `Find out which one is right, then run \`svc journal settle ${quoteForShell(key)} --adopt ID\``,
  })

// The content of a key can change only while nothing can have been made under it.
// `changes` say how the new content differs.
export const keyUsed = ({key, state}: Payment, changes: readonly string[]) =>
  new SvcError({
    error: 'KEY_USED',
    kind: 'usage',
    message: `The key ${key} belongs to a payment with other content, which was${unsettledStates.includes(state) ? ', or may have been,' : ''} made`,
    hint: unsettledStates.includes(state)
      ? `Settle it first with \`svc journal settle ${quoteForShell(key)}\`, or choose another key; nothing was sent`
      : `It keeps that content permanently: choose another key, or see \`svc journal show ${quoteForShell(key)}\`; nothing was sent`,
    problems: changes.length > 0 ? changes : undefined,
  })

function getKindForStatus(statusCode: number | undefined): ErrorKind {
  if (statusCode === 401 || statusCode === 403) return 'unauthenticated'
  return statusCode === 404 ? 'notFound' : 'refused'
}

const newQuoteHint =
  'A quote is valid for five minutes: request a new one with `svc quotes create`, or use `svc pay`, which requests and pays it at once'

// Whether the service refused because the source account holds too little.
export const isAboutBalance = (error: string) => error.startsWith('INSUFFICIENT_')

const moreMoneyHint = 'Add money or change the amount, then run it again with the same key'

// A payment by key gets a new quote when it is run again. One by its quote never does.
function describeRetry(key: string, reason: string, error: string): string {
  const isAboutQuote = /\bexpired\b|\bquote/i.test(reason)
  if (isQuoteKey(key)) {
    if (isAboutBalance(error)) return 'Add money or change the amount, then request a new quote'
    return isAboutQuote ? newQuoteHint : 'Request a new quote when the reason is gone'
  }
  if (isAboutBalance(error)) return moreMoneyHint
  return /\bexpired\b/i.test(reason)
    ? 'Run it again with the same key: it requests a new quote'
    : 'Run it again with the same key when the reason is gone'
}

// The process that got the reply also has the service's message. One that waited for it has what the journal kept.
export function rejectedByService(payment: Payment, serviceMessage?: string): SvcError {
  const {reason = 'no reason was given', error = 'REJECTED', statusCode} = getLastAttempt(payment) ?? {}
  const why = serviceMessage ?? reason
  return new SvcError({
    error,
    kind: getKindForStatus(statusCode),
    message: `The service refused the payment ${payment.key}: ${lowerFirst(why)}`,
    hint: describeRetry(payment.key, why, error),
    statusCode,
  })
}

export const quoteRejected = ({key}: Payment, {error, kind, message, statusCode, problems}: SvcError) =>
  new SvcError({
    error,
    kind,
    message: `The payment ${key} was not made, since the service gave no quote: ${lowerFirst(message)}`,
    hint: isAboutBalance(error)
      ? `Nothing was paid. ${moreMoneyHint}`
      : 'Run it again with the same key when the reason is gone',
    statusCode,
    problems,
  })

export const quotesExpired = ({key}: Payment) =>
  new SvcError({
    error: 'QUOTES_EXPIRED',
    kind: 'unreachable',
    message: isQuoteKey(key)
      ? `The payment ${key} was not made: the quote expired before it could be used`
      : `The payment ${key} was not made: every quote expired before it could be used`,
    hint: isQuoteKey(key)
      ? `Nothing was paid. ${newQuoteHint}`
      : 'Nothing was paid; try again, and check the clocks of this machine and of the service',
  })

// The quote that a person approved ran out before it was sent. The new price has to be approved, too.
export class ApprovedQuoteExpired extends SvcError {
  constructor({key}: Pick<Payment, 'key'>) {
    super({
      error: 'QUOTE_EXPIRED',
      kind: 'unreachable',
      message: `The payment ${key} was not made: the quote expired before it could be used`,
      hint: 'Nothing was paid; run it again for a new price',
    })
  }
}

// The service's list could not be searched for a payment before it was sent. Another host may have paid it.
export class SearchFailed extends SvcError {
  constructor(failure: SvcError) {
    const {error, kind, effect, message, reason, hint, statusCode, problems} = failure
    super({error, kind, effect, message, reason, hint, statusCode, problems, cause: failure})
  }
}

// The next slot has another key, so it must not be paid while an earlier one may still have been.
export const blockedByEarlierSlot = (key: string, earlier: Payment, {kind, error, message, hint, cause}: SvcError) =>
  new SvcError({
    error,
    kind,
    message: `The payment ${key} was not sent, since an earlier slot is not settled: ${lowerFirst(message)}`,
    hint:
      kind === 'unknownOutcome'
        ? hint
        : `Run the same command again, which settles ${earlier.key} first; \`svc journal show ${quoteForShell(earlier.key)}\` shows what is known`,
    cause,
  })

export const paymentInProgress = ({key}: Payment, pid: number, host: string) =>
  new SvcError({
    error: 'PAYMENT_IN_PROGRESS',
    kind: 'pending',
    message: `Another process (${pid} on ${host}) is still working on the payment ${key}`,
    hint: 'Run the same command again later, or allow more time with --timeout',
  })

// The error of a payment that another process ended as stopped or rejected while this one waited.
export function endedError(payment: Payment): SvcError {
  const {reason = 'no reason was given'} = getLastAttempt(payment) ?? {}
  return payment.state === 'STOPPED' ? stoppedByLimit(payment, reason) : rejectedByService(payment)
}

// Turns a failure of the journal into "outcome unknown" when the payment may already have been sent.

// JournalUnusable says that nothing is paid, which is wrong for a payment whose bytes may have left.
export async function wrapJournalFailure<T>(payment: Payment, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof JournalUnusable) || !unsettledStates.includes(payment.state)) throw error
    throw outcomeUnknown(payment, error.reason ?? error.message, {cause: error})
  }
}
