// Lists approvals as they are shown to a person who approves, or asks who has.
import {type ApprovalCheck, describeNotCounted} from './check-approvals.ts'

export interface ShownApproval {
  // Empty if no good signature says who it was.
  signer: string
  givenAt?: string | undefined
  expiresAt?: string | undefined
  // The user and the machine, as they said themselves.
  user?: string | undefined
  counts: boolean
  reason?: string | undefined
}

const toTime = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

export const listShownApprovals = ({approvals}: ApprovalCheck): ShownApproval[] =>
  approvals.map(({id, person, statement, notCounted}) => ({
    signer: person ?? `unknown (${id})`,
    ...(statement && {
      givenAt: toTime(statement.givenAt),
      expiresAt: toTime(statement.expiresAt),
      user: statement.user,
    }),
    counts: notCounted === undefined,
    ...(notCounted !== undefined && {reason: describeNotCounted(notCounted)}),
  }))
