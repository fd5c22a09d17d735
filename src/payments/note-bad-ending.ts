// Notes in the journal that the transaction of a payment ended badly.
import type {LooseTransaction} from '../contract/loose.ts'
import {readBadEnding} from './bad-ending.ts'
import type {PaymentContext} from './context.ts'
import type {Payment} from './payment.ts'
import {recordEnded} from './record.ts'

// Done once. If another process works on the payment, the next run notes it.
export function noteBadEnding(context: PaymentContext, payment: Payment, transaction: LooseTransaction): Payment {
  const ended = readBadEnding(transaction)
  if (ended === undefined || payment.ended !== undefined) return payment
  const {journal, owner} = context
  const acquired = journal.acquireLease(payment.serviceId, payment.key, owner)
  if ('heldBy' in acquired) return payment
  const {lease} = acquired
  try {
    return recordEnded(context, {lease, limits: {}, isGuaranteed: false, payment: acquired.payment}, ended).payment
  } finally {
    journal.releaseLease(lease)
  }
}
