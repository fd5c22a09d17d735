// What the service has in a rule and no request can carry: a file leaves it out, and a rule that is sent whole may lose it.
import {cleanText} from '../cli/output/clean.ts'
import {toConfiguration} from './rule-configuration.ts'

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

type Entry = readonly [path: string, value: unknown]

// Null is absent, and a currency is sent as its label, so whatever else the service says of it is no part of the rule.
function listExtraEntries(sent: Fields, said: Fields, path = ''): Entry[] {
  return Object.entries(said).flatMap(([field, value]): Entry[] => {
    const at = path ? `${path}.${field}` : field
    if (value === undefined || value === null) return []
    const counterpart = Object.hasOwn(sent, field) ? sent[field] : undefined
    if (isObject(value) && isObject(counterpart)) return listExtraEntries(counterpart, value, at)
    if (counterpart !== undefined) return []
    return isObject(value) && Object.keys(value).length === 0 ? [] : [[at, value]]
  })
}

// Every rule of the service has these, and keeps them whatever is sent (docs/assumptions.md, R15).
const replyFields = {id: true, createdAt: true}

const listUnsendableEntries = (rule: unknown): Entry[] =>
  isObject(rule) ? listExtraEntries({...toConfiguration(rule), ...replyFields}, rule) : []

export const listUnsendableFields = (rule: unknown): string[] => listUnsendableEntries(rule).map(([path]) => path)

// Equal content is equal text, in any order, and with or without the quotes that YAML leaves to the writer.
const toComparableText = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (JSON.isRawJSON(inner)) return inner.rawJSON
    if (isObject(inner)) return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    return Array.isArray(inner) ? inner : String(inner)
  })

// What a rule of a file says, and no request could, that the service does not have just so. Both are in the form of requests.
export function findUnsendableDifferences(existing: unknown, wanted: unknown): string[] {
  const has = new Map(listUnsendableEntries(existing))
  return listUnsendableEntries(wanted)
    .filter(([path, value]) => !has.has(path) || toComparableText(has.get(path)) !== toComparableText(value))
    .map(([path]) => path)
}

const why = 'A rule is sent whole, and the interface does not know how to send all that the service has in it'

// What someone should know before rules that have such fields are sent; nothing, where none has.
export function formatLossWarning(
  rules: ReadonlyArray<{loses: readonly string[]; name?: unknown}>,
): string | undefined {
  const byFields = Map.groupBy(
    rules.filter(({loses}) => loses.length > 0),
    ({loses}) => loses.map(cleanText).join(', '),
  )
  const parts = [...byFields].map(([fields, losers]) => {
    const names = losers.flatMap(({name}) => (name === undefined ? [] : JSON.stringify(name)))
    return names.length > 0 ? `${fields} (of ${names.join(', ')})` : fields
  })
  return parts.length > 0 ? `${why}. This may be lost: ${parts.join('; ')}.` : undefined
}
