// Notes in the journal that the transaction of a payment ended badly.
import type {LooseTransaction} from '../../contract/loose.ts'
import {readBadEnding} from './bad-ending.ts'
import type {PaymentContext} from './context.ts'
import type {Payment} from './payment.ts'
import {recordEnded} from './record.ts'

// Done once. If another process works on the payment, the next run notes it.
export async function noteBadEnding(
  context: PaymentContext,
  payment: Payment,
  transaction: LooseTransaction,
): Promise<Payment> {
  const ended = readBadEnding(transaction)
  if (ended === undefined || payment.ended !== undefined) return payment
  const {journal, owner} = context
  const acquired = await journal.acquireLease(payment.serviceId, payment.key, owner)
  if ('heldBy' in acquired) return payment
  const {lease} = acquired
  try {
    const leased = {lease, limits: {}, isGuaranteed: false, payment: acquired.payment}
    return (await recordEnded(context, leased, ended)).payment
  } finally {
    await journal.releaseLease(lease)
  }
}
