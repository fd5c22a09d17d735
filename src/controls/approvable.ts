// Something that people can approve, with what they have to see of it before they do.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {SvcError, badUsage, getSystemCode} from '../errors.ts'
import {getStateFolder} from '../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../storage/private-file.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'
import {capitalize, countNoun, lowerFirst} from '../values/text.ts'
import {type Changes, type Snapshot, compareContent, countItems, takeSnapshot} from './changes.ts'
import {
  type ShownField,
  type ShownItem,
  type ShownList,
  countValues,
  describeField,
  describeList,
  mergeHidden,
} from './fields.ts'
import type {ApprovalKind, ApprovalSubject} from './statement.ts'

// A fact that follows from what is approved and helps to judge it: a count, a sum, who is new.
export interface ApprovalFact {
  label: string
  lines: readonly string[]
  // What one line is about, for facts of which only the first lines are shown.
  noun?: string
  // Its text in the list of changes. Absent if it is not compared.
  compared?: string
}

export interface Approvable {
  subject: ApprovalSubject
  // What people call it: payroll.csv, or the id of a batch.
  name: string
  // The file that it was read from. Absent for a batch.
  file?: string | undefined
  facts: readonly ApprovalFact[]
  // What is signed: the digest of the subject is made from it.
  content: ShownItem
}

// How many lines of a fact are shown unless everything is asked for.
export const linesMax = 8

// How many payees there are, and how many of them are new.
export function describePayeeCount(count: number, countNew: number): string {
  if (countNew === 0) return `${count}; this journal has paid ${count === 1 ? 'it' : 'each of them'} before`
  if (count === countNew) return `${count}, new: this journal never paid ${count === 1 ? 'it' : 'any of them'}`
  return `${count}; ${countNew} of them new: this journal never paid them`
}

type Hidden = ReadonlyMap<string, number>

interface LimitedFact {
  fact: ApprovalFact
  hidden: Hidden
}

const isHiddenEmpty = ({size}: Hidden) => size === 0

// The first of many lines, and how many more there are.
function limitFact(fact: ApprovalFact, isAll: boolean): LimitedFact {
  const {lines, noun} = fact
  const more = lines.length - linesMax
  if (isAll || noun === undefined || more <= 0) return {fact, hidden: new Map()}
  const shown = [...lines.slice(0, linesMax), `… and ${more} more`]
  return {fact: {...fact, lines: shown}, hidden: new Map([[noun, more]])}
}

interface DescribedContent {
  facts: ApprovalFact[]
  hidden: Hidden
}

const toFact = (field: ShownField): ApprovalFact => ({label: field.label, lines: [describeField(field)]})

// One item is shown field by field, and several as a list.
function describeItems(list: ShownList | undefined, isAll: boolean): DescribedContent {
  const [first, second] = list?.items ?? []
  if (!list || !first) return {facts: [], hidden: new Map()}
  if (!second) {
    const parts = describeItems(first.list, isAll)
    return {facts: [...first.fields.map(toFact), ...parts.facts], hidden: parts.hidden}
  }
  const {common, lines, hidden} = describeList(list, isAll)
  const isCut = hidden.has(list.noun)
  const label = isCut && first.size ? 'Largest' : `${isCut ? 'First ' : ''}${list.noun}s`
  return {
    facts: [
      {label: `Every ${list.noun}`, lines: common},
      {label: 'Differing', lines: isCut ? countValues(list) : []},
      {label: capitalize(label), lines},
    ],
    hidden,
  }
}

function describeContent({fields, list}: ShownItem, isAll: boolean): DescribedContent {
  const {facts, hidden} = describeItems(list, isAll)
  return {facts: [...facts, ...fields.map(toFact)], hidden}
}

const namesMax = 5

interface ChangeLine {
  text: string
  // How many names it leaves out.
  hidden: number
}

// The first of many names in one line, and how many more there are.
function joinFirst(what: string, names: readonly string[], isAll: boolean): ChangeLine {
  const shown = isAll ? names : names.slice(0, namesMax)
  const hidden = names.length - shown.length
  return {text: `${what}, in ${names.length}: ${shown.join(', ')}${hidden > 0 ? ` and ${hidden} more` : ''}`, hidden}
}

// Items that changed in the same way are said in one line.
const groupChanges = (changed: Changes['changed'], isAll: boolean): ChangeLine[] =>
  [...Map.groupBy(changed, ({what}) => what)].map(([what, own]) => {
    const names = own.map(({name}) => name).filter((name) => name !== '')
    return names.length > 1 ? joinFirst(what, names, isAll) : {text: [...names, what].join(': '), hidden: 0}
  })

const groupRenamed = (renamed: Changes['renamed'], isAll: boolean): ChangeLine[] =>
  [...Map.groupBy(renamed, ({label}) => label)].map(([label, own]) => {
    const names = own.map(({what}) => what)
    return names.length > 1
      ? joinFirst(`only the ${label}`, names, isAll)
      : {text: `only the ${label} ${names.join('')}`, hidden: 0}
  })

const compareFacts = (before: Remembered['facts'], facts: readonly ApprovalFact[]): string[] =>
  facts.flatMap(({label, compared}) => {
    const earlier = before?.[label]
    if (compared === undefined || earlier === undefined || earlier === compared) return []
    return [`${lowerFirst(label)} ${earlier} → ${compared}`]
  })

