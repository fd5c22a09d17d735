// A payment that a process works on: what was ordered, what is known so far, and what is written.
import type {LooseQuote, LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {CommitCheck, Entry, Intent} from '../journal/journal.ts'
import type {FindObjection, PaymentContext} from './context.ts'
import {wrapJournalFailure} from './errors.ts'
import type {HeldPayment} from './lease.ts'
import type {Aim, Seen} from './next.ts'
import {type Payment, type PriceLimits, unsettledStates} from './payment.ts'

// A quote that a run is about to use, for whoever has to say yes to it.
export interface Confirmation {
  payment: Payment
  quote: LooseQuote
  // Payments of the same amount to the same account, oldest first.
  duplicates: readonly Payment[]
  // Set in a run that only checks: why a run that pays would stop, and the transaction that it
  // would adopt.
  stop?: SvcError | undefined
  match?: LooseTransaction | undefined
}

export interface PaymentOrder {
  intent: Intent
  limits: PriceLimits
  isGuaranteed: boolean
  // The aim of the run. If it is absent, the run pays.
  aim?: Aim | undefined
  // A quote that was made elsewhere, and the request that executes it.
  given?: {quoteId: string; bytes: string; idempotencyKey: string} | undefined
  findObjection?: FindObjection | undefined
  // Called with each quote before it is used. Throws if it may not be.
  confirm?: ((confirmation: Confirmation) => Promise<void>) | undefined
  // The one who says yes: a person who is asked, and may take a new quote or a duplicate, an
  // agent's person, who says yes to one quote alone, or nobody.
  asks?: 'person' | 'agent' | undefined
  // Whether a person is asked about possible duplicates.
  mayAllowDuplicates?: boolean | undefined
  // The digest of the file or the batch that was approved, if one was: the journal has its
  // approvals under it.
  approved?: string | undefined
  // How far back another payment of the same amount to the same account keeps this one from being
  // sent. 0 or absent if it is allowed.
  duplicateWindowMs?: number | undefined
}

// A payment that this process works on. The journal is written only under the lease; until that is
// taken, changes are kept here.
export interface Run {
  context: PaymentContext
  order: PaymentOrder
  // The payment as the journal had it when the run began, if it did.
  known: Payment | undefined
  payment: Payment
  held?: HeldPayment
  unsaved: Entry[]
  seen: Seen
  quote: LooseQuote
  // The objection to paying, in a run that only checks.
  objection?: SvcError | undefined
  // The keys of the duplicates that a person has allowed.
  allowed: ReadonlySet<string>
  transaction?: LooseTransaction
  wasAdopted?: boolean
}

// Keeps a change that nobody needs to be durable: it is written with the next commit, or when the
// lease is returned. Before the lease is taken, the run alone keeps it.
export function note(run: Run, changed: Payment, entry: Entry): void {
  const {context, held} = run
  run.payment = held ? context.journal.note(held.lease, changed, entry) : changed
  if (held) context.onProgress?.({payment: run.payment, isHeldElsewhere: false})
  else run.unsaved.push(entry)
}

// Writes the payment. Progress reports that it may be sent before that is written, since others can
// see it in the journal before this process learns that it is there.
export async function commit(run: Run, changed: Payment, entry: Entry, check?: CommitCheck): Promise<void> {
  const {context, held, payment} = run
  if (!held) throw new Error(`no lease on ${payment.key} is held`)
  const tell = (latest: Payment) => context.onProgress?.({payment: latest, isHeldElsewhere: false})
  if (unsettledStates.includes(changed.state)) tell(changed)

  const write = () => context.journal.commit(held.lease, changed, entry, check)
  try {
    run.payment = await wrapJournalFailure(payment, write)
  } finally {
    tell(run.payment)
  }
}

// The sum that is to arrive is a limit of the payment, whichever quote it is made with.
export const getLimits = ({limits}: PaymentOrder, {content: {receive}}: Payment): PriceLimits =>
  receive === undefined ? limits : {...limits, receivedMin: receive}

export const renewLease = ({context, held, payment}: Run): Promise<void> =>
  wrapJournalFailure(payment, async () => {
    if (held) await context.journal.renewLease(held.lease)
  })
