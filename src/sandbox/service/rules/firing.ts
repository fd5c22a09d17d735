// Fires rules on their schedule or when a balance reaches their threshold.
import {Big} from 'big.js'
import {getNextFiring} from '../../../values/schedules.ts'
import {readWalletBalance, readWalletMinor, transactByRule} from '../money/rule-transactions.ts'
import {getDecimals, toMinorUnits} from '../money/currencies.ts'
import {enqueue} from '../../time/queue.ts'
import type {RequestContext} from '../request-context.ts'
import {type RuleRow, type Template, findRuleRow, parseTemplate, parseTrigger, updateActivity} from './rule-store.ts'

export function scheduleNextFiring(context: RequestContext, row: RuleRow) {
  const trigger = parseTrigger(row)
  if (trigger.type !== 'TIME_BASED') return
  const due = getNextFiring(trigger.cronSchedule, context.now)
  if (due) enqueue(context, 'rule.fire', {ruleId: row.ruleId}, due.getTime())
}

// A threshold that is already reached when the rule is created fires it.
export function armRule(context: RequestContext, {ruleId}: RuleRow) {
  enqueue(context, 'rule.cross', {ruleId}, context.now)
}

const readSourceBalance = ({database}: RequestContext, {source}: Template) =>
  new Big(readWalletBalance(database, source.sourcePaymentAccountId, source.sourceCurrency))

// A fixed amount, or a share of the balance, rounded down to the decimals of the currency.
function computeAmount(context: RequestContext, template: Template): string {
  const {source, amount} = template
  if (amount.type === 'FLAT') return amount.value
  const share = readSourceBalance(context, template).times(amount.value).div('100')
  return share.round(getDecimals(source.sourceCurrency), Big.roundDown).toFixed()
}

// An amount may have more decimals than the currency.
function isMoreThanHeld(context: RequestContext, template: Template, amount: string): boolean {
  const {sourcePaymentAccountId, sourceCurrency} = template.source
  const minor = toMinorUnits(amount, sourceCurrency)
  return minor === null
    ? readSourceBalance(context, template).lt(amount)
    : readWalletMinor(context.database, sourcePaymentAccountId, sourceCurrency) < minor
}

// Too small a balance is detected before pricing, because pricing is the slowest step.
function transact(context: RequestContext, row: RuleRow) {
  const template = parseTemplate(row)
  const amount = computeAmount(context, template)
  if (!/[1-9]/.test(amount)) return {rejection: 'There is nothing to move'}
  if (isMoreThanHeld(context, template, amount)) return {rejection: 'The source account holds too little'}
  return transactByRule(context, {ruleId: row.ruleId, customerId: row.customerId, template, amount})
}

function fire(context: RequestContext, row: RuleRow) {
  const outcome = transact(context, row)
  updateActivity(context.database, row, {
    firedCount: row.firedCount + 1,
    lastFiredAt: context.now,
    lastRefusal: 'rejection' in outcome ? outcome.rejection : null,
  })
}

const selectNextFiring = "select min(due) as due from queue where kind = 'rule.fire' and payload ->> 'ruleId' = ?"

// Undefined for a rule with a threshold, which does not fire at a time.
export const findNextFiring = (database: RequestContext['database'], ruleId: string): number | undefined =>
  database.one<{due: number | null}>(selectNextFiring, ruleId)?.due ?? undefined

// Queues the next firing first, so that a rejected firing does not end the schedule.
export function fireOnSchedule(context: RequestContext, {ruleId}: {ruleId: string}) {
  const row = findRuleRow(context.database, ruleId)
  if (!row) return
  scheduleNextFiring(context, row)
  fire(context, row)
}

// Fires once per crossing. After it fired, the balance must fall below the threshold before it can fire again.
export function fireOnThreshold(context: RequestContext, {ruleId}: {ruleId: string}) {
  const row = findRuleRow(context.database, ruleId)
  const trigger = row && parseTrigger(row)
  if (!row || trigger?.type !== 'THRESHOLD_BASED') return
  const isReached = readSourceBalance(context, parseTemplate(row)).gte(trigger.thresholdAmount)
  if (isReached === (row.isArmed === 0)) return
  updateActivity(context.database, row, {isArmed: isReached ? 0 : 1})
  if (isReached) fire(context, row)
}
