// Compares what people are about to approve with the last one of its kind that was approved here, field by field.
import {lowerFirst} from '../values/text.ts'
import {type ShownItem, type ShownList, listCommonFields} from './fields.ts'

// What is remembered of an item: the text of each field by its label. It holds ids and amounts, and no names of people.
export interface Snapshot {
  fields: Readonly<Record<string, string>>
  items?: readonly Snapshot[]
}

export const takeSnapshot = ({fields, list}: ShownItem): Snapshot => ({
  fields: Object.fromEntries(fields.map(({label, text}) => [label, text])),
  ...(list && {items: list.items.map(takeSnapshot)}),
})

export const countItems = ({list}: ShownItem): number =>
  (list?.items ?? []).reduce((count, item) => count + 1 + countItems(item), 0)

export interface Changes {
  // What differs in an item that both have, and what the item is called.
  changed: Array<{name: string; what: string}>
  // Items that differ in their first field alone: what it is, and how it differs.
  renamed: Array<{label: string; what: string}>
  added: string[]
  removed: string[]
}

const none = 'none'

const getName = ({fields}: Snapshot) => Object.values(fields)[0] ?? ''

// Without the names of accounts, which stand beside the rows.
function describeSnapshot(snapshot: Snapshot, omitted: ReadonlySet<string>): string {
  const [, ...others] = Object.entries(snapshot.fields).filter(([label]) => !omitted.has(label))
  return `${getName(snapshot)}: ${others.map(([label, text]) => `${lowerFirst(label)} ${text}`).join('; ')}`
}

interface FieldChange {
  label: string
  // Such as: 10% → 90%
  text: string
}

function compareFields(before: Snapshot, after: Snapshot): FieldChange[] {
  const labels = new Set([...Object.keys(before.fields), ...Object.keys(after.fields)])
  return [...labels]
    .filter((label) => before.fields[label] !== after.fields[label])
    .map((label) => ({
      label: lowerFirst(label),
      text: `${before.fields[label] ?? none} → ${after.fields[label] ?? none}`,
    }))
}

const describeDifferences = (differences: readonly FieldChange[]) =>
  differences.map(({label, text}) => `${label} ${text}`).join('; ')

interface Candidate {
  item: ShownItem
  snapshot: Snapshot
}

interface Pair extends Candidate {
  before: Snapshot
}

// Undefined if one of the fields is absent, which says nothing about which item it is.
function toMatchKey({fields}: Snapshot, labels: readonly string[]): string | undefined {
  const texts = labels.map((label) => fields[label])
  return texts.includes(undefined) ? undefined : JSON.stringify(texts)
}

// Each item of before is the earlier form of one item at most.
function pairItems(befores: readonly Snapshot[], {items, matchBy}: ShownList) {
  const pairs: Pair[] = []
  let candidates: Candidate[] = items.map((item) => ({item, snapshot: takeSnapshot(item)}))
  const left = new Set(befores)
  const match = (toKey: (snapshot: Snapshot) => string | undefined) => {
    const byKey = Map.groupBy(left, toKey)
    candidates = candidates.filter((candidate) => {
      const key = toKey(candidate.snapshot)
      const before = key === undefined ? undefined : byKey.get(key)?.shift()
      if (!before) return true
      left.delete(before)
      pairs.push({...candidate, before})
      return false
    })
  }
  match((snapshot) => JSON.stringify(snapshot))
  for (const labels of matchBy) match((snapshot) => toMatchKey(snapshot, labels))
  return {pairs, added: candidates, removed: [...left]}
}

const joinNames = (...names: readonly string[]) => names.filter((name) => name !== '').join('/')

function comparePair({before, item, snapshot}: Pair, parent: string, changes: Changes): void {
  const differences = compareFields(before, snapshot)
  const name = joinNames(parent, getName(snapshot))
  const [first = ''] = Object.keys(snapshot.fields)
  const [only, second] = differences
  if (only && !second && only.label === lowerFirst(first)) {
    changes.renamed.push({label: only.label, what: joinNames(parent, only.text)})
  } else if (only) changes.changed.push({name, what: describeDifferences(differences)})
  if (item.list) compareLists(before.items ?? [], item.list, name, changes)
}

function compareLists(befores: readonly Snapshot[], list: ShownList, parent: string, changes: Changes): void {
  const {pairs, added, removed} = pairItems(befores, list)
  for (const pair of pairs) comparePair(pair, parent, changes)
  const common = new Set(listCommonFields(list).map(({label}) => label))
  changes.added.push(...added.map(({snapshot}) => joinNames(parent, describeSnapshot(snapshot, common))))
  changes.removed.push(...removed.map((before) => joinNames(parent, describeSnapshot(before, new Set()))))
}

export function compareContent(before: Snapshot, content: ShownItem): Changes {
  const changes: Changes = {changed: [], renamed: [], added: [], removed: []}
  for (const difference of compareFields(before, takeSnapshot({fields: content.fields}))) {
    changes.changed.push({name: '', what: describeDifferences([difference])})
  }
  compareLists(before.items ?? [], content.list ?? {noun: '', items: [], matchBy: []}, '', changes)
  return changes
}
