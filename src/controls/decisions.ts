// Decisions of people as the journal records them, and where those about policies are.
import type {Operator} from './operator.ts'

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

export interface RecordedDecision {
  at: number
  detail?: Readonly<Record<string, unknown>> | undefined
}

// How a database knows this process.
export interface JournalRole {
  name: string
  // Whether it owns the journal, and so could change everything in it.
  isOwner: boolean
}

// The journal, as far as the controls read and write it.
export interface DecisionJournal {
  history(serviceId: string, key: string): Promise<readonly RecordedDecision[]>
  // All decisions, oldest first: those about a payment, and those about anything else.
  listDecisions(): Promise<readonly RecordedDecision[]>
  // It is durable when this resolves.
  recordDecision(decision: Decision): Promise<void>
  // The role with which a database knows this process. Absent if the journal is a file.
  readRole?(): Promise<JournalRole>
}

// Decisions about policies are about neither a service nor a payment, and apart from all others. In a database, only the owner of the
// journal may add versions, and everybody who works with it may add approvals.
export const policySubject = {serviceId: '', key: 'policy'} as const
export const policyApprovalSubject = {serviceId: '', key: 'policy approval'} as const

export interface PolicyEntries {
  versions: readonly RecordedDecision[]
  approvals: readonly RecordedDecision[]
}

export const noPolicyEntries: PolicyEntries = {versions: [], approvals: []}

export const readPolicyEntries = async (journal: Pick<DecisionJournal, 'history'>): Promise<PolicyEntries> => ({
  versions: await journal.history(policySubject.serviceId, policySubject.key),
  approvals: await journal.history(policyApprovalSubject.serviceId, policyApprovalSubject.key),
})
