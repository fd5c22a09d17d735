// What a person is told about by the notify command: one JSON object per event, without secrets and personal data.
import {createHash} from 'node:crypto'

// Each needs a person: svc does not get further by itself.
type NotificationEvent =
  // The outcome of a payment has been unknown for longer than the profile allows.
  | 'payment.unknown'
  // A limit, a possible duplicate or a wrong clock stopped a payment (code 10).
  | 'payment.stopped'
  // A transaction FAILED, was CANCELLED or EXPIRED (code 11).
  | 'payment.ended'
  // Rows of a file or of a batch were stopped (code 10).
  | 'payouts.stopped'
  // A wallet has too little for a payment.
  | 'wallet.drained'
  // Somebody has to approve something before it can be paid.
  | 'approval.asked'

// Ids, codes, amounts and svc's own sentences. Messages of the service may contain personal data and are left out.
type NotificationDetail = Readonly<Record<string, string | number | readonly string[] | undefined>>

export interface NewNotification {
  event: NotificationEvent
  // What makes it the same event again. The same facts have the same id on every host and in every run.
  facts: readonly string[]
  detail: NotificationDetail
}

// As it is given to the command.
export interface Notification extends Record<string, unknown> {
  id: string
  event: NotificationEvent
  at: string
  profile?: string
  service: string
}

const idLength = 32

export function deriveNotificationId(serviceId: string, {event, facts}: Omit<NewNotification, 'detail'>): string {
  const hash = createHash('sha256').update(JSON.stringify([event, serviceId, ...facts]))
  return `ntf_${hash.digest('hex').slice(0, idLength)}`
}
