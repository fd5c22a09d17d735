// Records in the journal what happened to a leased payment: each function writes one change and one line of history.
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {toInstantMs} from '../../values/time.ts'
import {type CommitCheck, type Entry, JournalUnusable} from '../journal/journal.ts'
import type {LeasedPayment, PaymentContext} from './context.ts'
import {hasOtherDestination} from './compare.ts'
import {describeDifferences, joinDifferences} from './differences.ts'
import {UnrecordedPayment, transactionTaken, wrapJournalFailure} from './payment-errors.ts'
import {
  type Attempt,
  type BadEnding,
  type Payment,
  deriveCorrelationId,
  getLastAttempt,
  isContentKnown,
  readBadEnding,
  readContent,
} from './payment.ts'
import {describeFailure, readErrorCode} from './send-outcome.ts'

export async function commitChange(
  {journal, onProgress}: PaymentContext,
  leased: LeasedPayment,
  change: Partial<Payment>,
  entry: Entry,
  check?: CommitCheck,
): Promise<LeasedPayment> {
  const {lease, payment} = leased
  const write = () => journal.commit(lease, {...payment, ...change}, entry, check)
  const written = await wrapJournalFailure(payment, write)
  onProgress?.({payment: written, isHeldElsewhere: false})
  return {...leased, payment: written}
}

// Returns the attempts with a change to the last one.
export function updateLastAttempt({payment}: LeasedPayment, change: Partial<Attempt>): Attempt[] {
  const last = getLastAttempt(payment)
  if (!last) throw new Error(`the payment ${payment.key} has no attempt to change`)
  return [...payment.attempts.slice(0, -1), {...last, ...change}]
}

export async function recordQuoted(
  context: PaymentContext,
  leased: LeasedPayment,
  attempt: Attempt,
  detail: Entry['detail'] = {quoteId: attempt.quoteId},
): Promise<LeasedPayment> {
  const attempts = [...leased.payment.attempts, attempt]
  const quoted = await commitChange(context, leased, {state: 'QUOTED', attempts}, {what: 'QUOTED', detail})
  context.checkpoint('quoted')
  return quoted
}

// A limit stopped the payment before anything was sent.
export async function recordStopped(
  context: PaymentContext,
  leased: LeasedPayment,
  reason: string,
): Promise<LeasedPayment> {
  const attempts = updateLastAttempt(leased, {reason})
  const stopped = await commitChange(context, leased, {state: 'STOPPED', attempts}, {what: 'STOPPED', detail: {reason}})
  context.checkpoint('stopped')
  return stopped
}

// A transaction belongs to one key.
export const createOwnerCheck = (payment: Payment, transactionId: string): CommitCheck => ({
  transactionId,
  judge({owners: [owner]}) {
    if (owner) throw transactionTaken(payment, transactionId, owner)
  },
})

// Adopted means that the transaction was found at the service, not returned by a send of this run.
export async function recordCreated(
  context: PaymentContext,
  leased: LeasedPayment,
  transaction: LooseTransaction,
  what: 'CREATED' | 'ADOPTED',
): Promise<LeasedPayment> {
  const {limits, payment} = leased
  const {content} = payment
  const transactionId = String(transaction.transactionId)
  const madeAt = toInstantMs(transaction.createdAt)
  const ended = readBadEnding(transaction)
  const made = readContent(transaction)
  // A service that leaves the account out did what it was asked to.
  const wentElsewhere =
    isContentKnown(content) && made.destination.destinationPaymentAccountId !== '' && hasOtherDestination(content, made)
  const change = {
    state: 'CREATED',
    transactionId,
    content: isContentKnown(content) ? content : made,
    ...(madeAt !== undefined && {madeAt}),
    ...(what === 'ADOPTED' && {limits}),
    ...(ended && {ended}),
    ...(wentElsewhere && {wentElsewhere}),
  } as const
  const difference = joinDifferences(describeDifferences({...payment, limits}, transaction))
  const entry = {what, detail: {transactionId, ...(difference && {difference}), ...(ended && {ended})}}
  // No other payment can have a transaction that carries our correlationId, unless a person said so.
  const isNamed = transaction.correlationId === deriveCorrelationId(payment.serviceId, payment.key)
  const check = what === 'CREATED' && isNamed ? undefined : createOwnerCheck(payment, transactionId)
  const created = await commitChange(context, leased, change, entry, check).catch((error: unknown) => {
    const failure = error instanceof SvcError && error.cause instanceof JournalUnusable ? error.cause : error
    throw failure instanceof JournalUnusable ? new UnrecordedPayment(payment, transactionId, failure) : error
  })
  context.checkpoint(what === 'ADOPTED' ? 'adopted' : 'created')
  return {...created, transaction}
}

