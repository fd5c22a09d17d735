// The errors of payments that were not made, or whose outcome is unknown: one sentence and one hint
// for each code.
import type {LooseTransaction} from '../../contract/loose.ts'
import {ReplyError, readErrorBody, removeFullStop} from '../../client/failures.ts'
import {type ErrorKind, SvcError} from '../../errors.ts'
import {readText} from '../../values/records.ts'
import {lowerFirst, svc} from '../../values/text.ts'
import {formatUtcTime, minuteMs} from '../../values/time.ts'
import {JournalUnusable} from '../journal/journal.ts'
import type {LeaseOwner} from '../journal/owner.ts'
import {type Payment, getLastAttempt, isQuoteKey, unsettledStates} from './payment.ts'

// Without resending, only the list can settle a payment, which takes a quarter of an hour if
// nothing was made.
const adviseResend = (gain: string) =>
  `If the service honours idempotency keys, \`svc profiles set NAME --resend yes\` (or SVC_RESEND=yes without a profile) lets svc ${gain}`

const show = (key: string) => svc`journal show ${key}`

// The facts of each error, by its code.
interface FactsByCode {
  // `reason` is the problem with the limit, a sentence. `isForecast` says that nothing was tried.
  LIMIT_REACHED: {key: string; reason: string; isForecast?: boolean}
  OUTCOME_UNKNOWN: {key: string; reason: string; canResend: boolean; settlingTimes: readonly number[]}
  // `id` is that of the transaction, and empty if it is not known.
  JOURNAL_WENT_BACK: {key: string; id: string}
  TRANSACTION_MISSING: {key: string; id: string}
  SEVERAL_TRANSACTIONS: {key: string; ids: readonly string[]}
  QUOTE_EXPIRED: {key: string}
  QUOTE_UNREADABLE: {key: string}
  LIST_TOO_SLOW: {key: string}
  PAYMENT_IN_PROGRESS: {key: string; holder: Pick<LeaseOwner, 'pid' | 'host'>}
}

interface Sentences<Facts> {
  kind: ErrorKind
  message: (facts: Facts) => string
  hint: (facts: Facts) => string
}

const sentencesByCode: {[Code in keyof FactsByCode]: Sentences<FactsByCode[Code]>} = {
  LIMIT_REACHED: {
    kind: 'limit',
    message: ({key, reason, isForecast}) =>
      `The payment ${key} ${isForecast ? 'would be' : 'was'} stopped: ${lowerFirst(reason)}`,
    hint: () => 'No transaction was sent; run it again with the same key when the price or the limit has changed',
  },
  OUTCOME_UNKNOWN: {
    kind: 'unknownOutcome',
    message: ({key, reason}) => `Whether the payment ${key} was made is not known yet: ${reason}`,
    hint: ({key, canResend, settlingTimes}) => adviseNextRun(key, canResend, settlingTimes),
  },
  JOURNAL_WENT_BACK: {
    kind: 'unknownOutcome',
    message: ({key, id}) =>
      `The payment ${key} was sent${id && ` and made as the transaction ${id}`}, but the journal has lost that: it went back to an earlier state`,
    hint: ({key, id}) =>
      `${id ? `Enter it with ${svc`journal settle ${key} --adopt ${id} --why …`}` : 'Run the same command again to settle it'}. Other payments may be lost as well: ${svc`reconcile`} finds them`,
  },
  // The service confirmed the payment, and a complete list that was read later than it may lag
  // lacks the payment.
  TRANSACTION_MISSING: {
    kind: 'unknownOutcome',
    message: ({key, id}) =>
      `The payment ${key} was made as the transaction ${id}, but the service does not list it any more`,
    hint: ({key}) => `Ask the service what became of it; ${show(key)} shows what it answered. Nothing was sent`,
  },
  SEVERAL_TRANSACTIONS: {
    kind: 'unknownOutcome',
    message: ({key, ids}) => `The service has several transactions for the payment ${key}: ${ids.join(', ')}`,
    hint: ({key}) => `Find out which one is right, then run ${svc`journal settle ${key} --adopt ID`}`,
  },
  QUOTE_EXPIRED: {
    kind: 'unreachable',
    message: ({key}) => `The payment ${key} was not sent: its quote expired before it could be used`,
    hint: ({key}) => adviseRetry(key),
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
    hint: () => adviseResend('pay without the second look'),
  },
  PAYMENT_IN_PROGRESS: {
    kind: 'pending',
    message: ({key, holder: {pid, host}}) =>
      `Another process (${pid} on ${host}) is still working on the payment ${key}`,
    hint: () => 'Run the same command again later, or allow more time with --timeout',
  },
}

function describe<Code extends keyof FactsByCode>(error: Code, facts: FactsByCode[Code]) {
  const {kind, message, hint} = sentencesByCode[error]
  const reason = 'reason' in facts ? facts.reason : undefined
  return {error, kind, message: message(facts), reason, hint: hint(facts)}
}

export const paymentError = <Code extends keyof FactsByCode>(error: Code, facts: FactsByCode[Code], cause?: unknown) =>
  new SvcError({...describe(error, facts), cause})

