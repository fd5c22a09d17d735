// Where the journal keeps the policies: as decisions about neither a service nor a payment, apart from all others. In a database, only
// the owner of the journal may add versions, and everybody who works with it may add approvals.
import type {Operator} from '../values/operator.ts'

export const policySubject = {serviceId: '', key: 'policy'} as const
export const policyApprovalSubject = {serviceId: '', key: 'policy approval'} as const

// A decision of a person, as the journal has it.
export interface DecisionLine {
  at: number
  detail?: Readonly<Record<string, unknown>> | undefined
}

// The journal, as far as the controls read and write it.
export interface DecisionJournal {
  history(serviceId: string, key: string): Promise<readonly DecisionLine[]>
  listDecisions(): Promise<readonly DecisionLine[]>
  recordDecision(decision: {
    kind: string
    about: Readonly<Record<string, string>>
    who: Operator
    why?: string | undefined
    data: Readonly<Record<string, unknown>>
  }): Promise<void>
  // The role with which a database knows this process. Absent if the journal is a file.
  readRole?(): Promise<{name: string; isOwner: boolean}>
}

export interface PolicyEntries {
  versions: readonly DecisionLine[]
  approvals: readonly DecisionLine[]
}

export const noPolicyEntries: PolicyEntries = {versions: [], approvals: []}

export const readPolicyEntries = async (journal: Pick<DecisionJournal, 'history'>): Promise<PolicyEntries> => ({
  versions: await journal.history(policySubject.serviceId, policySubject.key),
  approvals: await journal.history(policyApprovalSubject.serviceId, policyApprovalSubject.key),
})
