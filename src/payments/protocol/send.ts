// Arms a payment, and sends exactly the bytes that the journal has.
import {buildDayQuery, findDayProblems} from '../../controls/check-spending.ts'
import {PolicyChanged} from '../../controls/decide.ts'
import {SvcError} from '../../errors.ts'
import {omitUndefined, readText} from '../../values/records.ts'
import type {CommitCheck} from '../journal/journal.ts'
import type {PaymentContext} from './context.ts'
import {buildDuplicateQuery, createDuplicateError, pickDuplicates} from './duplicates.ts'
import {paymentError} from './errors.ts'
import {requireNotMadeElsewhere} from './key-use.ts'
import {toOutgoing} from './limits.ts'
import type {Event} from './next.ts'
import {
  type Attempt,
  type Payment,
  armAttempt,
  changeLast,
  deriveCorrelationId,
  deriveIdempotencyKey,
  getLastAttempt,
} from './payment.ts'
import {stop} from './price.ts'
import {classifyFailure, classifyReply, getPaymentIds} from './reply.ts'
import {type Run, commit, getLimits, renewLease} from './run.ts'
import {type Sent, rememberSent} from './sent.ts'

const buildRequest = ({serviceId, key}: Payment, {quote}: Attempt) => ({
  bytes: JSON.stringify({quoteId: quote.id, correlationId: deriveCorrelationId(serviceId, key)}),
  idempotencyKey: deriveIdempotencyKey(serviceId, key),
})

// Writes the exact bytes to the journal before any of them is sent. The daily limit and possible
// duplicates are checked in the transaction that arms the payment, so that two processes cannot
// both use what is left, or both pay.
export async function arm(run: Run): Promise<Event> {
  const {context, order, payment, held, allowed} = run
  const {clock, controls} = context
  const {spending = {}, binding} = controls
  const {isGuaranteed, duplicateWindowMs = 0, approved} = order
  const outgoing = toOutgoing(payment.content)
  const last = getLastAttempt(payment)
  if (!last) throw new Error(`nothing is quoted for ${payment.key}`)

  const {bytes, idempotencyKey} = order.given ?? buildRequest(payment, last)
  const limits = getLimits(order, payment)
  const [at, locallyAt] = [clock.latest(), clock.wall()]
  const armed = armAttempt(payment, {bytes, idempotencyKey, at, locallyAt, isGuaranteed, limits, sends: 1})
  const detail = omitUndefined({attempt: payment.attempts.length, epoch: held?.lease.epoch, approved})
  // The earliest possible time, so that no clock that is ahead begins another day or ends the
  // window of a duplicate.
  const earliest = clock.earliest()
  const check: CommitCheck = {
    spending: buildDayQuery(spending, outgoing, earliest),
    paidTo: duplicateWindowMs > 0 ? buildDuplicateQuery(payment, earliest - duplicateWindowMs) : undefined,
    readsPolicyMark: binding !== undefined,
    judge(found) {
      if (binding && found.policyMark !== binding.mark) throw new PolicyChanged(payment.key)
      requireNotMadeElsewhere(context, payment, found.elsewhere)
      const duplicates = pickDuplicates(payment, found.paidTo).filter(({key}) => !allowed.has(key))
      const duplicate = createDuplicateError(payment, duplicates)
      if (duplicate) throw duplicate
      const [problem] = findDayProblems(spending, outgoing, found.spent)
      if (problem !== undefined) throw paymentError('LIMIT_REACHED', {key: payment.key, reason: problem})
    },
  }
  try {
    await commit(run, armed, {what: 'ARMED', detail}, check)
    return {what: 'armed', again: false}
  } catch (error) {
    if (!(error instanceof SvcError) || error.error !== 'LIMIT_REACHED') throw error
    return stop(run, error.reason ?? error.message)
  }
}

function requireArmed(payment: Payment) {
  const attempt = getLastAttempt(payment)
  if (!attempt?.armed) throw new Error(`nothing is armed for ${payment.key}`)
  return {attempt, armed: attempt.armed}
}

export async function armAgain(run: Run): Promise<Event> {
  const {payment} = run
  const {armed} = requireArmed(payment)
  const attempts = changeLast(payment, {armed: {...armed, sends: armed.sends + 1}})
  await commit(run, {...payment, attempts}, {what: 'RESENDING'})
  return {what: 'armed', again: true}
}

export async function renew(run: Run): Promise<Event> {
  await renewLease(run)
  return {what: 'renewed'}
}

export async function send({context, payment}: Run, {again}: {again: boolean}): Promise<Event> {
  return {what: 'sent', again, reply: await transmit(context, payment)}
}

async function transmit({service, owner}: PaymentContext, payment: Payment) {
  const {attempt, armed} = requireArmed(payment)
  const sent: Sent = {attempt}
  rememberSent(owner, deriveCorrelationId(payment.serviceId, payment.key), sent)
  const reply = await service
    .send(armed.bytes, armed.idempotencyKey)
    .then((body) => classifyReply(body, getPaymentIds(payment)), classifyFailure)
  if (reply.kind === 'created') sent.transactionId = readText(reply.transaction.transactionId)
  return reply
}
