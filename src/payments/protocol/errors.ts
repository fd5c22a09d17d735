// The errors of payments that were not made, or whose outcome is unknown: one sentence and one hint for each code.
import type {LooseTransaction} from '../../contract/loose.ts'
import {ReplyError, readErrorBody, removeFullStop} from '../../client/failures.ts'
import {type ErrorKind, SvcError} from '../../errors.ts'
import {readText} from '../../values/records.ts'
import {lowerFirst, svc} from '../../values/text.ts'
import {formatUtcTime, minuteMs} from '../../values/time.ts'
import {JournalUnusable} from '../journal/journal.ts'
import {type Payment, getLastAttempt, isQuoteKey, unsettledStates} from './payment.ts'

// Without resending, only the list can settle a payment, which takes a quarter of an hour if nothing was made.
const resendHint =
  'If the service honours idempotency keys, `svc profiles set NAME --resend yes` (or SVC_RESEND=yes without a profile) lets svc settle it sooner'

const show = (key: string) => svc`journal show ${key}`

// What the sentences speak of: the payment, a reason in svc's words, the transaction or several of them. Empty if there is none.
const noFacts = {key: '', reason: '', id: '', more: ''}
type Facts = Partial<typeof noFacts>

type Sentence = (facts: typeof noFacts) => string

const table = {
  LIMIT_REACHED: {
    kind: 'limit',
    message: ({key, reason, more}) => `The payment ${key} ${more || 'was'} stopped: ${lowerFirst(reason)}`,
    hint: () => 'No transaction was sent; run it again with the same key when the price or the limit has changed',
  },
  OUTCOME_UNKNOWN: {
    kind: 'unknownOutcome',
    message: ({key, reason}) => `Whether the payment ${key} was made is not known yet: ${reason}`,
    hint: ({key, more}) =>
      `Run the same command again to settle it without paying twice.${more} ${show(key)} shows what is known`,
  },
  JOURNAL_WENT_BACK: {
    kind: 'unknownOutcome',
    message: ({key, id}) =>
      `The payment ${key} was sent${id && ` and made as the transaction ${id}`}, but the journal has lost that: it went back to an earlier state`,
    hint: ({key, id}) =>
      `${id ? `Enter it with ${svc`journal settle ${key} --adopt ${id} --why …`}` : 'Run the same command again to settle it'}. Other payments may be lost as well: ${svc`reconcile`} finds them`,
  },
  // The service confirmed it, and a complete list that was read later than it may lag does not have it.
  TRANSACTION_MISSING: {
    kind: 'unknownOutcome',
    message: ({key, id}) =>
      `The payment ${key} was made as the transaction ${id}, but the service does not list it any more`,
    hint: ({key}) => `Ask the service what became of it; ${show(key)} shows what it answered. Nothing was sent`,
  },
  SEVERAL_TRANSACTIONS: {
    kind: 'unknownOutcome',
    message: ({key, id}) => `The service has several transactions for the payment ${key}: ${id}`,
    hint: ({key}) => `Find out which one is right, then run ${svc`journal settle ${key} --adopt ID`}`,
  },
  QUOTE_EXPIRED: {
    kind: 'unreachable',
    message: ({key}) => `The payment ${key} was not sent: its quote expired before it could be used`,
    hint: ({key}) => describeRetry(key),
  },
  QUOTE_UNREADABLE: {
    kind: 'unreachable',
    message: () =>
      'The service sent a quote without its id or the time at which it expires, so no transaction was sent',
    hint: () => 'Tell the operator of the service',
  },
  LIST_TOO_SLOW: {
    kind: 'unreachable',
    message: ({key}) =>
      `The payment ${key} was not sent: reading the customer's transactions takes so long that another host could pay meanwhile`,
    hint: () => resendHint.replace('settle it sooner', 'pay without the second look'),
  },
  PAYMENT_IN_PROGRESS: {
    kind: 'pending',
    message: ({key, reason}) => `Another process (${reason}) is still working on the payment ${key}`,
    hint: () => 'Run the same command again later, or allow more time with --timeout',
  },
} as const satisfies Record<string, {kind: ErrorKind; message: Sentence; hint: Sentence}>

type Options = Partial<ConstructorParameters<typeof SvcError>[0]>

function describe(error: keyof typeof table, facts: Facts, options: Options = {}) {
  const {kind, message, hint} = table[error]
  const all = {...noFacts, ...facts}
  return {error, kind, message: message(all), hint: hint(all), ...options}
}

export const paymentError = (error: keyof typeof table, facts: Facts, options?: Options) =>
  new SvcError(describe(error, facts, options))

