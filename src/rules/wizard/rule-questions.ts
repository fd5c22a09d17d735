// The questions about an automation rule: accounts, amount, name and trigger. A fee of one's own is rare, so a flag alone gives it.
import {isServiceWallet} from '../../accounts/describe-account.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import {createKindQuestion, createQuestion, nameCurrency} from '../../cli/wizard/questions.ts'
import type {Question} from '../../cli/wizard/question.ts'
import {ruleCreate} from '../../contract/rules.ts'
import {toRoutePath} from '../../quotes/route-fields.ts'

const template = 'transactionTemplate.'

// Rules can pay only from wallets of the service.
export const ruleRoute = {
  prefix: template,
  canPay: isServiceWallet,
  payerLabel: 'service-managed crypto wallet',
} as const

const getSourceCurrency = (body: Body) => toText(getValue(body, toRoutePath(template, 'source', 'Currency')))

const {transactionTemplate, trigger} = ruleCreate.shape
const [flatAmount, percentage] = transactionTemplate.shape.amount.options
const [thresholdTrigger, timeTrigger] = trigger.options

function buildAmountQuestions(body: Body): Question[] {
  const path = `${template}amount`
  const chosen = getValue(body, `${path}.type`) === 'PCT' ? percentage : flatAmount
  return [
    createKindQuestion(transactionTemplate, 'amount', path),
    nameCurrency(createQuestion(chosen, path, 'value'), getSourceCurrency(body)),
  ]
}

// Any other is typed as a cron expression.
const schedules = [
  {name: 'Every weekday at 09:00 UTC, Monday to Friday', value: '0 9 * * 1-5'},
  {name: 'Every day at 09:00 UTC', value: '0 9 * * *'},
  {name: 'Every Monday at 09:00 UTC', value: '0 9 * * 1'},
  {name: 'Every month at 09:00 UTC, on its first day', value: '0 9 1 * *'},
]

function buildTriggerQuestions(body: Body): Question[] {
  const {choices = [], ...question} = createKindQuestion(ruleCreate, 'trigger', 'trigger')
  // Most rules fire on a schedule.
  const kind = {...question, choices: choices.toReversed()}
  const chosen = getValue(body, kind.path)
  if (chosen === undefined) return [kind]
  if (chosen !== 'THRESHOLD_BASED') {
    const schedule = createQuestion(timeTrigger, 'trigger', 'cronSchedule')
    const hint = 'minute, hour, day of the month, month, weekday; in UTC, such as 0 9 * * 1-5'
    return [kind, {...schedule, hint, kind: 'one-of', choices: schedules, allowsOther: true}]
  }
  return [kind, nameCurrency(createQuestion(thresholdTrigger, 'trigger', 'thresholdAmount'), getSourceCurrency(body))]
}

export const buildRuleQuestions = (body: Body): Question[] => [
  ...buildAmountQuestions(body),
  {...createQuestion(ruleCreate, '', 'name'), hint: undefined},
  ...buildTriggerQuestions(body),
]
