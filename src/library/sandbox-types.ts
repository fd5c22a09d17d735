// The types of the arguments and results of an imported sandbox's functions.
import type {FaultKind} from '../sandbox/service/faults/behaviour-table.ts'
import type {Result} from '../sandbox-results.ts'
import type {PaymentAccount} from './service-types.ts'

export type {Outcome} from '../sandbox/service/customers/outcomes.ts'
export type {Behaviours, FaultKind, Settlement} from '../sandbox/service/faults/behaviour-table.ts'

/** Only a service-managed wallet holds a balance. Amounts are decimal texts, by currency. */
export interface Account extends PaymentAccount {
  balances: Record<string, string>
}

export interface AccountOrder {
  customerId: string
  type: 'EXTERNAL_BANK_ACCOUNT' | 'SVC_AUTO_FIAT_ACCOUNT' | 'EXTERNAL_CRYPTO_WALLET' | 'SVC_CRYPTO_WALLET'
  /** The rail of a bank account, such as ACH or SEPA. */
  method?: string | undefined
  /** The network of a wallet, such as BASE. */
  chain?: string | undefined
  currency?: string | undefined
  nickname?: string | undefined
  /** Who holds a bank account, if that is not the customer. */
  holder?: string | undefined
  /** A bank account whose form was not submitted yet. */
  pending?: boolean | undefined
  /** What a service-managed wallet holds at the start. */
  balance?: string | undefined
}

export interface Clock {
  now(): Date
  /** Moves the clock forward, and runs everything that becomes due. */
  advance(ms: number): void
  /** Moves the clock to the next thing that is due. */
  toNext(): void
  /** Moves the clock until nothing is under way any more. Rules still fire later. */
  untilIdle(): void
  freeze(at?: Date | string): void
  run(): void
}

export interface FaultOrder {
  /** The method and the path of the requests that are affected. `*` matches anything, `{customerId}` one part of a path. */
  method?: string | undefined
  path: string
  /** `lose`, `truncate`, `garbage`, `delay` and `refuse-after` carry the request out and spoil the reply. */
  kind: FaultKind
  /** How often it acts. Without it, until it is cleared. */
  times?: number | undefined
  /** How many requests pass before it acts. */
  after?: number | undefined
  /** From 0 to 1. */
  probability?: number | undefined
  status?: number | undefined
  retryAfterSeconds?: number | undefined
  delayMs?: number | undefined
  /** The request is carried out this long after it was answered. */
  commitAfterMs?: number | undefined
}

export type Fault = Result<'Fault'> & {kind: FaultKind}

export interface RequestFilter {
  method?: string | undefined
  path?: string | undefined
  status?: number | undefined
}

export type LoggedRequest = Result<'Request'>

export type SandboxEvent = Omit<Result<'WebhookEvent'>, 'deliveries' | 'delivered'>

export interface SandboxEvents {
  /** The events so far, oldest first. */
  list(filter?: {customerId?: string | undefined}): SandboxEvent[]
  /** The event as the request that an endpoint gets, signed now with the secret of the sandbox. */
  toRequest(event: SandboxEvent, url?: string): Request
}
