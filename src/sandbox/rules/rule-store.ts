// Stores automation rules, and converts them to replies.
import type {z} from 'zod'
import type {rule, ruleCreate} from '../../contract/rules.ts'
import {ServiceError} from '../http/service-error.ts'
import {toCurrencyObject} from '../money/currencies.ts'
import type {Database} from '../store/database.ts'
import {toTimestamp} from '../time/clock.ts'

export type RuleConfiguration = z.output<typeof ruleCreate>
export type Template = RuleConfiguration['transactionTemplate']
type Trigger = RuleConfiguration['trigger']
type Rule = z.output<typeof rule>

export interface RuleRow {
  seq: number
  ruleId: string
  customerId: string
  sourcePaymentAccountId: string
  name: string
  transactionTemplate: string
  trigger: string
  createdAt: number
  isArmed: number
  firedCount: number
  lastFiredAt: number | null
  lastRefusal: string | null
}

export const parseTemplate = (row: RuleRow) => JSON.parse(row.transactionTemplate) as Template
export const parseTrigger = (row: RuleRow) => JSON.parse(row.trigger) as Trigger

export function insertRule(database: Database, ruleId: string, configuration: RuleConfiguration, createdAt: number) {
  const {name, customerId, transactionTemplate, trigger} = configuration
  database.run(
    `insert into rules
       (seq, ruleId, customerId, sourcePaymentAccountId, name, transactionTemplate, triggerType, trigger, createdAt)
     values ((select coalesce(max(seq), 0) + 1 from rules), ?, ?, ?, ?, ?, ?, ?, ?)`,
    ruleId,
    customerId,
    transactionTemplate.source.sourcePaymentAccountId,
    name,
    JSON.stringify(transactionTemplate),
    trigger.type,
    JSON.stringify(trigger),
    createdAt,
  )
}

export const findRuleRow = (database: Database, ruleId: string) =>
  database.one<RuleRow>('select * from rules where ruleId = ?', ruleId)

export function getRuleRow(database: Database, ruleId: string): RuleRow {
  const row = findRuleRow(database, ruleId)
  if (row) return row
  throw new ServiceError('NOT_FOUND', `There is no automation rule ${ruleId}`)
}

// Called for every change of a balance, so it selects only the rules that depend on it.
export const listThresholdRules = (database: Database, accountId: string) =>
  database.all<RuleRow>(
    "select * from rules where sourcePaymentAccountId = ? and triggerType = 'THRESHOLD_BASED' order by seq",
    accountId,
  )

interface RulesQuery {
  customerId?: string | undefined
  sourcePaymentAccountId?: string | undefined
}

// Newest first. This list has no paging.
export function listRuleRows(database: Database, {customerId, sourcePaymentAccountId}: RulesQuery): RuleRow[] {
  const conditions = [
    ...(customerId === undefined ? [] : ['customerId = ?']),
    ...(sourcePaymentAccountId === undefined ? [] : ['sourcePaymentAccountId = ?']),
  ]
  const values = [customerId, sourcePaymentAccountId].filter((value) => value !== undefined)
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
  return database.all<RuleRow>(`select * from rules ${where} order by createdAt desc, seq desc`, ...values)
}

// Requests have currencies as labels; replies have currency objects.
export function toRule(row: RuleRow): Rule {
  const {source, destination, amount, developerFee} = parseTemplate(row)
  const {sourceCurrency, sourcePaymentMethod} = source
  const {destinationCurrency, destinationPaymentMethod} = destination
  return {
    id: row.ruleId,
    name: row.name,
    customerId: row.customerId,
    transactionTemplate: {
      source: {...source, sourceCurrency: toCurrencyObject(sourceCurrency, sourcePaymentMethod)},
      destination: {
        ...destination,
        destinationCurrency: toCurrencyObject(destinationCurrency, destinationPaymentMethod),
      },
      amount,
      ...(developerFee && {developerFee}),
    },
    trigger: parseTrigger(row),
    createdAt: toTimestamp(row.createdAt),
  }
}
