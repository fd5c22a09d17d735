// The columns of automation rules, and the short texts in them.
import {createPayeeColumn} from '../accounts/name-columns.ts'
import {type LooseRule, getCurrencyLabel, readCode} from '../contract/loose.ts'
import {type View, createColumn, formatMinute, toText} from '../cli/output/view.ts'
import {createCustomerColumns} from '../customers/view.ts'

// Undefined if every value is empty.
export const joinWords = (...values: readonly unknown[]): string | undefined =>
  values
    .map(toText)
    .filter((text) => text !== '')
    .join(' ') || undefined

export const getSourceCurrency = ({transactionTemplate}: LooseRule) =>
  getCurrencyLabel(transactionTemplate?.source?.sourceCurrency)

type Units = Readonly<Record<string, (rule: LooseRule) => unknown>>

const amountUnits: Units = {FLAT: getSourceCurrency, PCT: () => '%'}
const feeUnits: Units = {SOURCE_CURRENCY: getSourceCurrency}

// A type that the interface does not define is shown as it is.
const findUnit = (units: Units, type: unknown, rule: LooseRule) =>
  Object.hasOwn(units, readCode(type)) ? units[readCode(type)]?.(rule) : type

export function formatRuleAmount(rule: LooseRule): string | undefined {
  const {type, value} = rule.transactionTemplate?.amount ?? {}
  return joinWords(value, findUnit(amountUnits, type, rule))
}

export function formatDeveloperFee(rule: LooseRule): string | undefined {
  const {developerFeeAmount, developerFeeType} = rule.transactionTemplate?.developerFee ?? {}
  return joinWords(developerFeeAmount, findUnit(feeUnits, developerFeeType, rule))
}

export function formatTrigger(rule: LooseRule): unknown {
  const {cronSchedule, thresholdAmount} = rule.trigger ?? {}
  const type = readCode(rule.trigger?.type)
  if (type === 'TIME_BASED' && cronSchedule) return cronSchedule
  if (type === 'THRESHOLD_BASED' && thresholdAmount) return joinWords('≥', thresholdAmount, getSourceCurrency(rule))
  return rule.trigger
}

// The account, payment method and currency of one side.
export function formatSource({transactionTemplate}: LooseRule): string | undefined {
  const {sourcePaymentAccountId, sourcePaymentMethod, sourceCurrency} = transactionTemplate?.source ?? {}
  return joinWords(sourcePaymentAccountId, sourcePaymentMethod, getCurrencyLabel(sourceCurrency))
}

export function formatDestination({transactionTemplate}: LooseRule): string | undefined {
  const {destinationPaymentAccountId, destinationPaymentMethod, destinationCurrency} =
    transactionTemplate?.destination ?? {}
  return joinWords(destinationPaymentAccountId, destinationPaymentMethod, getCurrencyLabel(destinationCurrency))
}

// Whom a rule pays.
export const readRulePayee = ({customerId, transactionTemplate}: LooseRule) => ({
  customerId,
  accountId: transactionTemplate?.destination?.destinationPaymentAccountId,
})

export const ruleView: View<LooseRule> = {
  singular: 'automation rule',
  plural: 'automation rules',
  // The columns show its fields.
  covers: ['transactionTemplate'],
  columns: [
    createColumn('id', 0, {kind: 'id'}),
    createColumn('name', 1, {kind: 'text'}),
    createColumn('trigger', 2, {value: formatTrigger, kind: 'text'}),
    createColumn('amount', 3, {value: formatRuleAmount, kind: 'number'}),
    createPayeeColumn(4),
    createColumn('source', 6, {short: 'from', header: 'FROM', value: formatSource, kind: 'id'}),
    createColumn('destination', 5, {short: 'to', header: 'TO', value: formatDestination, kind: 'id'}),
    createColumn('developerFee', 7, {
      short: 'fee',
      header: 'DEVELOPER FEE',
      value: formatDeveloperFee,
      shown: 'onRequest',
    }),
    ...createCustomerColumns<LooseRule>(8),
    createColumn('createdAt', 5, {short: 'created', header: 'CREATED (UTC)', format: formatMinute}),
  ],
}
