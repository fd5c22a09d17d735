// What is known about a service where its interface is silent. `svc probe` finds it out, and the profile keeps it.
import type {ObservedService, SecondRequestOutcome} from '../contract/observed-service.ts'
import type {Shape} from '../contract/shape.ts'
import {badSettings} from '../errors.ts'
import type {JournalAddress} from '../storage/journal-address.ts'

// A field that is absent is not known.
export interface ServiceKnowledge extends ObservedService {
  // When the probe ended, in ISO format.
  probedAt: string
  // The identity of the service that was probed. Knowledge about another service is not used.
  serviceId?: string
  // The service that was probed, if a person stated that this one behaves in the same way.
  takenFrom?: string
  // Whether rejections have the documented body, and the size of the largest.
  errorShape?: 'documented' | 'other'
  errorBytesMax?: number
}

const secondRequestOutcomes: readonly SecondRequestOutcome[] = ['replayed', 'rejected', 'created']

const milliseconds: Shape = {type: 'integer'}

export const knowledgeShape: Shape = {
  type: 'object',
  properties: {
    probedAt: {type: 'string', minLength: 1},
    serviceId: {type: 'string', minLength: 1},
    takenFrom: {type: 'string', minLength: 1},
    sameRequest: {type: 'string', enum: secondRequestOutcomes},
    otherRequest: {type: 'string', enum: secondRequestOutcomes},
    keyHeldMs: milliseconds,
    keyForgottenAfterMs: milliseconds,
    keyAfterRejection: {type: 'string', enum: ['usable', 'rejected']},
    usedQuote: {type: 'string', enum: ['rejected', 'created']},
    expiredQuote: {type: 'string', enum: ['rejected', 'created']},
    listLagMs: milliseconds,
    listLagOverMs: milliseconds,
    listOrder: {type: 'string', enum: ['newest-first', 'oldest-first', 'other']},
    dateAheadMs: milliseconds,
    isDateAbsent: {type: 'boolean'},
    pageTokenLifeMs: milliseconds,
    pageTokenDiedAfterMs: milliseconds,
    errorShape: {type: 'string', enum: ['documented', 'other']},
    errorBytesMax: {type: 'integer'},
  },
  required: ['probedAt'],
}

// What was found out about another service says nothing about this one. A service may have had other ids before.
export const chooseKnowledge = (
  knowledge: ServiceKnowledge | undefined,
  serviceIds: readonly string[],
): ServiceKnowledge | undefined =>
  knowledge?.serviceId === undefined || serviceIds.includes(knowledge.serviceId) ? knowledge : undefined

const probedFields = [
  'sameRequest',
  'otherRequest',
  'keyAfterRejection',
  'usedQuote',
  'expiredQuote',
] as const satisfies ReadonlyArray<keyof ServiceKnowledge>

// Whether a probe has an answer to every question that it has to send transactions for.
export const isKnowledgeComplete = (knowledge: ServiceKnowledge): boolean =>
  probedFields.every((field) => knowledge[field] !== undefined) &&
  (knowledge.listLagMs !== undefined || knowledge.listLagOverMs !== undefined)

// What payments need to know about a service: which one it is, and how far it can be relied upon.
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
  // Whether lists are known to be by creation, newest first.
  isListNewestFirst: boolean
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

// Decides how far payments may rely on idempotency keys. How a service treats a reused key is not in its interface, so
// nothing is assumed: a probe, the profile or the sandbox must say so.

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

const isPolicy = (text: string): text is ResendPolicy => resendPolicies.some((policy) => policy === text)

// SVC_RESEND overrides the profile, and is the only source for callers without one.
export function readResendPolicy(stored: ResendPolicy | undefined): ResendPolicy {
  const text = process.env['SVC_RESEND']
  if (!text) return stored ?? 'auto'
  if (isPolicy(text)) return text
  throw badSettings(`SVC_RESEND is "${text}"`, `Set it to ${resendPolicies.join(', ')}, or unset it`)
}
