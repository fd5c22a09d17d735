// What people approve: one thing of some kind at one service, known by the digest of its meaning.
import {createHash} from 'node:crypto'

export const approvalKinds = ['payouts', 'payment', 'rules', 'schedules', 'settings'] as const
export type ApprovalKind = (typeof approvalKinds)[number]

export interface ApprovalSubject {
  kind: ApprovalKind
  // The service at which it takes effect: an approval for the sandbox counts nowhere else.
  serviceId: string
  // Equal for the same meaning, whatever the order of the rows and the spelling of the file.
  digest: string
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

// One text for equal values, whatever the order of their fields. Absent fields are left out.
export const toCanonicalText = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isFields(inner)
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
