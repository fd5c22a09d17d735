// What is known about a service where its interface is silent. `svc probe` finds it out, and the profile keeps it.
import type {ObservedService, SecondRequestOutcome} from '../contract/observed-service.ts'
import type {Shape} from '../contract/shape.ts'

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
