// What the payment protocol works with: the service, the journal, the clocks, the limits, and how long it may wait.
import type {LooseQuote, LooseTransaction} from '../../contract/loose.ts'
import type {Controls} from '../../controls/decide.ts'
import type {SvcError} from '../../errors.ts'
import type {Intent, Journal, Lease} from '../journal/journal.ts'
import type {LeaseOwner} from '../journal/owner.ts'
import type {PriceLimits} from './limits.ts'
import type {Payment} from './payment.ts'
import type {ServerClock, Service} from './service.ts'

// The moments between two steps of the protocol. Tests kill the process at each of them.
export const checkpoints = [
  'intended',
  'leased',
  'changed',
  'searched',
  'quoted',
  'stopped',
  'armed',
  'sending',
  'answered',
  'created',
  'refused',
  'confirmed',
  'rejected',
  'unknown',
  'scanned',
  'resending',
  'resent',
  'adopted',
  'absent',
  'abandoned',
] as const

export type Checkpoint = (typeof checkpoints)[number]

export interface PaymentContext {
  service: Service
  journal: Journal
  clock: ServerClock
  owner: LeaseOwner
  // What binds whoever pays: the limits, and the policy that they come from.
  controls: Pick<Controls, 'spending' | 'binding'>
  // The profile in which the name of the service can be changed.
  profileName?: string | undefined
  // The same bytes may be sent again, because the service is known to create no second transaction for them.
  mayResend: boolean
  // The service is known to create no second transaction for a reused key, whatever the body.
  areKeysHonoured: boolean
  // How long the service may take to list a transaction.
  listLagMaxMs: number
  // Called with the number of transactions that were read of a list so far.
  onListProgress?: ((count: number) => void) | undefined
  pause(ms: number): Promise<void>
  // How much longer this run may wait for another process, or for an unknown payment to settle.
  remainingMs(): number
  // Whether this run waits for as long as an unknown payment takes to settle, whatever `remainingMs` says.
  waitsToSettle?: boolean | undefined
  checkpoint(name: Checkpoint): void
  // Called after each step that the journal has recorded, and while another process holds the lease.
  onProgress?: ((progress: PaymentProgress) => void) | undefined
  // Called once when another process holds the lease and this one starts to wait for it.
  onHeld?: ((payment: Payment, holder: LeaseOwner) => void) | undefined
  // Returns the transactions of this payment from a list that this run has already read. A payout run reads the list of
  // a customer once for all of its rows.
  findListed?: ((payment: Payment) => Promise<Iterable<LooseTransaction>>) | undefined
  // Like findListed, but from a list whose read begins after the call. Used just before a payment is armed.
  lookAgain?: ((payment: Payment) => Promise<Iterable<LooseTransaction>>) | undefined
  // Called when the content of a key is changed, which is possible while nothing can have been made.
  onContentChanged?: ((payment: Payment, changes: readonly string[]) => void) | undefined
}

export interface PaymentProgress {
  payment: Payment
  isHeldElsewhere: boolean
}

// Returns the reason not to send a payment that was not made yet. Called when a reply has told the service's time.
export type FindObjection = (context: PaymentContext, intent: Intent) => Promise<SvcError | undefined>

// A payment whose lease this process holds. It is changed only under that lease.
export interface LeasedPayment {
  lease: Lease
  limits: PriceLimits
  isGuaranteed: boolean
  // The quote whose price a person approved. No other one is executed.
  approvedQuote?: LooseQuote | undefined
  findObjection?: FindObjection | undefined
  payment: Payment
  // The transaction as the service last returned it.
  transaction?: LooseTransaction
  // The service's rejection of this run, with its own message, which the journal does not keep.
  rejection?: SvcError
  // Until when the search of the service's list for this payment has seen everything, in ticks of the clock.
  searchedTicks?: number
}
