// Something that people can approve, with what they have to see of it before they do.
import path from 'node:path'
import {SvcError, badUsage, getSystemCode} from '../errors.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'
import {capitalize, countNoun} from '../values/text.ts'
import {type ShownContent, type ShownField, type ShownList, describeField, describeList} from './fields.ts'
import type {ApprovalKind, ApprovalSubject} from './statement.ts'

// A fact that follows from what is approved and helps to judge it: a count, a sum, who is new.
export interface ApprovalFact {
  label: string
  lines: readonly string[]
  // What one line is about, for facts of which only the first lines are shown.
  noun?: string
}

export interface Approvable {
  subject: ApprovalSubject
  // What people call it: payroll.csv, or the id of a batch.
  name: string
  // The file that it was read from. Absent for a batch.
  file?: string | undefined
  facts: readonly ApprovalFact[]
  // What is signed: the digest of the subject is made from it.
  content: ShownContent
}

// How many lines of a fact are shown unless everything is asked for.
export const linesMax = 8

// How many payees there are, and how many of them are new.
export function describePayeeCount(count: number, countNew: number): string {
  if (countNew === 0) return `${count}; this journal has paid ${count === 1 ? 'it' : 'each of them'} before`
  if (count === countNew) return `${count}, new: this journal never paid ${count === 1 ? 'it' : 'any of them'}`
  return `${count}; ${countNew} of them new: this journal never paid them`
}

// The first of many lines, and how many more there are.
function limitFact({label, lines, noun}: ApprovalFact, isAll: boolean): ApprovalFact {
  const left = lines.length - linesMax
  if (isAll || noun === undefined || left <= 0) return {label, lines}
  return {
    label,
    lines: [...lines.slice(0, linesMax), `… and ${countNoun(left, `more ${noun}`)}; --all shows everything`],
  }
}

const toFact = (field: ShownField): ApprovalFact => ({label: field.label, lines: [describeField(field)]})

// One item is shown field by field, and several as a list.
function describeItems(list: ShownList | undefined, isAll: boolean): ApprovalFact[] {
  const [first, second] = list?.items ?? []
  if (!list || !first) return []
  if (!second) return first.fields.map(toFact)
  const {common, lines} = describeList(list, isAll)
  return [
    {label: `Every ${list.noun}`, lines: common},
    {label: capitalize(`${list.noun}s`), lines},
  ]
}

// The facts of the box that people see before they sign, in groups.
export function describeApprovable({facts, content}: Pick<Approvable, 'facts' | 'content'>, isAll: boolean) {
  const groups = [
    facts.map((fact) => limitFact(fact, isAll)),
    [...describeItems(content.list, isAll), ...content.fields.map(toFact)],
  ]
  return groups.map((group) => group.filter(({lines}) => lines.length > 0))
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
