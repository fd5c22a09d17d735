// Automation rules, as a table and as a record.
import {type View, toText} from '../cli/output/view.ts'
import {type Item, formatMinute} from '../cli/output/format-values.ts'

const getPath = (item: Item, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, field) => (value as Item | null | undefined)?.[field], item)

const getTemplatePath = (rule: Item, ...path: readonly string[]) => getPath(rule, 'transactionTemplate', ...path)

// What is there, with blanks between; nothing where nothing is.
const joinWords = (...values: readonly unknown[]): string | undefined =>
  values
    .map(toText)
    .filter((text) => text !== '')
    .join(' ') || undefined

// Replies carry a currency as an object, requests as its label.
const toCurrencyLabel = (currency: unknown): unknown =>
  typeof currency === 'string' ? currency : (currency as Item | null | undefined)?.['label']

const getSourceCurrency = (rule: Item) => toCurrencyLabel(getTemplatePath(rule, 'source', 'sourceCurrency'))

const amountUnits: Record<string, (rule: Item) => unknown> = {FLAT: getSourceCurrency, PCT: () => '%'}
const feeUnits: Record<string, (rule: Item) => unknown> = {SOURCE_CURRENCY: getSourceCurrency}

// A type that the interface does not know is shown as it is.
const findUnit = (units: Record<string, (rule: Item) => unknown>, type: unknown, rule: Item) =>
  typeof type === 'string' && Object.hasOwn(units, type) ? units[type]?.(rule) : type

export const formatRuleAmount = (rule: Item) =>
  joinWords(
    getTemplatePath(rule, 'amount', 'value'),
    findUnit(amountUnits, getTemplatePath(rule, 'amount', 'type'), rule),
  )

export const formatDeveloperFee = (rule: Item) =>
  joinWords(
    getTemplatePath(rule, 'developerFee', 'developerFeeAmount'),
    findUnit(feeUnits, getTemplatePath(rule, 'developerFee', 'developerFeeType'), rule),
  )

export function formatTrigger(rule: Item): unknown {
  const [type, cron, threshold] = ['type', 'cronSchedule', 'thresholdAmount'].map((field) =>
    getPath(rule, 'trigger', field),
  )
  if (type === 'TIME_BASED' && cron) return cron
  if (type === 'THRESHOLD_BASED' && threshold) return joinWords('≥', threshold, getSourceCurrency(rule))
  return rule['trigger']
}

// The account, the method and the currency of one end.
export const formatEnd = (rule: Item, end: 'source' | 'destination') =>
  joinWords(
    getTemplatePath(rule, end, `${end}PaymentAccountId`),
    getTemplatePath(rule, end, `${end}PaymentMethod`),
    toCurrencyLabel(getTemplatePath(rule, end, `${end}Currency`)),
  )

const shownElsewhere = new Set(['source', 'destination', 'amount', 'developerFee'])

// What the service has put into a template beyond what the other columns show.
function listFurtherFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const further = Object.entries(value).filter(([field]) => !shownElsewhere.has(field))
  return further.length > 0 ? Object.fromEntries(further) : undefined
}

export const ruleView: View<Item> = {
  singular: 'automation rule',
  plural: 'automation rules',
  columns: [
    {name: 'id', header: 'ID', value: (r) => r['id'], rank: 0},
    {name: 'name', header: 'NAME', value: (r) => r['name'], rank: 1, widthGood: 16, widthMin: 10},
    {name: 'trigger', header: 'TRIGGER', value: formatTrigger, rank: 2, widthGood: 16, widthMin: 11},
    {name: 'amount', header: 'AMOUNT', value: formatRuleAmount, rank: 3, align: 'right'},
    {name: 'source', short: 'from', header: 'FROM', value: (r) => formatEnd(r, 'source'), rank: 6},
    {name: 'destination', short: 'to', header: 'TO', value: (r) => formatEnd(r, 'destination'), rank: 5},
    {name: 'developerFee', short: 'fee', header: 'DEVELOPER FEE', value: formatDeveloperFee, rank: 7, onRequest: true},
    {name: 'customerId', short: 'customer', header: 'CUSTOMER', value: (r) => r['customerId'], rank: 8},
    {
      name: 'createdAt',
      short: 'created',
      header: 'CREATED (UTC)',
      value: (r) => r['createdAt'],
      format: formatMinute,
      rank: 4,
    },
    {
      name: 'transactionTemplate',
      short: 'template',
      header: 'FURTHER',
      value: (r) => listFurtherFields(r['transactionTemplate']),
      rank: 9,
      onRequest: true,
    },
  ],
}
