// What payments need to know about a service: which one it is, and how far it can be relied upon.
import type {JournalAddress} from '../storage/journal-address.ts'
import type {KeyTrust} from './key-trust.ts'
import type {ServiceKnowledge} from './service-knowledge.ts'

export interface StatedIdentity {
  // Whether a person stated the id of the service.
  isStated: boolean
  // The ids that the service had before.
  formerIds: readonly string[]
  // The profile in which an id can be stated. A caller from the environment has none.
  profileName?: string | undefined
}

export interface ServiceTraits {
  serviceId: string
  identity: StatedIdentity
  keys: KeyTrust
  listLagMaxMs: number
  // Where payments at the service are recorded.
  journal: JournalAddress
}

// How long a service may take to list a transaction; longer than a quote is valid (docs/assumptions.md, P4).
export const listLagDefaultMs = 6 * 60_000

// A lag that was measured once may be longer another time.
const listLagFactor = 2

// How long payments assume that the service may take, by what a probe found out.
export const computeListLagMax = ({listLagMs = 0, listLagOverMs = 0}: Partial<ServiceKnowledge> = {}): number =>
  Math.max(listLagDefaultMs, listLagFactor * Math.max(listLagMs, listLagOverMs))
