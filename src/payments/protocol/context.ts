// The context of the payment protocol: the service, the journal, the clocks, the limits, and how
// long a run may wait.
import type {LooseTransaction} from '../../contract/loose.ts'
import type {Controls} from '../../controls/decide.ts'
import type {SvcError} from '../../errors.ts'
import type {Intent, Journal} from '../journal/journal.ts'
import type {LeaseOwner} from '../journal/owner.ts'
import type {ServerClock} from './clock.ts'
import type {CustomerLists} from './lists.ts'
import type {Action, Knowledge, Now} from './next.ts'
import type {MadePayment, Payment} from './payment.ts'
import type {Service} from './service.ts'

export interface PaymentContext extends Knowledge {
  service: Service
  // The lists of the customers' transactions, read once for the whole run.
  lists: CustomerLists
  journal: Journal
  clock: ServerClock
  owner: LeaseOwner
  // The limits that bind whoever pays, and the policy that they come from.
  controls: Pick<Controls, 'spending' | 'binding'>
  // The profile in which the name of the service can be changed.
  profileName?: string | undefined
  // Called with the number of transactions that were read of a list so far.
  onListProgress?: ((count: number) => void) | undefined
  pause(ms: number): Promise<void>
  // The time for which this run may still wait for another process, or for an unknown payment to
  // settle.
  remainingMs(): number
  // Called before each step. Tests kill the process there.
  onAction?: ((action: Action, payment: Payment) => void) | undefined
  // Called after each step that the journal has recorded, before it records that the payment may
  // be sent, and while another process holds the lease.
  onProgress?: ((progress: PaymentProgress) => void) | undefined
  // Called once when another process holds the lease and this one starts to wait for it.
  onHeld?: ((payment: Payment, holder: LeaseOwner) => void) | undefined
  // Called when the content of a key is changed, which is possible while nothing can have been
  // made.
  onContentChanged?: ((payment: Payment, changes: readonly string[]) => void) | undefined
}

export interface PaymentProgress {
  payment: Pick<Payment, 'key' | 'state'>
  isHeldElsewhere: boolean
}

// Returns the reason not to send a payment that was not made yet. Called when a reply has told the
// service's time.
export type FindObjection = (context: PaymentContext, intent: Intent) => Promise<SvcError | undefined>

export const readNow = ({clock, remainingMs}: Pick<PaymentContext, 'clock' | 'remainingMs'>): Now => ({
  earliest: clock.earliest(),
  latest: clock.latest(),
  isServiceTimeKnown: clock.isObserved(),
  wall: clock.wall(),
  ticks: clock.ticks(),
  remainingMs: remainingMs(),
})

export interface PaymentResult {
  payment: MadePayment
  // The transaction as the service last returned it. Absent while its list does not show it.
  transaction?: LooseTransaction | undefined
  // The reason why the transaction could not be read. It exists all the same.
  readError?: SvcError | undefined
  // Whether the payment was made before this run, which then wrote nothing.
  wasMadeBefore: boolean
  // Whether this run found the transaction at the service.
  wasAdopted?: boolean | undefined
}
