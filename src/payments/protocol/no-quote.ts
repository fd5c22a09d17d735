// Records in the journal that the service gave no quote for a payment, and so that nothing was
// sent, for later commands to report.
import type {SvcError} from '../../errors.ts'
import {digestContent} from './compare.ts'
import type {PaymentContext} from './context.ts'
import {type NotMadePayment, type Payment, isNotMade} from './payment.ts'
import {toStoredCode} from './reply.ts'

const canNote = (payment: Payment): payment is NotMadePayment => isNotMade(payment) && payment.state !== 'REJECTED'

// A payment that another process works on is left to that process.
export async function noteNoQuote(
  {journal, owner}: Pick<PaymentContext, 'journal' | 'owner'>,
  {serviceId, key}: Pick<Payment, 'serviceId' | 'key'>,
  failure: SvcError,
): Promise<void> {
  const known = await journal.find(serviceId, key)
  if (!known || !canNote(known)) return

  const acquired = await journal.acquireLease(known, owner)
  if ('heldBy' in acquired) return
  const {lease, payment} = acquired

  try {
    if (!canNote(payment)) return
    const {content, attempts} = payment
    const {statusCode} = failure
    const error = toStoredCode(failure)
    const noQuote = {error, statusCode, contentDigest: digestContent(content), attempts: attempts.length}
    journal.note(lease, {...payment, noQuote}, {what: 'NO_QUOTE', detail: {error, statusCode}})
  } finally {
    await journal.releaseLease(lease)
  }
}

// Returns why the service gave no quote. Undefined if a quote came since, or if the payment has
// other content by now.
export function findNoQuote({noQuote, attempts, content}: Payment) {
  if (noQuote?.attempts !== attempts.length || noQuote.contentDigest !== digestContent(content)) return undefined
  const {error, statusCode} = noQuote
  const status = statusCode === undefined ? '' : `, status ${statusCode}`
  return {error, statusCode, message: `The service gave no quote (${error}${status})`}
}
