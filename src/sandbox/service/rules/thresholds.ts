// Queues the rules whose threshold a change of a balance has crossed.
import {Big} from 'big.js'
import {toDecimalText} from '../money/currencies.ts'
import {enqueue} from '../../time/queue.ts'
import type {RequestContext} from '../request-context.ts'
import {listThresholdRules, parseTemplate, parseTrigger} from './rule-store.ts'

export interface BalanceChange {
  accountId: string
  currency: string
  // In minor units.
  before: bigint
  after: bigint
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
    const [was, is] = [before, after].map((balance) =>
      new Big(toDecimalText(balance, currency)).gte(trigger.thresholdAmount),
    )
    if (was !== is) enqueue(context, 'rule.cross', {ruleId: row.ruleId}, context.now)
  }
}
