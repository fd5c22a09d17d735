// Decides how far payments may rely on idempotency keys. How a service treats a reused key is not in its interface, so
// nothing is assumed: a probe, the profile or the sandbox must say so.
import {badSettings} from '../errors.ts'
import type {SecondRequestOutcome} from '../contract/observed-service.ts'
import type {ServiceKnowledge} from './service-knowledge.ts'

// Whether a payment with an unknown outcome may be sent again, byte for byte, while its quote is valid: only if keys are
// known to be honoured (auto), or because the profile says that they are (always).
export const resendPolicies = ['auto', 'always', 'never'] as const
export type ResendPolicy = (typeof resendPolicies)[number]

export interface KeyTrust {
  // Sending the same bytes under the same key again creates no second transaction.
  sameRequest: boolean
  // Sending another body under the same key creates no second transaction.
  otherRequest: boolean
}

const createsNothing = (outcome: SecondRequestOutcome | undefined) => outcome === 'replayed' || outcome === 'rejected'

export const trustKnowledge = ({sameRequest, otherRequest}: Partial<ServiceKnowledge> = {}): KeyTrust => ({
  sameRequest: createsNothing(sameRequest),
  otherRequest: createsNothing(otherRequest),
})

// `known` is what a probe found, or what the behaviours of the sandbox are.
export function decideKeyTrust(policy: ResendPolicy, known: KeyTrust, knowledge?: ServiceKnowledge): KeyTrust {
  if (policy === 'never') return {...known, sameRequest: false}
  if (policy === 'auto') return known
  // Whoever says that keys are honoured says it for every body, unless a probe found otherwise.
  return {sameRequest: true, otherRequest: known.otherRequest || knowledge?.otherRequest === undefined}
}

const isPolicy = (text: string): text is ResendPolicy => (resendPolicies as readonly string[]).includes(text)

// SVC_RESEND overrides the profile, and is the only source for callers without one.
export function readResendPolicy(stored: ResendPolicy | undefined): ResendPolicy {
  const text = process.env['SVC_RESEND']
  if (!text) return stored ?? 'auto'
  if (isPolicy(text)) return text
  throw badSettings(`SVC_RESEND is "${text}"`, `Set it to ${resendPolicies.join(', ')}, or unset it`)
}
