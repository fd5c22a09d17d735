// Fields of a rule that requests cannot carry: an export leaves them out, and an update may lose them.
import {cleanText} from '../cli/output/clean.ts'
import {toConfiguration} from './rule-configuration.ts'
import {isRecord} from '../values/records.ts'

type Fields = Readonly<Record<string, unknown>>

type Entry = readonly [path: string, value: unknown]

// Null counts as absent. A currency is sent as its label, so its other fields are not part of the rule.
function listExtraEntries(sent: Fields, whole: Fields, path = ''): Entry[] {
  return Object.entries(whole).flatMap(([field, value]): Entry[] => {
    const fieldPath = path ? `${path}.${field}` : field
    if (value === undefined || value === null) return []
    const counterpart = Object.hasOwn(sent, field) ? sent[field] : undefined
    if (isRecord(value) && isRecord(counterpart)) return listExtraEntries(counterpart, value, fieldPath)
    if (counterpart !== undefined) return []
    return isRecord(value) && Object.keys(value).length === 0 ? [] : [[fieldPath, value]]
  })
}

// The service sets these itself and keeps them (docs/assumptions.md, R15).
const replyFields = {id: true, createdAt: true}

const listUnsendableEntries = (rule: unknown): Entry[] =>
  isRecord(rule) ? listExtraEntries({...toConfiguration(rule), ...replyFields}, rule) : []

export const listUnsendableFields = (rule: unknown): string[] => listUnsendableEntries(rule).map(([path]) => path)

// Equal values give equal text, whatever the order of their fields, and whether or not YAML quotes them.
const toComparableText = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (JSON.isRawJSON(inner)) return inner.rawJSON
    if (isRecord(inner)) return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    return Array.isArray(inner) ? inner : String(inner)
  })

// Lists the unsendable fields of `wanted` that differ in `existing`. Both are in the form of requests.
export function findUnsendableDifferences(existing: unknown, wanted: unknown): string[] {
  const existingValues = new Map(listUnsendableEntries(existing))
  return listUnsendableEntries(wanted)
    .filter(
      ([path, value]) =>
        !existingValues.has(path) || toComparableText(existingValues.get(path)) !== toComparableText(value),
    )
    .map(([path]) => path)
}

const lossReason = 'Requests carry the whole rule, but not all fields that the service has in it'

// Undefined if no rule loses a field.
export function formatLossWarning(
  rules: ReadonlyArray<{loses: readonly string[]; name?: unknown}>,
): string | undefined {
  const byFields = Map.groupBy(
    rules.filter(({loses}) => loses.length > 0),
    ({loses}) => loses.map(cleanText).join(', '),
  )
  const parts = [...byFields].map(([fields, affected]) => {
    const names = affected.flatMap(({name}) => (name === undefined ? [] : JSON.stringify(name)))
    return names.length > 0 ? `${fields} (of ${names.join(', ')})` : fields
  })
  return parts.length > 0 ? `${lossReason}. These may be lost: ${parts.join('; ')}.` : undefined
}
