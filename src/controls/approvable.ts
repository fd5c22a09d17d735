// What people approve, as lists of fields. The digest that they sign and the box that they read are made from these lists, so that
// nothing is signed which is not shown.
import path from 'node:path'
import {fiatMethods} from '../contract/vocabulary.ts'
import {readNamedFile} from '../storage/read-regular-file.ts'
import {capitalize, countNoun, escapeUnits, lowerFirst} from '../values/text.ts'
import {type ApprovalKind, type ApprovalSubject, digestPart, digestParts, toCanonicalText} from './statement.ts'

export interface ShownField {
  // Signed with the value, so other words make another digest.
  readonly label: string
  // Equal for the same meaning, whatever its spelling.
  readonly value: unknown
  // Made from the value alone, and another one for another value.
  readonly text: string
  // What was looked up for people, such as the name and the bank of an account. It is not signed.
  readonly about?: string | undefined
}

// A row, a payment or a rule. Its first field is what people call it.
export interface ShownItem {
  readonly fields: readonly ShownField[]
}

// Everything that is approved together.
export interface ShownContent extends ShownItem {
  // `noun` is what one of the items is called.
  readonly list?: {readonly noun: string; readonly items: readonly ShownItem[]} | undefined
}

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

// A word that can stand beside others without quotes.
const plainWord = /^[\w.:@/+{}#=-]+$/
// Whatever a terminal does not show, or shows like something else, is written as an escape.
// So is the mark with which only lines of svc begin.
const invisible = /[·\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}|(?<= ) /gu

const escapeInvisible = (json: string) => json.replaceAll(invisible, escapeUnits)

export const showText = (text: string): string => (plainWord.test(text) ? text : escapeInvisible(JSON.stringify(text)))

// An amount as normalizeAmount writes it, with at least two decimals: 25.00
export function showAmount(amount: string): string {
  if (!/^\d+(\.\d+)?$/.test(amount)) return showText(amount)
  const [whole = '', fraction = ''] = amount.split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}

// Such as: by ACH, or on BASE.
export const showMethod = (method: string): string =>
  `${fiatMethods.some((fiat) => fiat === method) ? 'by' : 'on'} ${showText(method)}`

const showAny = (value: unknown) =>
  typeof value === 'string' ? showText(value) : escapeInvisible(toCanonicalText(value))

// The text is only made if somebody reads it: a file may have a million rows.
export const createField = <T>(
  label: string,
  value: T | undefined,
  show: (value: T) => string = showAny,
  about?: string,
): ShownField => ({
  label,
  value,
  get text() {
    return value === undefined ? '' : show(value)
  },
  about,
})

// Without those that have no value.
export const listFields = (fields: readonly ShownField[]): ShownField[] =>
  fields.filter(({value}) => value !== undefined)

export const digestItem = ({fields}: ShownItem): Buffer => digestPart([fields.map(({label, value}) => [label, value])])

// Of everything together, in any order of the items.
export const digestContent = ({fields, list}: ShownContent): string =>
  digestParts([...(list?.items ?? []), ...(fields.length > 0 ? [{fields}] : [])].map(digestItem))

// Names come from the service. None of them can begin another field or another line.
export const describeField = ({text, about = ''}: Pick<ShownField, 'text' | 'about'>): string =>
  [about.replaceAll(/[;·]/g, ','), text].filter((part) => part !== '').join(', ')

// Each line of a list begins with a mark that no name and no value has, so that none of them can pass for a line of its own.
const itemMark = '· '

const describeNamedField = (field: ShownField) => `${lowerFirst(field.label)} ${describeField(field)}`

// Such as: may-1: amount 25.00 USDC; to Zoë Ångström, Example Bank ****2169, e6086267
function describeItem({fields}: ShownItem, omitted: ReadonlySet<string>): string {
  const [name, ...others] = fields
  const rest = others.filter(({label}) => !omitted.has(label)).map(describeNamedField)
  return `${itemMark}${[name?.text ?? '', rest.join('; ')].filter((part) => part !== '').join(': ')}`
}

// The fields that are the same in every item of several, so that they are said once.
function listCommonFields([first, ...others]: readonly ShownItem[]): ShownField[] {
  let common = first?.fields.slice(1) ?? []
  for (const {fields} of others) {
    const texts = new Map(fields.map((field) => [field.label, describeField(field)]))
    common = common.filter((field) => texts.get(field.label) === describeField(field))
    if (common.length === 0) break
  }
  return common
}

// Of longer lists only the first are shown, unless everything is asked for.
export const itemsShownMax = 20
export const linesShownMax = 8

const describeRest = (left: number, noun: string) =>
  left > 0 ? [`… and ${countNoun(left, `more ${noun}`)}; --all shows everything`] : []

const toFact = (field: ShownField): ApprovalFact => ({label: field.label, lines: [describeField(field)]})

// One item is shown field by field. Several are a list: what is the same in every one, and a paragraph for each with the rest.
function describeItems({items, noun}: NonNullable<ShownContent['list']>, isAll: boolean): ApprovalFact[] {
  if (items.length <= 1) return items.flatMap(({fields}) => fields.map(toFact))
  const common = listCommonFields(items)
  const omitted = new Set(common.map(({label}) => label))
  const shown = isAll ? items : items.slice(0, itemsShownMax)
  return [
    {label: `Every ${noun}`, lines: common.map((field) => `${itemMark}${describeNamedField(field)}`)},
    {
      label: capitalize(`${noun}s`),
      lines: [...shown.map((item) => describeItem(item, omitted)), ...describeRest(items.length - shown.length, noun)],
    },
  ]
}

function limitFact({label, lines, noun}: ApprovalFact, isAll: boolean): ApprovalFact {
  if (isAll || noun === undefined) return {label, lines}
  return {label, lines: [...lines.slice(0, linesShownMax), ...describeRest(lines.length - linesShownMax, noun)]}
}

// The facts of the box that people see before they sign, in groups.
export function describeApprovable({facts, content}: Pick<Approvable, 'facts' | 'content'>, isAll: boolean) {
  const groups = [
    facts.map((fact) => limitFact(fact, isAll)),
    [...(content.list ? describeItems(content.list, isAll) : []), ...content.fields.map(toFact)],
  ]
  return groups.map((group) => group.filter(({lines}) => lines.length > 0))
}

// The first kind whose words occur.
const kindWords: ReadonlyArray<readonly [kind: ApprovalKind, pattern: RegExp]> = [
  ['rules', /\btransactionTemplate\b|^\s*"?(rules|automationRules)"?\s*:/m],
  ['policy', /^[\s{-]*"?(approvers|policy)"?\s*:/m],
  ['payment', /\bsourcePaymentAccountId\b|\bsourceAmount\b/],
]

// Guesses what a file is from its ending and its first words. A wrong guess is rejected when the file is read.
export function detectKind(file: string): ApprovalKind {
  const text = readNamedFile(file).toString()
  if (!['.json', '.yaml', '.yml'].includes(path.extname(file).toLowerCase())) return 'payouts'
  return kindWords.find(([, pattern]) => pattern.test(text))?.[0] ?? 'payouts'
}
