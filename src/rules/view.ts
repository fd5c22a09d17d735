// Automation rules, as a table and as a record.
import {type View, toText} from '../cli/output/view.ts'
import {type Item, formatMinute} from '../cli/output/format-values.ts'

const within = (item: Item, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, field) => (value as Item | null | undefined)?.[field], item)

const template = (rule: Item, ...path: readonly string[]) => within(rule, 'transactionTemplate', ...path)

// What is there, with blanks between; nothing where nothing is.
const words = (...values: readonly unknown[]): string | undefined =>
  values
    .map(toText)
    .filter((text) => text !== '')
    .join(' ') || undefined

// Replies carry a currency as an object, requests as its label.
const label = (currency: unknown): unknown =>
  typeof currency === 'string' ? currency : (currency as Item | null | undefined)?.['label']

const sourceCurrency = (rule: Item) => label(template(rule, 'source', 'sourceCurrency'))

const amountUnits: Record<string, (rule: Item) => unknown> = {FLAT: sourceCurrency, PCT: () => '%'}
const feeUnits: Record<string, (rule: Item) => unknown> = {SOURCE_CURRENCY: sourceCurrency}

// A type that the interface does not know is shown as it is.
const unitOf = (units: Record<string, (rule: Item) => unknown>, type: unknown, rule: Item) =>
  typeof type === 'string' && Object.hasOwn(units, type) ? units[type]?.(rule) : type

export const amountText = (rule: Item) =>
  words(template(rule, 'amount', 'value'), unitOf(amountUnits, template(rule, 'amount', 'type'), rule))

export const feeText = (rule: Item) =>
  words(
    template(rule, 'developerFee', 'developerFeeAmount'),
    unitOf(feeUnits, template(rule, 'developerFee', 'developerFeeType'), rule),
  )

export function triggerText(rule: Item): unknown {
  const [type, cron, threshold] = ['type', 'cronSchedule', 'thresholdAmount'].map((field) =>
    within(rule, 'trigger', field),
  )
  if (type === 'TIME_BASED' && cron) return cron
  if (type === 'THRESHOLD_BASED' && threshold) return words('≥', threshold, sourceCurrency(rule))
  return rule['trigger']
}

// The account, the method and the currency of one end.
export const endText = (rule: Item, end: 'source' | 'destination') =>
  words(
    template(rule, end, `${end}PaymentAccountId`),
    template(rule, end, `${end}PaymentMethod`),
    label(template(rule, end, `${end}Currency`)),
  )

const shownElsewhere = new Set(['source', 'destination', 'amount', 'developerFee'])

// What the service has put into a template beyond what the other columns show.
function furtherFields(value: unknown): unknown {
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
    {name: 'trigger', header: 'TRIGGER', value: triggerText, rank: 2, widthGood: 16, widthMin: 11},
    {name: 'amount', header: 'AMOUNT', value: amountText, rank: 3, align: 'right'},
    {name: 'source', short: 'from', header: 'FROM', value: (r) => endText(r, 'source'), rank: 6},
    {name: 'destination', short: 'to', header: 'TO', value: (r) => endText(r, 'destination'), rank: 5},
    {name: 'developerFee', short: 'fee', header: 'DEVELOPER FEE', value: feeText, rank: 7, onRequest: true},
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
      value: (r) => furtherFields(r['transactionTemplate']),
      rank: 9,
      onRequest: true,
    },
  ],
}
