// Stores automation rules, converts them to replies, and queues those whose threshold a balance has crossed.
import type {Big} from 'big.js'
import type {z} from 'zod'
import type {rule, ruleCreate} from '../../../contract/rules.ts'
import {ServiceError} from '../../http/service-error.ts'
import {type Database, parseStored} from '../../store/database.ts'
import {toTimestamp} from '../../time/clock.ts'
import {enqueue} from '../../time/queue.ts'
import {toCurrencyObject} from '../money/currencies.ts'
import type {RequestContext} from '../request-context.ts'

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

export const parseTemplate = (row: RuleRow) => parseStored<Template>(row.transactionTemplate)
export const parseTrigger = (row: RuleRow) => parseStored<Trigger>(row.trigger)

export function insertRule(database: Database, ruleId: string, configuration: RuleConfiguration, createdAt: number) {
  const {name, customerId, transactionTemplate, trigger} = configuration
  const row = {
    ruleId,
    customerId,
    sourcePaymentAccountId: transactionTemplate.source.sourcePaymentAccountId,
    name,
    transactionTemplate: JSON.stringify(transactionTemplate),
    triggerType: trigger.type,
    trigger: JSON.stringify(trigger),
    createdAt,
  }
  database.insertRow('rules', row, true)
}

export const findRuleRow = (database: Database, ruleId: string): RuleRow | undefined =>
  database.one<RuleRow>('select * from rules where ruleId = ?', ruleId)

// Stores that the rule fired, or whether it can.
export function updateActivity(
  database: Database,
  row: RuleRow,
  activity: Partial<Pick<RuleRow, 'isArmed' | 'firedCount' | 'lastFiredAt' | 'lastRefusal'>>,
) {
  Object.assign(row, activity)
  database.run(
    'update rules set isArmed = ?, firedCount = ?, lastFiredAt = ?, lastRefusal = ? where ruleId = ?',
    row.isArmed,
    row.firedCount,
    row.lastFiredAt,
    row.lastRefusal,
    row.ruleId,
  )
}

export function getRuleRow(database: Database, ruleId: string): RuleRow {
  const row = findRuleRow(database, ruleId)
  if (row) return row
  throw new ServiceError('NOT_FOUND', `There is no automation rule ${ruleId}`)
}

// Called for every change of a balance, so it selects only the rules that depend on it.
const listThresholdRules = (database: Database, accountId: string) =>
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

// Queues the rules whose threshold a change of a balance has crossed.
export interface BalanceChange {
  accountId: string
  currency: string
  before: Big
  after: Big
}

// Called inside the database transaction that changes the balance. Rules fire in a task of their own, which is due
// immediately, and not in the middle of the change.
export function queueCrossedThresholds(
  context: RequestContext,
  {accountId, currency, before, after}: BalanceChange,
): void {
  for (const row of listThresholdRules(context.database, accountId)) {
    const trigger = parseTrigger(row)
    if (trigger.type !== 'THRESHOLD_BASED' || parseTemplate(row).source.sourceCurrency !== currency) continue
    const [was, is] = [before, after].map((balance) => balance.gte(trigger.thresholdAmount))
    if (was !== is) enqueue(context, 'rule.cross', {ruleId: row.ruleId}, context.now)
  }
}
