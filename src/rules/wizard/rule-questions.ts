// The questions about an automation rule: accounts, amount, fee, name and trigger.
import {isServiceWallet} from '../../accounts/accepted-routes.ts'
import {describeAmount} from '../describe-rule.ts'
import {parseDecimal} from '../../values/money.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {toText} from '../../cli/output/view.ts'
import type {ServiceState} from '../../transport.ts'
import type {Directory} from '../../accounts/directory.ts'
import {getValue, withoutValue} from '../../cli/wizard/body-paths.ts'
import type {Question} from '../../cli/wizard/steps.ts'
import {toRoutePath} from '../../quotes/route-fields.ts'
import type {Route} from '../../quotes/wizard/route-accounts.ts'
import {askSchedule} from './ask-schedule.ts'
import {buildFeeQuestions, amountHint, explainAmount} from '../../quotes/wizard/fee-questions.ts'

export interface RuleWizardContext {
  // Reads the balance of a wallet. Only the embedded sandbox can.
  findBalance?: ((account: string, currency: string) => string | undefined) | undefined
  // Absent if the service tells no balances.
  listBalances?: ServiceState['listBalances']
  // The current time at the service.
  nowMs: number
}

const template = 'transactionTemplate.'

// Rules can pay only from wallets of the service.
export const createRuleRoute = (directory: Directory, given: Body): Route => ({
  directory,
  given,
  prefix: template,
  canPay: isServiceWallet,
  payerLabel: 'service-managed crypto wallet',
})

const getSourceCurrency = (body: Body) => toText(getValue(body, toRoutePath({prefix: template}, 'source', 'Currency')))

function findSourceBalance(body: Body, {findBalance}: RuleWizardContext): string | undefined {
  const account = toText(getValue(body, toRoutePath({prefix: template}, 'source', 'PaymentAccountId')))
  return findBalance?.(account, getSourceCurrency(body))
}

const describeBalance = (body: Body, context: RuleWizardContext) => {
  const balance = findSourceBalance(body, context)
  return balance === undefined ? undefined : `the wallet has ${describeAmount(balance, getSourceCurrency(body))}`
}

export function buildAmountQuestions(body: Body, context: RuleWizardContext): Question[] {
  const path = `${template}amount`
  const isPercentage = getValue(body, `${path}.type`) === 'PCT'
  const currency = getSourceCurrency(body)
  const hint = isPercentage ? 'more than 0 and up to 100' : amountHint
  return [
    {
      path: `${path}.type`,
      label: 'How much does it move each time?',
      kind: 'one-of',
      isRequired: true,
      choices: [
        {name: `A fixed amount of ${currency}`, value: 'FLAT'},
        {name: 'A percentage of the balance', value: 'PCT'},
      ],
      afterAnswer: (next, before) =>
        getValue(next, `${path}.type`) === getValue(before, `${path}.type`)
          ? next
          : withoutValue(next, `${path}.value`),
    },
    {
      path: `${path}.value`,
      label: isPercentage ? 'Percentage of the balance' : `Amount of ${currency}`,
      hint: [hint, describeBalance(body, context)].filter(Boolean).join('; '),
      kind: 'text',
      isRequired: true,
      explainText: isPercentage ? undefined : (_, typed) => explainAmount(typed),
    },
  ]
}

export const buildRuleFeeQuestions = (body: Body, hint?: string) =>
  buildFeeQuestions(
    body,
    {path: `${template}developerFee`, currency: toRoutePath({prefix: template}, 'source', 'Currency')},
    hint,
  )

const nameQuestion: Question = {path: 'name', label: 'Name of the rule', kind: 'text', isRequired: true}

export function describeThresholdDistance(
  threshold: unknown,
  body: Body,
  context: RuleWizardContext,
): string | undefined {
  const balance = findSourceBalance(body, context)
  if (balance === undefined || threshold === undefined) return undefined
  const [thresholdAmount, balanceAmount] = [parseDecimal(toText(threshold)), parseDecimal(balance)]
  if (!thresholdAmount || !balanceAmount) return undefined
  const missing = thresholdAmount.minus(balanceAmount)
  const currency = getSourceCurrency(body)
  const outcome = missing.gt(0)
    ? `the rule fires after ${describeAmount(missing.toFixed(), currency)} more`
    : 'the rule fires at once'
  return `The wallet has ${describeAmount(balance, currency)}: ${outcome}`
}

function buildTriggerQuestions(body: Body, context: RuleWizardContext): Question[] {
  const type: Question = {
    path: 'trigger.type',
    label: 'When does it fire?',
    kind: 'one-of',
    isRequired: true,
    choices: [
      {name: 'On a schedule', value: 'TIME_BASED'},
      {name: 'When the balance reaches an amount', value: 'THRESHOLD_BASED'},
    ],
    afterAnswer: (next, before) =>
      getValue(next, 'trigger.type') === getValue(before, 'trigger.type')
        ? next
        : ['trigger.cronSchedule', 'trigger.thresholdAmount'].reduce((rest, path) => withoutValue(rest, path), next),
  }
  const threshold: Question = {
    path: 'trigger.thresholdAmount',
    label: `Balance at which it fires, in ${getSourceCurrency(body)}`,
    hint: [amountHint, describeBalance(body, context)].filter(Boolean).join('; '),
    kind: 'text',
    isRequired: true,
    explainText: (_, typed) => explainAmount(typed),
    explain: (value, now) => describeThresholdDistance(value, now, context),
  }
  const schedule: Question = {
    path: 'trigger.cronSchedule',
    label: 'Schedule',
    kind: 'text',
    isRequired: true,
    ask: (present) => askSchedule(present, context.nowMs),
  }
  const chosen = getValue(body, 'trigger.type')
  if (chosen === undefined) return [type]
  return [type, chosen === 'THRESHOLD_BASED' ? threshold : schedule]
}

export const buildRuleQuestions = (body: Body, context: RuleWizardContext & {isFeeGiven: boolean}): Question[] => [
  ...buildAmountQuestions(body, context),
  ...(context.isFeeGiven ? [] : buildRuleFeeQuestions(body)),
  nameQuestion,
  ...buildTriggerQuestions(body, context),
]
