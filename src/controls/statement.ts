// The text that a person signs to approve something, or to withdraw an approval. It is the same for svc and for people who read it.
import {toInstantMs} from '../values/time.ts'
import {type ApprovalKind, type ApprovalSubject, approvalKinds} from './subject.ts'

export const approvalNamespace = 'svc-approval'

export interface Statement extends ApprovalSubject {
  action: 'approval' | 'withdrawal'
  // The user and the machine where it was signed, as they say themselves.
  user: string
  givenAt: number
  // A withdrawal does not expire.
  expiresAt?: number | undefined
}

const toTime = (ms: number) => new Date(ms).toISOString()

export function renderStatement(statement: Statement): string {
  const {action, serviceId, kind, digest, user, givenAt, expiresAt} = statement
  return [
    `svc ${action}, version 1`,
    `service: ${serviceId}`,
    `kind: ${kind}`,
    `digest: sha256:${digest}`,
    `user: ${user}`,
    `given: ${toTime(givenAt)}`,
    ...(expiresAt === undefined ? [] : [`expires: ${toTime(expiresAt)}`]),
    '',
  ].join('\n')
}

const pattern =
  /^svc (approval|withdrawal), version 1\nservice: (\S[^\n]*)\nkind: (\w+)\ndigest: sha256:([0-9a-f]{64})\nuser: ([^\n]+)\ngiven: ([^\n]+)\n(?:expires: ([^\n]+)\n)?$/

// Undefined for anything that svc would not have written itself, byte by byte.
export function parseStatement(text: string): Statement | undefined {
  const [, action = '', serviceId = '', kind = '', digest = '', user = '', given = '', expires] =
    pattern.exec(text) ?? []
  const givenAt = toInstantMs(given)
  const expiresAt = toInstantMs(expires)
  if (givenAt === undefined) return undefined
  if (!approvalKinds.includes(kind as ApprovalKind)) return undefined
  if ((action === 'approval') !== (expiresAt !== undefined)) return undefined
  const statement: Statement = {
    action: action as Statement['action'],
    serviceId,
    kind: kind as ApprovalKind,
    digest,
    user,
    givenAt,
    ...(expiresAt !== undefined && {expiresAt}),
  }
  return renderStatement(statement) === text ? statement : undefined
}