// The times of the lists that prove a payment absent: of two, or of the second if the first was
// read.
export const describeSettlingTimes = (times: readonly number[]) =>
  times.map((ms) => `after ${formatUtcTime(Math.ceil(ms / minuteMs) * minuteMs)}`).join(' and again ')

// `settlingTimes` say when another run can prove that nothing was made.
function adviseNextRun(key: string, canResend: boolean, settlingTimes: readonly number[]): string {
  const times = describeSettlingTimes(settlingTimes)
  return [
    'Run the same command again to settle it without paying twice.',
    times && `If nothing was made, a run ${times} settles that, or one with --wait.`,
    canResend ? '' : `${adviseResend('settle it sooner')}.`,
    `${show(key)} shows what is known`,
  ]
    .filter(Boolean)
    .join(' ')
}

export function outcomeUnknown(
  {key}: Payment,
  reason: string,
  known: {canResend?: boolean; settlingTimes?: readonly number[]; cause?: unknown} = {},
): SvcError {
  const {canResend = true, settlingTimes = [], cause} = known
  return paymentError('OUTCOME_UNKNOWN', {key, reason, canResend, settlingTimes}, cause)
}

// The service has made the payment, and the journal could not be written. The next run finds the
// transaction and records it.
export class UnrecordedPayment extends SvcError {
  readonly transactionId: string

  constructor({key}: Payment, transactionId: string, cause: JournalUnusable) {
    super({
      error: 'OUTCOME_UNKNOWN',
      kind: 'unknownOutcome',
      message: `The payment ${key} was made as the transaction ${transactionId}, but the journal could not record it: ${cause.reason}`,
      hint: adviseNextRun(key, true, []),
      cause,
    })
    this.transactionId = transactionId
  }
}

export const severalTransactions = ({key}: Payment, matches: readonly LooseTransaction[]) =>
  paymentError('SEVERAL_TRANSACTIONS', {key, ids: matches.map(({transactionId}) => readText(transactionId))})

// Whether the service refused because the source account holds too little.
export const isAboutBalance = (error: string) => error.startsWith('INSUFFICIENT_')

// A payment by key gets a new quote when it is run again. A payment by its quote never does.
const adviseRetry = (key: string) =>
  isQuoteKey(key)
    ? `A quote is valid for five minutes: request a new one with ${svc`quotes create`}, or use ${svc`pay`}, which requests and pays it at once`
    : 'Run it again with the same key when the reason is gone'

const kindsByStatus: Partial<Record<number, ErrorKind>> = {
  401: 'unauthenticated',
  403: 'unauthenticated',
  404: 'notFound',
}

// A refusal: its status and code, with the service's words where they are known.
function describeRefusal({error, statusCode}: Pick<SvcError, 'error' | 'statusCode'>, refusal?: SvcError): string {
  const codes = [statusCode, error === `HTTP_${statusCode}` ? undefined : error].filter((code) => code !== undefined)
  const body = refusal instanceof ReplyError ? refusal.readBody() : {}
  const {message: words} = typeof body === 'string' ? readErrorBody(undefined, body) : readErrorBody(body ?? {})
  return `(${codes.join(' ')})${words === undefined ? '' : `: ${removeFullStop(words)}`}`
}

// The error of a payment that the service refused. The process that got the refusal also has the
// service's words; the journal keeps the code alone.
export function rejectedByService(payment: Payment, refusal?: SvcError): SvcError {
  const {key} = payment
  const {error = 'REJECTED', statusCode} = getLastAttempt(payment)?.refused ?? {}
  return new SvcError({
    error,
    kind: kindsByStatus[statusCode ?? 0] ?? 'refused',
    message: `The service refused the payment ${key} ${describeRefusal({error, statusCode}, refusal)}`,
    hint: adviseRetry(key),
    statusCode,
  })
}

// The service gave no quote for what was asked, which a person can change.
export class QuoteRejected extends SvcError {
  constructor({key}: Pick<Payment, 'key'>, failure: SvcError) {
    const {error, kind, effect, reason, statusCode, problems} = failure
    const message = `The payment ${key} was not sent, since the service gave no quote ${describeRefusal(failure, failure)}`
    super({error, kind, effect, message, reason, hint: adviseRetry(key), statusCode, problems, cause: failure})
  }
}

// The service's list could not be searched for a payment before it was sent. Another host may have
// paid it.
export class SearchFailed extends SvcError {
  constructor(failure: SvcError) {
    const {error, kind, effect, message, reason, hint, statusCode, problems} = failure
    super({error, kind, effect, message, reason, hint, statusCode, problems, cause: failure})
  }
}

// The error of a slot that must not be paid, since an earlier slot of another key may still have
// been.
export function blockedByEarlierSlot(key: string, {key: earlier}: Payment, failure: SvcError): SvcError {
  const message = `The payment ${key} was not sent, since an earlier slot is not settled. ${failure.message}`
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

// JournalUnusable says that nothing is paid, which is wrong for a payment whose bytes may have
// left.
export async function wrapJournalFailure<T>(payment: Payment, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof JournalUnusable) || !unsettledStates.includes(payment.state)) throw error
    throw outcomeUnknown(payment, error.reason ?? error.message, {cause: error})
  }
}
