// What is known about a service where its interface is silent. `svc probe` finds it out, and the profile keeps it.
import type {Shape} from '../contract/shape.ts'

// What became of a second request: the first reply came again, it was rejected, or it created a second transaction.
const secondRequestOutcomes = ['replayed', 'rejected', 'created'] as const
export type SecondRequestOutcome = (typeof secondRequestOutcomes)[number]

// A field that is absent is not known.
export interface ServiceKnowledge {
  // When the probe ended, in ISO format.
  probedAt: string
  // The identity of the service that was probed. Knowledge about another service is not used.
  serviceId?: string
  // The service that was probed, if a person stated that this one behaves in the same way.
  takenFrom?: string
  // The same idempotency key with the same body: twice at the same moment, and until shortly before the quote expired. Known
  // only if every try had a result; it is the worst of them.
  sameRequest?: SecondRequestOutcome
  // The same idempotency key with another body, tried at the same times.
  otherRequest?: SecondRequestOutcome
  // How long after its first use a key was last seen to be honoured, and after how long it was found to be forgotten.
  keyHeldMs?: number
  keyForgottenAfterMs?: number
  // A key whose first request was rejected: can it be used for another request?
  keyAfterRejection?: 'usable' | 'rejected'
  // The same quote under another key.
  usedQuote?: 'rejected' | 'created'
  expiredQuote?: 'rejected' | 'created'
  // How long it took until a new transaction was listed, at the longest.
  listLagMs?: number
  // The transaction was not listed after this long, when the probe stopped looking.
  listLagOverMs?: number
  listOrder?: 'newest-first' | 'oldest-first' | 'other'
  // How far the Date header of replies was ahead of this machine.
  dateAheadMs?: number
  isDateAbsent?: boolean
  // How long a page token was seen to work, at the least, and after how long it was rejected.
  pageTokenLifeMs?: number
  pageTokenDiedAfterMs?: number
  // Whether rejections have the documented body, and the size of the largest.
  errorShape?: 'documented' | 'other'
  errorBytesMax?: number
}

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
