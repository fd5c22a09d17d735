// Fires rules on their schedule or when a balance reaches their threshold: each firing creates a quote and its transaction.
import {Big} from 'big.js'
import {getNextFiring} from '../../../values/schedules.ts'
import {ServiceError} from '../../http/service-error.ts'
import {enqueue} from '../../time/queue.ts'
import {Decimal, getDecimals} from '../money/currencies.ts'
import {holders, readBalance} from '../money/ledger.ts'
import {insertQuote, priceQuote} from '../money/quotes.ts'
import {checkFunds, openTransaction} from '../money/transactions.ts'
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
  readBalance(database, holders.wallet(source.sourcePaymentAccountId), source.sourceCurrency)

// A fixed amount, or a share of the balance, rounded down to the decimals of the currency.
function computeAmount(held: Big, {source, amount}: Template): Big {
  if (amount.type === 'FLAT') return new Decimal(amount.value)
  return held.times(amount.value).div('100').round(getDecimals(source.sourceCurrency), Big.roundDown)
}

// Returns why nothing was paid, or null. Too small a balance is detected before pricing, because pricing is the slowest step. A
// rejection writes nothing.
function transact(context: RequestContext, row: RuleRow): string | null {
  const {ruleId, customerId} = row
  const template = parseTemplate(row)
  const {source, destination, developerFee} = template
  const held = readSourceBalance(context, template)
  const amount = computeAmount(held, template)
  if (amount.eq('0')) return 'There is nothing to move'
  if (amount.gt(held)) return 'The source account holds too little'
  try {
    const request = {customerId, source: {...source, sourceAmount: amount.toFixed()}, destination, developerFee}
    const terms = priceQuote(context, request)
    checkFunds(context, terms)
    openTransaction(context, insertQuote(context, terms), terms, {correlationId: ruleId})
    return null
  } catch (error) {
    if (error instanceof ServiceError) return error.message
    throw error
  }
}

function fire(context: RequestContext, row: RuleRow) {
  updateActivity(context.database, row, {
    lastRefusal: transact(context, row),
    firedCount: row.firedCount + 1,
    lastFiredAt: context.now,
  })
}

const selectNextFiring = "select min(due) as due from queue where kind = 'rule.fire' and payload ->> 'ruleId' = ?"

// Undefined for a rule with a threshold, which does not fire at a time.
export const findNextFiring = (database: RequestContext['database'], ruleId: string): number | undefined =>
  database.one<{due: number | null}>(selectNextFiring, ruleId)?.due ?? undefined

export const deleteFirings = (database: RequestContext['database'], ruleId: string) =>
  database.run("delete from queue where kind in ('rule.fire', 'rule.cross') and payload ->> 'ruleId' = ?", ruleId)

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
