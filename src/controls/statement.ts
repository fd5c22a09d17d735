// The text that a person signs to approve something, or to withdraw an approval. It is the same for svc and for people who read it.
import {createHash} from 'node:crypto'
import {toInstantMs, toIso} from '../values/time.ts'
import {isRecord} from '../values/records.ts'

// What people approve: one thing of some kind at one service, known by the digest of its meaning.
export const approvalKinds = ['payouts', 'payment', 'rules', 'policy'] as const
export type ApprovalKind = (typeof approvalKinds)[number]

export interface ApprovalSubject {
  kind: ApprovalKind
  // The service at which it takes effect: an approval for the sandbox counts nowhere else.
  serviceId: string
  // Equal for the same meaning, whatever the order of the rows and the spelling of the file.
  digest: string
}

// One text for equal values, whatever the order of their fields. Absent fields are left out.
export const toCanonicalText = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(
          Object.entries(inner)
            .filter(([, field]) => field !== undefined)
            .toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : inner,
  )

export const digestPart = (value: unknown): Buffer => createHash('sha256').update(toCanonicalText(value)).digest()

// The digest of a set of parts, in any order. A file of a million rows takes 32 bytes of memory for each.
export function digestParts(parts: readonly Buffer[]): string {
  const hash = createHash('sha256')
  for (const part of parts.toSorted((one, other) => one.compare(other))) hash.update(part)
  return hash.digest('hex')
}

export const approvalNamespace = 'svc-approval'

// How far in the future an approval may be given: clocks of machines differ a little.
export const givenAheadMaxMs = 5 * 60_000

export interface Statement extends ApprovalSubject {
  action: 'approval' | 'withdrawal'
  // The user and the machine where it was signed, as they say themselves.
  user: string
  givenAt: number
  // A withdrawal does not expire.
  expiresAt?: number | undefined
}

export function renderStatement(statement: Statement): string {
  const {action, serviceId, kind, digest, user, givenAt, expiresAt} = statement
  return [
    `svc ${action}, version 1`,
    `service: ${serviceId}`,
    `kind: ${kind}`,
    `digest: sha256:${digest}`,
    `user: ${user}`,
    `given: ${toIso(givenAt)}`,
    ...(expiresAt === undefined ? [] : [`expires: ${toIso(expiresAt)}`]),
    '',
  ].join('\n')
}

const pattern = new RegExp(
  String.raw`^svc (approval|withdrawal), version 1\nservice: (\S[^\n]*)\nkind: (${approvalKinds.join('|')})\ndigest: sha256:([0-9a-f]{64})\nuser: ([^\n]+)\ngiven: ([^\n]+)\n(?:expires: ([^\n]+)\n)?$`,
)

// Undefined for anything that svc would not have written itself, byte by byte.
export function parseStatement(text: string): Statement | undefined {
  const [, action, serviceId, kind, digest, user, given, expires] = pattern.exec(text) ?? []
  const [givenAt, expiresAt] = [toInstantMs(given), toInstantMs(expires)]
  if (givenAt === undefined || (action === 'approval') !== (expiresAt !== undefined)) return undefined
  const statement = {action, serviceId, kind, digest, user, givenAt, expiresAt} as Statement
  return renderStatement(statement) === text ? statement : undefined
}
