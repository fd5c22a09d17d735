// What payments need to know about a service: which one it is, and how far it can be relied upon.
import type {KeyTrust} from './key-trust.ts'

export interface ServiceTraits {
  serviceId: string
  keys: KeyTrust
  listLagMaxMs: number
}

// How long a service may take to list a transaction; longer than a quote is valid (docs/assumptions.md, P4).
export const listLagDefaultMs = 6 * 60_000
