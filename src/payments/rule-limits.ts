// Holds automation rules against the limits of a profile: a rule pays by itself, so it is judged before it is armed.
import type {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {type SpendingLimits, createLimitError} from '../profiles/spending-limits.ts'
import type {RuleConfiguration} from '../rules/rule-configuration.ts'
import {LimitReached, checkDailyLimit, checkPaymentLimits} from './limits.ts'

// A firing is judged like a payment, and alone in its day: what rules pay is not counted here.
function judgeRule(spending: SpendingLimits, {transactionTemplate}: RuleConfiguration): void {
  const {source, destination, amount} = transactionTemplate
  const {paymentMax, dayMax} = spending
  const isShare = amount.type !== 'FLAT'
  if (isShare && (paymentMax ?? dayMax)) {
    throw new LimitReached('It moves a share of the balance, which cannot be held against a cap')
  }
  const content = {customerId: '', source: {...source, sourceAmount: isShare ? '0' : amount.value}, destination}
  checkPaymentLimits(spending, content)
  checkDailyLimit(spending, content, 0, () => [])
}

// Undefined where every rule is within the limits.
export function rulesBeyond(caller: Caller, rules: readonly RuleConfiguration[]): SvcError | undefined {
  const problems = rules.flatMap((rule) => {
    try {
      judgeRule(caller.spending ?? {}, rule)
      return []
    } catch (error) {
      if (error instanceof LimitReached) return [`${JSON.stringify(rule.name)}: ${error.message}`]
      throw error
    }
  })
  const [only = ''] = problems
  if (problems.length === 0) return undefined
  const what = problems.length === 1 ? `The rule ${only}` : `${problems.length} rules are beyond the limits`
  return createLimitError(
    `${what} (${caller.label})`,
    'Nothing was changed; change the rule, or the limits with `svc profiles set`',
    problems.length > 1 ? problems : undefined,
  )
}

export function refuseRulesBeyond(caller: Caller, rules: readonly RuleConfiguration[]): void {
  const error = rulesBeyond(caller, rules)
  if (error) throw error
}
