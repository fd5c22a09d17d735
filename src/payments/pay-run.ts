// One run of `svc pay`: who pays what, for which slot, and what it may do.
import type {LooseQuote} from '../contract/loose.ts'
import type {Caller} from '../profiles/caller.ts'
import type {ServiceTraits} from '../profiles/service-traits.ts'
import type {Intent} from './journal/journal.ts'
import {createObjectionFinder} from './objections.ts'
import type {PaymentOrder} from './pay.ts'
import type {Plan} from './plan.ts'
import type {ResolvedKey} from './slots.ts'
import type {SlotTime} from './slot-time.ts'

export interface PayRun {
  caller: Caller
  traits: ServiceTraits
  plan: Plan
  slot: SlotTime
  // Whether the slot was taken from this machine's clock.
  isSlotFromClock: boolean
  allowsDuplicates: boolean
  // How many missed slots are paid first. Undefined without --catch-up.
  catchUp: number | undefined
  // Whether a person has to approve the price.
  needsYes: boolean
  // The quote that the wizard requested.
  quote: LooseQuote | undefined
  wait: boolean
  timeout: number | undefined
}

export function buildOrder(payRun: PayRun, key: ResolvedKey): PaymentOrder {
  const {caller, traits, plan, isSlotFromClock, allowsDuplicates} = payRun
  const {content, limits, isGuaranteed} = plan
  const duplicateWindowMs = allowsDuplicates ? 0 : caller.duplicateWindowMs
  return {
    intent: {serviceId: traits.serviceId, ...key, content},
    limits,
    isGuaranteed,
    findObjection: createObjectionFinder({isSlotFromClock, duplicateWindowMs}),
  }
}

export const buildQuestion = ({environment, baseUrl, label}: Caller, {key}: Intent) =>
  `Pay this${environment === 'live' ? ` on ${baseUrl} (${label}, live)` : ''}, as ${key}?`
