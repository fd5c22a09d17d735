// Fires rules on their schedule or when a balance reaches their threshold: each firing creates a quote and its transaction.
import {Big} from 'big.js'
import {getNextFiring} from '../../../values/schedules.ts'
import {ServiceError} from '../../http/service-error.ts'
import type {Database} from '../../store/database.ts'
import {enqueue} from '../../time/queue.ts'
import {getDecimals, toDecimalText, toMinorUnits} from '../money/currencies.ts'
import {holders, readBalance} from '../money/ledger.ts'
import {type QuoteRequest, insertQuote, priceQuote} from '../money/quotes.ts'
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

// Lets an automation rule read a balance, and create a quote and its transaction in one step.
interface RuleOrder {
  ruleId: string
  customerId: string
  template: {
    source: Omit<QuoteRequest['source'], 'sourceAmount'>
    destination: QuoteRequest['destination']
    developerFee?: QuoteRequest['developerFee']
  }
  // A decimal in the source currency.
  amount: string
}

// Returns the transaction, or the reason why it was rejected. A rejection writes nothing.
function transactByRule(context: RequestContext, order: RuleOrder): {transactionId: string} | {rejection: string} {
  const {ruleId, customerId, template, amount} = order
  const {source, destination, developerFee} = template
  const request = {customerId, source: {...source, sourceAmount: amount}, destination, developerFee}
  try {
    const terms = priceQuote(context, request)
    checkFunds(context, terms)
    const {transactionId} = openTransaction(context, insertQuote(context, terms), terms, {correlationId: ruleId})
    return {transactionId}
  } catch (error) {
    if (error instanceof ServiceError) return {rejection: error.message}
    throw error
  }
}

// The balance of a service-managed wallet, in minor units.
const readWalletMinor = (database: Database, accountId: string, currency: string): bigint =>
  readBalance(database, holders.wallet(accountId), currency)

// The same, as a decimal.
const readWalletBalance = (database: Database, accountId: string, currency: string): string =>
  toDecimalText(readWalletMinor(database, accountId, currency), currency)
