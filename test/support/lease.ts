// Takes the lease on a payment, which is created if the journal does not have it.
import type {AcquiredLease, Intent, Journal} from '../../src/payments/journal/journal.ts'
import {describeThisProcess} from '../../src/payments/journal/owner.ts'
import {unknownContent} from '../../src/payments/protocol/payment.ts'

export async function lease(journal: Journal, intent: Intent, owner = describeThisProcess()): Promise<AcquiredLease> {
  const acquired = await journal.acquireLease(intent, owner)
  if ('lease' in acquired) return acquired
  throw new Error(`the lease on ${intent.key} is held`)
}

// Records a payment on which nobody works.
export async function recordIntent(journal: Journal, intent: Intent): Promise<void> {
  await journal.releaseLease((await lease(journal, intent)).lease)
}

// Records so many payments of the service `p`, and closes the journal.
export async function recordIntents(journal: Journal, count: number, name: string | number = 'k'): Promise<void> {
  for (let index = 0; index < count; index++)
    await recordIntent(journal, {serviceId: 'p', key: `${name}-${index}`, content: unknownContent})
  await journal.close()
}
