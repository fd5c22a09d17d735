// What people approve, as lists of fields. The digest that they sign and the box that they read are made from these lists, so that
// nothing is signed which is not shown.
import {countNoun, escapeUnits, lowerFirst} from '../values/text.ts'
import {digestPart, digestParts, toCanonicalText} from './statement.ts'

export interface ShownField {
  // Signed with the value, so other words make another digest.
  readonly label: string
  // Equal for the same meaning, whatever its spelling.
  readonly value: unknown
  // Made from the value alone, and another one for another value.
  readonly text: string
  // What was looked up for people, such as the name and the bank of an account. It is not signed.
  readonly about?: string | undefined
  // The same, where it is said after the text, such as the next slots of a cron expression.
  readonly remark?: string | undefined
}

// A row, a payment or a rule. Its first field is what people call it.
export interface ShownItem {
  readonly fields: readonly ShownField[]
}

export interface ShownList {
  // What one of them is called.
  readonly noun: string
  readonly items: readonly ShownItem[]
}

// Everything that is approved together.
export interface ShownContent extends ShownItem {
  readonly list?: ShownList | undefined
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

type Showing<T> = (value: T) => string

const showAny = (value: unknown) =>
  typeof value === 'string' ? showText(value) : escapeInvisible(toCanonicalText(value))

// The text is only made if somebody reads it: a file may have a million rows.
class Field<T> implements ShownField {
  readonly label: string
  readonly value: T
  readonly show: Showing<T>
  readonly about: string | undefined
  readonly remark: string | undefined

  constructor(label: string, value: T, show: Showing<T>, {about, remark}: FieldWords) {
    this.label = label
    this.value = value
    this.show = show
    this.about = about
    this.remark = remark
  }

  get text(): string {
    return this.show(this.value)
  }
}

type FieldWords = Pick<ShownField, 'about' | 'remark'>

const noWords: FieldWords = {}

// Undefined if there is no value.
export const createField = <T>(
  label: string,
  value: T | undefined,
  show: Showing<T> = showAny,
  words = noWords,
): ShownField | undefined => (value === undefined ? undefined : new Field(label, value, show, words))

// For what is only said if it is so.
export const createMark = (label: string, isSet: boolean): ShownField | undefined =>
  createField(label, isSet ? true : undefined, () => 'yes')

export const listFields = (fields: ReadonlyArray<ShownField | undefined>): ShownField[] =>
  fields.filter((field) => field !== undefined)

export const digestItem = ({fields}: ShownItem): Buffer => digestPart([fields.map(({label, value}) => [label, value])])

// The digests of which that of everything is made.
const listParts = ({fields, list}: ShownContent): Buffer[] => [
  ...(list?.items.map(digestItem) ?? []),
  ...(fields.length > 0 ? [digestItem({fields})] : []),
]

// Of everything together, in any order of the items.
export const digestContent = (content: ShownContent): string => digestParts(listParts(content))

// The same in words.

// Names come from the service. None of them can begin another field or another line.
const describeAbout = (about: string) => about.replaceAll(/[;·]/g, ',')

export const describeField = ({text, about = '', remark = ''}: Pick<ShownField, 'text' | 'about' | 'remark'>): string =>
  [describeAbout(about), text, remark].filter((part) => part !== '').join(', ')

const describeNamedField = (field: ShownField) => `${lowerFirst(field.label)} ${describeField(field)}`

// Such as: may-1: amount 25.00 USDC; to Zoë Ångström, Example Bank ****2169, e6086267
function describeItem({fields}: ShownItem, omitted: ReadonlySet<string>): string {
  const [name, ...others] = fields
  const rest = others.filter(({label}) => !omitted.has(label)).map(describeNamedField)
  return [name?.text ?? '', rest.join('; ')].filter((part) => part !== '').join(': ')
}

// The fields that are the same in every item of several, so that they are said once.
function listCommonFields({items}: ShownList): ShownField[] {
  const [first, ...others] = items
  if (!first || others.length === 0) return []
  let common = first.fields.slice(1)
  for (const {fields} of others) {
    const texts = new Map(fields.map((field) => [field.label, describeField(field)]))
    common = common.filter((field) => texts.get(field.label) === describeField(field))
    if (common.length === 0) break
  }
  return common
}

// Of a longer list only the first are shown, unless everything is asked for.
export const shownMax = 20

// Each line of a list begins with a mark that no name and no value has, so that none of them can pass for a line of its own.
const itemMark = '· '

// What is the same in every item, and one paragraph for each item with the rest.
export function describeList(list: ShownList, isAll: boolean): {common: string[]; lines: string[]} {
  const common = listCommonFields(list)
  const omitted = new Set(common.map(({label}) => label))
  const shown = isAll ? list.items : list.items.slice(0, shownMax)
  const left = list.items.length - shown.length
  return {
    common: common.map((field) => `${itemMark}${describeNamedField(field)}`),
    lines: [
      ...shown.map((item) => `${itemMark}${describeItem(item, omitted)}`),
      ...(left > 0 ? [`… and ${countNoun(left, `more ${list.noun}`)}; --all shows everything`] : []),
    ],
  }
}