// A payment that was not made takes two complete lists, or one more if one was read.
export const describeSettlingTimes = (times: readonly number[]) =>
  times.map((ms) => `after ${formatUtcTime(Math.ceil(ms / minuteMs) * minuteMs)}`).join(' and again ')

// `settlingTimes` say when another run can prove that nothing was made.
export function outcomeUnknown(
  {key}: Payment,
  reason: string,
  known: {canResend?: boolean; settlingTimes?: readonly number[]; cause?: unknown} = {},
): SvcError {
  const {canResend = true, settlingTimes = [], cause} = known
  const when = describeSettlingTimes(settlingTimes)
  const settles = when ? ` If nothing was made, a run ${when} settles that, or one with --wait.` : ''
  const more = canResend ? settles : `${settles} ${resendHint}.`
  return paymentError('OUTCOME_UNKNOWN', {key, reason, more}, {reason, cause})
}

// The service has made the payment, and the journal could not be written. The next run finds the transaction and records it.
export class UnrecordedPayment extends SvcError {
  readonly transactionId: string

  constructor({key}: Payment, transactionId: string, cause: JournalUnusable) {
    const message = `The payment ${key} was made as the transaction ${transactionId}, but the journal could not record it: ${cause.reason}`
    super(describe('OUTCOME_UNKNOWN', {key}, {message, cause}))
    this.transactionId = transactionId
  }
}

export const severalTransactions = ({key}: Payment, matches: readonly LooseTransaction[]) =>
  paymentError('SEVERAL_TRANSACTIONS', {key, id: matches.map(({transactionId}) => readText(transactionId)).join(', ')})

// Whether the service refused because the source account holds too little.
export const isAboutBalance = (error: string) => error.startsWith('INSUFFICIENT_')

// A payment by key gets a new quote when it is run again. One by its quote never does.
const describeRetry = (key: string) =>
  isQuoteKey(key)
    ? `A quote is valid for five minutes: request a new one with ${svc`quotes create`}, or use ${svc`pay`}, which requests and pays it at once`
    : 'Run it again with the same key when the reason is gone'

const kindsByStatus: Partial<Record<number, ErrorKind>> = {
  401: 'unauthenticated',
  403: 'unauthenticated',
  404: 'notFound',
}

// The process that got the refusal also has the service's words. The journal keeps the code alone.
export function rejectedByService(payment: Payment, refusal?: SvcError): SvcError {
  const {error = 'REJECTED', statusCode} = getLastAttempt(payment)?.refused ?? {}
  const body = refusal instanceof ReplyError ? refusal.readBody() : {}
  const {message: words} = typeof body === 'string' ? readErrorBody(undefined, body) : readErrorBody(body ?? {})
  const codes = [statusCode, error === `HTTP_${statusCode}` ? undefined : error].filter((code) => code !== undefined)
  return new SvcError({
    error,
    kind: kindsByStatus[statusCode ?? 0] ?? 'refused',
    message: `The service refused the payment ${payment.key} (${codes.join(' ')})${words === undefined ? '' : `: ${removeFullStop(words)}`}`,
    hint: describeRetry(payment.key),
    statusCode,
  })
}

// The service gave no quote for what was asked, which a person can change.
export class QuoteRejected extends SvcError {
  constructor({key}: Pick<Payment, 'key'>, failure: SvcError) {
    const {error, kind, effect, reason, statusCode, problems} = failure
    const message = `The payment ${key} was not sent, since the service gave no quote: ${lowerFirst(failure.message)}`
    super({error, kind, effect, message, reason, hint: describeRetry(key), statusCode, problems, cause: failure})
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
export function blockedByEarlierSlot(key: string, {key: earlier}: Payment, failure: SvcError): SvcError {
  const message = `The payment ${key} was not sent, since an earlier slot is not settled: ${lowerFirst(failure.message)}`
  if (failure.kind === 'unknownOutcome') return failure.with({message})
  const hint = `Run the same command again, which settles ${earlier} first; ${show(earlier)} shows what is known`
  return failure.with({message, hint})
}

// The error of a payment that another process ended as stopped or rejected while this one waited.
export function endedError(payment: Payment): SvcError {
  const {reason = 'no reason was given'} = getLastAttempt(payment) ?? {}
  return payment.state === 'STOPPED'
    ? paymentError('LIMIT_REACHED', {key: payment.key, reason})
    : rejectedByService(payment)
}

// JournalUnusable says that nothing is paid, which is wrong for a payment whose bytes may have left.
export async function wrapJournalFailure<T>(payment: Payment, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof JournalUnusable) || !unsettledStates.includes(payment.state)) throw error
    throw outcomeUnknown(payment, error.reason ?? error.message, {cause: error})
  }
}
