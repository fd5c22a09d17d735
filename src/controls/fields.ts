// What people approve, as lists of fields. The digest that they sign, the box that they read and the list of changes are made from
// these lists, so that nothing is signed which is not shown.
import {parseDecimal} from '../values/money.ts'
import {escapeUnits, lowerFirst} from '../values/text.ts'
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
  // What it consists of, such as the rows of a file.
  readonly list?: ShownList | undefined
  // Decides which of many are shown first. Amounts of different currencies are never compared.
  readonly size?: {currency: string; amount: string} | undefined
}

export interface ShownList {
  // What one of them is called.
  readonly noun: string
  readonly items: readonly ShownItem[]
  // By which labels an item is found in the list that was approved last, the best first. An empty one finds any.
  readonly matchBy: ReadonlyArray<readonly string[]>
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

export const digestItem = ({fields, list}: ShownItem): Buffer =>
  digestPart([
    fields.map(({label, value}) => [label, value]),
    ...(list ? [digestParts(list.items.map(digestItem))] : []),
  ])

// The digests of which that of everything is made.
const listParts = ({fields, list}: ShownItem): Buffer[] => [
  ...(list?.items.map(digestItem) ?? []),
  ...(fields.length > 0 ? [digestItem({fields})] : []),
]

// Of everything together, in any order of the items.
export const digestContent = (content: ShownItem): string => digestParts(listParts(content))

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
export function listCommonFields({items}: Pick<ShownList, 'items'>): ShownField[] {
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

const valuesMax = 4
const absentText = 'none'

// By the text of a value: how often it occurs, and the name of the first item that has it.
type ValueCounts = Map<string, {count: number; name: string}>

const valuesCountedMax = 1000

function addValue(counts: ValueCounts, text: string, name: string): void {
  const known = counts.get(text)
  if (known) known.count += 1
  else if (counts.size <= valuesCountedMax) counts.set(text, {count: 1, name})
}

function describeCounts(counts: ValueCounts): string {
  if (counts.size > valuesCountedMax) return `more than ${valuesCountedMax} different`
  if (counts.size > valuesMax) return `${counts.size} different`
  return [...counts].map(([text, {count, name}]) => `${text} (${count === 1 && name !== '' ? name : count})`).join(', ')
}

// Counts the values of each field that is not the same everywhere, so that an odd one stands out in a long list, too. A value that
// only one item has is shown with the name of that item.
export function countValues(list: Pick<ShownList, 'items'>): string[] {
  const common = new Set(listCommonFields(list).map(({label}) => label))
  const byLabel = new Map<string, ValueCounts>()
  for (const [index, {fields}] of list.items.entries()) {
    const texts = new Map(fields.map(({label, text}) => [label, text]))
    const [name = ''] = texts.values()
    for (const label of new Set([...texts.keys(), ...byLabel.keys()]).difference(common)) {
      // The items before it did not have the field.
      const counts = byLabel.get(label) ?? new Map(index > 0 ? [[absentText, {count: index, name: ''}]] : [])
      byLabel.set(label, counts)
      addValue(counts, texts.get(label) ?? absentText, name)
    }
  }
  return [...byLabel].map(([label, counts]) => `${lowerFirst(label)} ${describeCounts(counts)}`)
}

// Of a longer list only so many are shown.
export const shownMax = 5
const shownOfCurrencyMax = 3

function pickLargest(items: readonly ShownItem[], max: number): ShownItem[] {
  const sized = items.map((item) => ({item, amount: parseDecimal(item.size?.amount ?? '')}))
  return sized
    .toSorted(({amount: one}, {amount: other}) => (one && other ? other.cmp(one) : 0))
    .slice(0, max)
    .map(({item}) => item)
}

// All of a short list; of a long one the largest of each currency, or the first ones of what has no amount.
export function chooseShown({items}: Pick<ShownList, 'items'>, isAll: boolean): readonly ShownItem[] {
  if (isAll || items.length <= shownMax) return items
  const byCurrency = Map.groupBy(items, ({size}) => size?.currency ?? '')
  const max = byCurrency.size > 1 ? shownOfCurrencyMax : shownMax
  return [...byCurrency.values()].flatMap((own) => pickLargest(own, max))
}

export interface ShownLines {
  // What is the same in every item.
  common: string[]
  lines: string[]
  // How many items were left out, by what one is called.
  hidden: ReadonlyMap<string, number>
}

// Each line of a list begins with a mark that no name and no value has, so that none of them can pass for a line of its own.
const itemMark = '· '
const partMark = '·· '

export function mergeHidden(all: ReadonlyArray<ReadonlyMap<string, number>>): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [noun, count] of all.flatMap((each) => [...each])) sums.set(noun, (sums.get(noun) ?? 0) + count)
  return sums
}

function headCurrency(currency: string, shown: readonly ShownItem[], items: readonly ShownItem[]): string {
  const ofCurrency = (all: readonly ShownItem[]) => all.filter(({size}) => (size?.currency ?? '') === currency).length
  return `${ofCurrency(shown)} of ${ofCurrency(items)} in ${currency}:`
}

function describePart({noun, items}: ShownList, isAll: boolean): ShownLines {
  const {common, lines, hidden} = describeList({noun, items, matchBy: []}, isAll, '')
  const every = common.length > 0 ? [`every ${noun}: ${common.join('; ')}`] : []
  return {common: [], lines: [...every, ...lines].map((line) => `${partMark}${line}`), hidden}
}

// One paragraph for each item, with what it consists of below it.
export function describeList(list: ShownList, isAll: boolean, mark = itemMark): ShownLines {
  const common = listCommonFields(list)
  const omitted = new Set(common.map(({label}) => label))
  const shown = chooseShown(list, isAll)
  const left = list.items.length - shown.length
  const hasHeads = left > 0 && new Set(shown.map(({size}) => size?.currency)).size > 1
  const parts = shown.map((item, index) => {
    const currency = item.size?.currency ?? ''
    const isFirst = index === 0 || (shown[index - 1]?.size?.currency ?? '') !== currency
    const own = item.list && describePart(item.list, isAll)
    return {
      lines: [
        ...(hasHeads && isFirst ? [headCurrency(currency, shown, list.items)] : []),
        `${mark}${describeItem(item, omitted)}`,
        ...(own?.lines ?? []),
      ],
      hidden: own?.hidden ?? new Map<string, number>(),
    }
  })
  return {
    common: common.map((field) => `${mark}${describeNamedField(field)}`),
    lines: parts.flatMap(({lines}) => lines),
    hidden: mergeHidden([...(left > 0 ? [new Map([[list.noun, left]])] : []), ...parts.map(({hidden}) => hidden)]),
  }
}
