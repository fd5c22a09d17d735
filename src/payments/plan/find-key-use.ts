// Finds out whether a key belongs to another payment already, before anything is sent.
import {SvcError} from '../../errors.ts'
import {canChangeContent, createKeyUsedError} from '../protocol/change-content.ts'
import type {PaymentContext} from '../protocol/context.ts'
import type {Intent} from '../journal/journal.ts'
import {rejectPaidElsewhere} from '../protocol/paid-elsewhere.ts'
import {isSameContent} from '../protocol/payment-content.ts'

// Returns why a payment cannot have its key. A payment with the same content may: running it again pays nothing more.
export async function findKeyUse(context: PaymentContext, intent: Intent): Promise<string | undefined> {
  const {serviceId, key, content} = intent
  const known = await context.journal.find(serviceId, key)
  if (known && !isSameContent(known.content, content) && !canChangeContent(known)) {
    return createKeyUsedError(known, content).message
  }
  try {
    await rejectPaidElsewhere(context, intent)
    return undefined
  } catch (error) {
    if (error instanceof SvcError) return error.message
    throw error
  }
}
