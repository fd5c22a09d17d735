// Tells a person about rows of a fleet that need one, while the worker goes on.
import type {Notifier} from '../../notifications/notifier.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {notifyUnknown} from '../../payments/run/notify-payments.ts'
import {notifyRow} from '../../payouts/run/notify-rows.ts'
import type {BatchRow} from '../batches/batch-rows.ts'
import type {RowOutcome} from './row-decision.ts'

const deliverEveryMs = 10_000

export interface FleetNotifications {
  // Stored before the row is recorded, so that a worker that is killed in between tells it when the row comes back.
  addOutcome(row: BatchRow, outcome: RowOutcome): void
  // Delivers what is left.
  end(): Promise<void>
}

const noNotifications: FleetNotifications = {addOutcome() {}, end: async () => {}}

export function startFleetNotifications(
  notifier: Notifier | undefined,
  {journal, serviceId}: Pick<PaymentContext, 'journal'> & {serviceId: string},
  onError: (error: unknown) => void,
): FleetNotifications {
  if (!notifier) return noNotifications
  let delivery: Promise<void> | undefined
  const deliver = () =>
    (delivery ??= notifyUnknown(notifier, journal, serviceId)
      .then(() => notifier.deliver())
      .catch(onError)
      .finally(() => {
        delivery = undefined
      }))
  const timer = setInterval(() => void deliver(), deliverEveryMs)
  return {
    addOutcome(row, {result}) {
      if (notifyRow(notifier, row, result)) return
      const {error: {error: code, message} = {error: 'LIMIT_REACHED', message: undefined}} = result
      // Once per batch and cause: a limit may stop all rows of a batch.
      notifier.add({
        event: 'payouts.stopped',
        facts: [row.batchId, code],
        detail: {batch: row.batchId, keys: [row.key], error: code, reason: message, exitCode: 10},
      })
    },
    async end() {
      clearInterval(timer)
      await delivery
      await deliver()
      notifier.close()
    },
  }
}
