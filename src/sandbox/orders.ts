// What the person or the program that runs a sandbox asks of it. Library users see these types, so they import no schemas.
import type {FaultKind} from './service/faults/behaviour-table.ts'

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
  /** From 0 to 1. Which requests are affected follows from the seed. */
  probability?: number | undefined
  status?: number | undefined
  retryAfterSeconds?: number | undefined
  delayMs?: number | undefined
  /** The request is carried out this long after it was answered. */
  commitAfterMs?: number | undefined
}

/** Requests, as a fault matches them. */
export interface RequestFilter {
  method?: string | undefined
  path?: string | undefined
  status?: number | undefined
}
