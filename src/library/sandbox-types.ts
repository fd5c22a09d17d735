// The types of the arguments and results of an imported sandbox's functions.
import type {Result} from '../sandbox-results.ts'
import type {FaultKind} from '../sandbox/service/faults/behaviour-table.ts'
import type {PaymentAccount} from './service-types.ts'

export type {AccountOrder, FaultOrder, RequestFilter} from '../sandbox/orders.ts'
export type {Outcome} from '../sandbox/service/customers/outcomes.ts'
export type {Behaviours, FaultKind, Settlement} from '../sandbox/service/faults/behaviour-table.ts'

/** Only a service-managed wallet holds a balance. Amounts are decimal texts, by currency. */
export interface Account extends PaymentAccount {
  balances: Record<string, string>
}

export type Fault = Result<'Fault'> & {kind: FaultKind}
export type LoggedRequest = Result<'Request'>
export type SandboxEvent = Result<'WebhookEvent'>

export interface SandboxOptions {
  /** A database file that is kept. Without it, everything is in memory and gone when the sandbox is closed. */
  file?: string | undefined
  /** Ids, tokens and the API key follow from it. It is random if it is left out. */
  seed?: string | undefined
  /** The clock stands still at this instant until it is moved. Without it, the clock runs. */
  now?: Date | string | undefined
  /** What `snapshot` returned, here or on another machine, or the bytes of a file that `svc sandbox snapshot save` wrote. */
  snapshot?: Uint8Array | undefined
}