const countChanges = ({changed, renamed, added, removed}: Changes): string =>
  [
    [changed.length, 'changed'],
    [added.length, 'new'],
    [removed.length, 'gone'],
    ...[...Map.groupBy(renamed, ({label}) => label)].map(([label, own]) => [own.length, `only in the ${label}`]),
  ]
    .flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`]))
    .join(', ')

// What differs from the last one of the same kind that was approved here.
function describeChanges(
  last: Remembered | undefined,
  {facts, content}: Pick<Approvable, 'facts' | 'content'>,
  isAll: boolean,
): LimitedFact {
  const say = (...lines: string[]): LimitedFact => ({fact: {label: 'Changes', lines}, hidden: new Map()})
  if (!last) return say('nothing of this kind was approved here before')
  const since = `since ${last.name}, approved here ${last.at.slice(0, 'YYYY-MM-DD'.length)}`
  if (!last.content || countItems(content) > itemsMax) {
    return say(`not compared ${since}: one of the two has more than ${itemsMax} rows`)
  }
  const changes = compareContent(last.content, content)
  const {changed, renamed, added, removed} = changes
  const mark = (word: string) => (line: ChangeLine) => ({...line, text: `${word}: ${line.text}`})
  const toLine = (text: string): ChangeLine => ({text, hidden: 0})
  const all = [
    ...groupChanges(changed, isAll).map(mark('changed')),
    ...added.map(toLine).map(mark('new')),
    ...removed.map(toLine).map(mark('gone')),
    ...groupRenamed(renamed, isAll).map(mark('changed')),
  ]
  if (all.length === 0) return say(`none ${since}`)
  const {fact, hidden} = limitFact({label: 'Changes', lines: all.map(({text}) => text), noun: 'change'}, isAll)
  const head = [`${since}: ${countChanges(changes)}`, ...compareFacts(last.facts, facts)]
  const names = all.slice(0, linesMax).reduce((sum, line) => sum + line.hidden, 0)
  return {
    fact: {...fact, lines: [...head, ...fact.lines]},
    hidden: mergeHidden([hidden, ...(names > 0 ? [new Map([['change', names]])] : [])]),
  }
}

const describeHidden = (hidden: Hidden): ApprovalFact => ({
  label: 'Not shown',
  lines: isHiddenEmpty(hidden)
    ? []
    : [`${[...hidden].map(([noun, count]) => countNoun(count, noun)).join(', ')}; --all shows everything`],
})

// The facts of the box that people see before they sign, in groups.
export function describeApprovable(
  approvable: Approvable,
  last: Remembered | undefined,
  isAll: boolean,
): ApprovalFact[][] {
  const facts = approvable.facts.map((fact) => limitFact(fact, isAll))
  const content = describeContent(approvable.content, isAll)
  const changes = describeChanges(last, approvable, isAll)
  const hidden = mergeHidden([content.hidden, ...facts.map((each) => each.hidden), changes.hidden])
  return [facts.map(({fact}) => fact), content.facts, [changes.fact], [describeHidden(hidden)]].map((group) =>
    group.filter(({lines}) => lines.length > 0),
  )
}

// Remembers what a person approved last of each kind, so that the next one can be compared with it. It holds ids and amounts.
interface Remembered {
  name: string
  at: string
  // By label, of the facts that are compared.
  facts?: Readonly<Record<string, string>>
  // Absent if it had too many items.
  content?: Snapshot
}

// Larger ones are not remembered.
const itemsMax = 20_000

const getFile = ({serviceId, kind}: ApprovalSubject) => {
  const service = createHash('sha256').update(serviceId).digest('hex').slice(0, 16)
  return path.join(getStateFolder(), 'approved', `${kind}-${service}.json`)
}

export function readLastApproved(subject: ApprovalSubject): Remembered | undefined {
  try {
    return JSON.parse(readRegularFile(getFile(subject)).toString()) as Remembered
  } catch {
    return undefined
  }
}

export function saveSnapshot({subject, name, facts, content}: Approvable, at: string): void {
  const file = getFile(subject)
  const remembered: Remembered = {
    name,
    at,
    facts: Object.fromEntries(
      facts.flatMap(({label, compared}) => (compared === undefined ? [] : [[label, compared]])),
    ),
    ...(countItems(content) <= itemsMax && {content: takeSnapshot(content)}),
  }
  makePrivateFolder(getStateFolder())
  fs.mkdirSync(path.dirname(file), {recursive: true, mode: 0o700})
  replacePrivateFile(file, JSON.stringify(remembered))
}

// Guesses what a file is from its ending and its first words. A wrong guess is rejected when the file is read.
export type FileKind = ApprovalKind

const structuredEndings = new Set(['.json', '.yaml', '.yml'])

// The first kind whose words occur.
const words: ReadonlyArray<readonly [kind: FileKind, pattern: RegExp]> = [
  ['rules', /\btransactionTemplate\b|^\s*"?(rules|automationRules)"?\s*:/m],
  ['policy', /^[\s{-]*"?(approvers|policy)"?\s*:/m],
  ['payment', /\bsourcePaymentAccountId\b|\bsourceAmount\b/],
]

export function detectKind(file: string): FileKind {
  let text: string
  try {
    text = readRegularFile(file).toString()
  } catch (cause) {
    if (cause instanceof SvcError) throw cause
    throw badUsage(`The file ${file} cannot be read (${getSystemCode(cause) ?? 'unknown'})`, 'Check the path', cause)
  }
  if (!structuredEndings.has(path.extname(file).toLowerCase())) return 'payouts'
  return words.find(([, pattern]) => pattern.test(text))?.[0] ?? 'payouts'
}
