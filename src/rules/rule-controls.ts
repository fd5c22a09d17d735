// What people see of a file of rules before they approve it: what each rule does, in a sentence.
import {readCode} from '../contract/loose.ts'
import {type Approvable, limitLines} from '../controls/approvable.ts'
import {LimitReached, checkDay, checkSinglePayment} from '../controls/check-spending.ts'
import {type SpendingLimits, createLimitError} from '../controls/limits.ts'
import {type ApprovalSubject, digestPart, digestParts} from '../controls/statement.ts'
import type {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {describeRule} from './describe-rule.ts'
import {type RuleConfiguration, normalizeRule} from './rule-configuration.ts'
import type {WantedRule} from './rule-file.ts'

const rulesShownMax = 12

export function describeRules(
  serviceId: string,
  rules: readonly WantedRule[],
  {file, prune}: {file: string; prune: boolean},
): Approvable {
  const sentences = rules.map(({configuration}) => `${configuration.name}: ${describeRule(configuration)}`)
  return {
    subject: createRulesSubject(serviceId, rules, {prune}),
    name: file,
    file,
    facts: [
      {label: 'Rules', lines: [String(rules.length)]},
      {label: 'They do', lines: limitLines(sentences, rulesShownMax)},
      {
        label: 'Others',
        lines: [prune ? 'rules that the file does not have are deleted (--prune)' : 'other rules stay'],
      },
    ],
    snapshot: Object.fromEntries(
      rules.map(({configuration}) => [
        `${configuration.customerId} ${configuration.name}`,
        describeRule(configuration),
      ]),
    ),
  }
}

// What people approve of a file of rules: every rule, and whether rules that the file does not have are deleted.
export function createRulesSubject(
  serviceId: string,
  rules: readonly WantedRule[],
  {prune}: {prune: boolean},
): ApprovalSubject {
  const parts = rules.map(({id, configuration, unsendable}) =>
    digestPart([id ?? '', normalizeRule(configuration), unsendable?.fields ?? {}]),
  )
  return {kind: 'rules', serviceId, digest: digestParts([...parts, digestPart({prune})])}
}

export const listRulePayees = (rules: readonly WantedRule[]): string[] =>
  rules.map(({configuration}) => configuration.transactionTemplate.destination.destinationPaymentAccountId)

// Checks automation rules against the limits of a profile. A rule pays on its own, so it is checked before it is activated.

// One firing is checked like one payment on an otherwise empty day: svc does not count what rules pay.
function checkRule(spending: SpendingLimits, {transactionTemplate}: RuleConfiguration): void {
  const {source, destination, amount} = transactionTemplate
  const {paymentMax, dayMax} = spending
  const isShare = readCode(amount.type) !== 'FLAT'
  if (isShare && (paymentMax ?? dayMax)) {
    throw new LimitReached('It moves a share of the balance, which cannot be checked against a cap')
  }
  const outgoing = {
    currency: source.sourceCurrency,
    amount: isShare ? '0' : amount.value,
    destination: destination.destinationPaymentAccountId,
  }
  checkSinglePayment(spending, outgoing)
  checkDay(spending, outgoing, [])
}

// Returns undefined if every rule is within the limits.
export function findRuleLimitError(caller: Caller, rules: readonly RuleConfiguration[]): SvcError | undefined {
  const problems = rules.flatMap((rule) => {
    try {
      checkRule(caller.spending ?? {}, rule)
      return []
    } catch (error) {
      if (error instanceof LimitReached) return [`${JSON.stringify(rule.name)}: ${error.message}`]
      throw error
    }
  })
  const [only = ''] = problems
  if (problems.length === 0) return undefined
  const what = problems.length === 1 ? `The rule ${only}` : `${problems.length} rules exceed the limits`
  return createLimitError(
    `${what} (${caller.label})`,
    'Nothing was changed; change the rule, or the limits with `svc profiles set`',
    problems.length > 1 ? problems : undefined,
  )
}

export function rejectRulesOverLimit(caller: Caller, rules: readonly RuleConfiguration[]): void {
  const error = findRuleLimitError(caller, rules)
  if (error) throw error
}
