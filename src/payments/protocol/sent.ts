// Remembers what this process has sent last, by run and by the correlationId of the payment. A
// journal can go back: a database fails over to a standby that lacks the last commits, or a backup
// is restored. The process that sent something then knows more than its journal.
import type {LeaseOwner} from '../journal/owner.ts'
import type {Attempt} from './payment.ts'

export interface Sent {
  attempt: Attempt
  transactionId?: string
}

// A worker has one run for its whole life. What a journal may lack after it went back is of the
// last seconds.
export const sentMax = 10_000

const sentByRun = new WeakMap<LeaseOwner, Map<string, Sent>>()

export function rememberSent(run: LeaseOwner, correlationId: string, sent: Sent): void {
  const sentHere = sentByRun.get(run) ?? new Map<string, Sent>()
  sentByRun.set(run, sentHere)
  sentHere.delete(correlationId)
  sentHere.set(correlationId, sent)

  const [oldest] = sentHere.keys()
  if (sentHere.size > sentMax && oldest !== undefined) sentHere.delete(oldest)
}

export const findSent = (run: LeaseOwner, correlationId: string): Sent | undefined =>
  sentByRun.get(run)?.get(correlationId)