// The service rejected the only send. Until its list confirms that, a transaction may exist.
export async function recordUnconfirmedRejection(
  context: PaymentContext,
  leased: LeasedPayment,
  error: SvcError,
): Promise<LeasedPayment> {
  const {statusCode} = error
  const reason = describeFailure(error)
  const attempts = updateLastAttempt(leased, {
    reason,
    error: readErrorCode(error),
    isRejectionUnconfirmed: true,
    ...(statusCode !== undefined && {statusCode}),
  })
  const refused = await commitChange(context, leased, {state: 'UNKNOWN', attempts}, {what: 'REFUSED', detail: {reason}})
  context.checkpoint('refused')
  return {...refused, rejection: error}
}

// The service rejected the only send, and its list has no transaction of it.
export async function recordRejected(context: PaymentContext, leased: LeasedPayment): Promise<LeasedPayment> {
  const {reason = 'no reason was given'} = getLastAttempt(leased.payment) ?? {}
  const attempts = updateLastAttempt(leased, {isRejectionUnconfirmed: false})
  const rejected = await commitChange(
    context,
    leased,
    {state: 'REJECTED', attempts},
    {what: 'REJECTED', detail: {reason}},
  )
  context.checkpoint('rejected')
  return rejected
}

// Nothing left this machine, so this attempt created nothing.
export async function recordUnsent(
  context: PaymentContext,
  leased: LeasedPayment,
  reason: string,
): Promise<LeasedPayment> {
  const attempts = updateLastAttempt(leased, {reason, sends: 0})
  const unsent = await commitChange(
    context,
    leased,
    {state: 'ABANDONED', attempts},
    {what: 'ABANDONED', detail: {reason}},
  )
  context.checkpoint('abandoned')
  return unsent
}

// The transaction of a payment that was made before has ended badly since.
const recordEnded = (context: PaymentContext, leased: LeasedPayment, ended: BadEnding): Promise<LeasedPayment> =>
  commitChange(context, leased, {ended}, {what: 'ENDED', detail: {status: ended}})

// The request may have reached the service, and no reply says what became of it.
export async function recordUnknown(
  context: PaymentContext,
  leased: LeasedPayment,
  reason: string,
  statusCode?: number,
): Promise<LeasedPayment> {
  const attempts = updateLastAttempt(leased, {reason, ...(statusCode !== undefined && {statusCode})})
  const unknown = await commitChange(context, leased, {state: 'UNKNOWN', attempts}, {what: 'UNKNOWN', detail: {reason}})
  context.checkpoint('unknown')
  return unknown
}

// Notes in the journal that the transaction of a payment ended badly.

// Done once. If another process works on the payment, the next run notes it.
export async function noteBadEnding(
  context: PaymentContext,
  payment: Payment,
  transaction: LooseTransaction,
): Promise<Payment> {
  const ended = readBadEnding(transaction)
  if (ended === undefined || payment.ended !== undefined) return payment
  const {journal, owner} = context
  const acquired = await journal.acquireLease(payment, owner)
  if ('heldBy' in acquired) return payment
  const {lease} = acquired
  try {
    const leased = {lease, limits: {}, isGuaranteed: false, payment: acquired.payment}
    return (await recordEnded(context, leased, ended)).payment
  } finally {
    await journal.releaseLease(lease)
  }
}
