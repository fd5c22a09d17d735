// Decisions of people as lines of the journal's history: who decided what about which payment, file or profile, and why.
import {randomUUID} from 'node:crypto'
import type {Operator} from '../../profiles/operator.ts'

export interface Decision {
  // What was decided, in a word: APPROVAL_USED, LIMITS_CHANGED.
  kind: string
  // `serviceId` and `key` of a payment, or anything else by its name: {profile}, {file}, {batch}. No personal data.
  about: Readonly<Record<string, string>>
  who: Operator
  why?: string | undefined
  // What else belongs to it and can be written as JSON, such as a digest and signatures. No personal data and no secret.
  data?: Readonly<Record<string, unknown>> | undefined
}

export const decided = 'DECISION'

interface DecisionLine {
  serviceId: string
  key: string
  entry: {what: string; detail: Readonly<Record<string, unknown>>}
}

// A decision about no payment has a line with neither a service nor a key. Its id tells whether it was written, if a database did
// not answer.
export function toDecisionLine({kind, about, who, why, data}: Decision): DecisionLine {
  const {serviceId = '', key = '', ...others} = about
  const {user, host, signer} = who
  const detail = {
    id: randomUUID(),
    kind,
    ...others,
    user,
    host,
    ...(signer !== undefined && {signer}),
    ...(why !== undefined && {why}),
    ...(data && {data}),
  }
  return {serviceId, key, entry: {what: decided, detail}}
}
