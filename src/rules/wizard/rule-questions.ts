// The questions about an automation rule: accounts, amount, name and trigger. A fee of one's own is rare, so a flag alone gives it.
import {isServiceWallet} from '../../accounts/describe-account.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import {GoBack, askLine, askSelect} from '../../cli/prompts/ask.ts'
import {createKindQuestion, createQuestion, nameCurrency} from '../../cli/wizard/questions.ts'
import type {Question} from '../../cli/wizard/question.ts'
import {ruleCreate} from '../../contract/rules.ts'
import {toRoutePath} from '../../quotes/route-fields.ts'
import {findCronExtension, validateSchedule} from '../../values/schedules.ts'

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

function buildTriggerQuestions(body: Body, nowMs: number): Question[] {
  const {choices = [], ...question} = createKindQuestion(ruleCreate, 'trigger', 'trigger')
  // Most rules fire on a schedule.
  const kind = {...question, choices: choices.toReversed()}
  const chosen = getValue(body, kind.path)
  if (chosen === undefined) return [kind]
  if (chosen !== 'THRESHOLD_BASED') {
    const schedule = createQuestion(timeTrigger, 'trigger', 'cronSchedule')
    return [kind, {...schedule, hint: undefined, ask: (present) => askSchedule(present, nowMs)}]
  }
  return [kind, nameCurrency(createQuestion(thresholdTrigger, 'trigger', 'thresholdAmount'), getSourceCurrency(body))]
}

// `nowMs` is the current time at the service.
export const buildRuleQuestions = (body: Body, nowMs: number): Question[] => [
  ...buildAmountQuestions(body),
  {...createQuestion(ruleCreate, '', 'name'), hint: undefined},
  ...buildTriggerQuestions(body, nowMs),
]

// Asks when a rule fires: a preset, or a cron expression.
const customExpression = 'custom'

const scheduleChoices = [
  {name: 'Every weekday at 09:00 UTC, Monday to Friday', value: '0 9 * * 1-5'},
  {name: 'Every day at 09:00 UTC', value: '0 9 * * *'},
  {name: 'Every Monday at 09:00 UTC', value: '0 9 * * 1'},
  {name: 'Every month at 09:00 UTC, on its first day', value: '0 9 1 * *'},
  {name: 'Another schedule, as a cron expression', value: customExpression},
] as const

const askExpression = (offered: string | undefined, nowMs: number): Promise<string> =>
  askLine({
    message: 'Cron expression:',
    hint: 'minute, hour, day of the month, month, weekday; in UTC, such as 0 9 * * 1-5',
    initial: offered,
    check: (text) => {
      if (text === '') return 'It is required'
      const problem = validateSchedule('', text, nowMs)
      return problem && !problem.isWarning ? `It ${problem.message}` : undefined
    },
    warn: (text) => {
      const warning = validateSchedule('', text, nowMs) ?? findCronExtension('', text)
      return warning?.isWarning ? `It ${warning.message}` : undefined
    },
  })

async function askSchedule(current: unknown, nowMs: number): Promise<string> {
  const expression = typeof current === 'string' ? current : undefined
  const isPreset = expression === undefined || scheduleChoices.some(({value}) => value === expression)
  for (;;) {
    const chosen = await askSelect<string>('How often?', scheduleChoices, isPreset ? expression : customExpression)
    if (chosen !== customExpression) return chosen
    try {
      return await askExpression(expression, nowMs)
    } catch (error) {
      // Going back leads to the first prompt of this question again.
      if (!(error instanceof GoBack)) throw error
    }
  }
}
