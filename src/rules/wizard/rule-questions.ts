// The questions about an automation rule: accounts, amount, fee, name and trigger.
import {describeAccount, isServiceWallet} from '../../accounts/describe-account.ts'
import type {Directory} from '../../accounts/directory.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {toText} from '../../cli/output/view.ts'
import {wrapText} from '../../cli/output/wrap-text.ts'
import {lineWidth} from '../../cli/wizard/print.ts'
import {GoBack, askLine, askSelect} from '../../cli/prompts/ask.ts'
import {createKindQuestion, createQuestion, nameCurrency} from '../../cli/wizard/questions.ts'
import type {Question} from '../../cli/wizard/question.ts'
import type {LooseRule} from '../../contract/loose.ts'
import {ruleCreate} from '../../contract/rules.ts'
import {toRoutePath} from '../../quotes/complete-route.ts'
import type {Route} from '../../quotes/wizard/route-accounts.ts'
import {buildFeeQuestions} from '../../quotes/wizard/route-questions.ts'
import {findCronExtension, validateSchedule} from '../../values/schedules.ts'
import {describeRule} from '../describe-rule.ts'
import {formatFiring, listFirings} from '../firings.ts'
import {formatDestination, formatSource} from '../view.ts'

export interface RuleWizardContext {
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

const buildRuleFeeQuestions = (body: Body) =>
  buildFeeQuestions(body, {
    path: `${template}developerFee`,
    currency: toRoutePath({prefix: template}, 'source', 'Currency'),
  })

function buildTriggerQuestions(body: Body, context: RuleWizardContext): Question[] {
  const {choices = [], ...question} = createKindQuestion(ruleCreate, 'trigger', 'trigger')
  // Most rules fire on a schedule.
  const kind = {...question, choices: choices.toReversed()}
  const chosen = getValue(body, kind.path)
  if (chosen === undefined) return [kind]
  if (chosen !== 'THRESHOLD_BASED') {
    const schedule = createQuestion(timeTrigger, 'trigger', 'cronSchedule')
    return [kind, {...schedule, hint: undefined, ask: (present) => askSchedule(present, context.nowMs)}]
  }
  return [kind, nameCurrency(createQuestion(thresholdTrigger, 'trigger', 'thresholdAmount'), getSourceCurrency(body))]
}

export const buildRuleQuestions = (body: Body, context: RuleWizardContext & {isFeeGiven: boolean}): Question[] => [
  ...buildAmountQuestions(body),
  ...(context.isFeeGiven ? [] : buildRuleFeeQuestions(body)),
  {...createQuestion(ruleCreate, '', 'name'), hint: undefined},
  ...buildTriggerQuestions(body, context),
]

// Asks when a rule fires: a preset and a time, or a cron expression.
const firingsShown = 5

const listNextFirings = (expression: string, nowMs: number) =>
  listFirings(expression, nowMs, firingsShown).map((instant) => `  ${formatFiring(instant)}`)

interface SchedulePreset {
  name: string
  // The cron fields for days of the month, months and weekdays. DAY is replaced by the answer.
  days: string
  asks?: 'weekday' | 'day'
  // Fires at every full hour, so no time is asked for.
  isHourly?: true
}

// The presets avoid extensions that only some cron dialects have, such as L for the last day. The interface promises only
// five fields.
const presets: readonly SchedulePreset[] = [
  {name: 'Every weekday, Monday to Friday', days: '* * 1-5'},
  {name: 'Every day', days: '* * *'},
  {name: 'Every week, on one day', days: '* * DAY', asks: 'weekday'},
  {name: 'Every month, on its first day', days: '1 * *'},
  {name: 'Every month, on another day', days: 'DAY * *', asks: 'day'},
  {name: 'Every hour', days: '* * *', isHourly: true},
]

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
// The last day that every month has. Later days would be skipped in February.
const dayOfMonthMax = 28
const timeDefault = '09:00'

const customExpression = 'custom'

// Accepts 9, 9:30 and 09:30.
const timePattern = /^([01]?\d|2[0-3])(?:[:.]([0-5]\d))?$/

function parseTime(text: string): {hour: number; minute: number} | undefined {
  const [, hour, minute = '0'] = timePattern.exec(text) ?? []
  return hour === undefined ? undefined : {hour: Number(hour), minute: Number(minute)}
}

function toExpression({days}: SchedulePreset, day: string, time: string): string {
  const {hour = 0, minute = 0} = parseTime(time) ?? {}
  return `${minute} ${hour} ${days.replace('DAY', day)}`
}

const hourly = '0 * * * *'

interface PickedPreset {
  preset: SchedulePreset
  day: string
  time: string
}

// Finds the preset that gives this expression, to offer it again.
function findPickedPreset(expression: string): PickedPreset | undefined {
  const [minute = '', hour = '', ...rest] = expression.split(' ')
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  for (const preset of presets) {
    if (preset.isHourly && expression === hourly) return {preset, day: '', time: timeDefault}
    const pattern = new RegExp(`^${preset.days.replaceAll('*', String.raw`\*`).replace('DAY', String.raw`(\d+)`)}$`)
    const [found, day = ''] = pattern.exec(rest.join(' ')) ?? []
    if (found !== undefined && parseTime(time)) return {preset, day, time}
  }
  return undefined
}

const askDay = ({asks}: SchedulePreset, offered: string | undefined): Promise<string> => {
  if (asks === 'weekday') {
    const choices = weekdays.map((name, index) => ({name, value: String((index + 1) % weekdays.length)}))
    return askSelect('On which day?', choices, offered)
  }
  return askLine({
    message: 'On which day of the month:',
    hint: `from 1 to ${dayOfMonthMax}, the last that every month has`,
    initial: offered,
    check: (text) =>
      /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= dayOfMonthMax
        ? undefined
        : `It must be a day from 1 to ${dayOfMonthMax}`,
  }).then((text) => String(Number(text)))
}

const askTime = (offered: string): Promise<string> =>
  askLine({
    message: 'At what time, in UTC:',
    initial: offered,
    check: (text) => (parseTime(text) ? undefined : 'It must be a time, such as 09:00 or 17:30'),
  })

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

// Returns undefined if the person goes back, so that the previous prompt of this question is shown again.
async function askOrGoBack<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof GoBack) return undefined
    throw error
  }
}

async function completePreset(preset: SchedulePreset, picked: PickedPreset | undefined): Promise<string | undefined> {
  if (preset.isHourly) return hourly
  for (;;) {
    const day = preset.asks
      ? await askOrGoBack(() => askDay(preset, picked?.preset === preset ? picked.day : undefined))
      : ''
    if (day === undefined) return undefined
    const time = await askOrGoBack(() => askTime(picked?.time ?? timeDefault))
    if (time !== undefined) return toExpression(preset, day, time)
    if (!preset.asks) return undefined
  }
}

async function askSchedule(current: unknown, nowMs: number): Promise<string> {
  const expression = typeof current === 'string' ? current : undefined
  const picked = expression === undefined ? undefined : findPickedPreset(expression)
  let offered: SchedulePreset | typeof customExpression | undefined =
    picked?.preset ?? (expression === undefined ? undefined : customExpression)
  for (;;) {
    const choices = [
      ...presets.map((preset) => ({name: preset.name, value: preset})),
      {name: 'Another schedule, as a cron expression', value: customExpression},
    ] as const
    const chosen = await askSelect<SchedulePreset | typeof customExpression>('How often?', choices, offered)
    offered = chosen
    const answer =
      chosen === customExpression
        ? await askOrGoBack(() => askExpression(picked ? undefined : expression, nowMs))
        : await completePreset(chosen, picked)
    if (answer !== undefined) return answer
  }
}

// Summarizes a rule for review: in one sentence, with its accounts and its next firings.
const indent = '  '

// Wraps the text to the width of the terminal.
const indentText = (text: string) => wrapText(cleanText(text), lineWidth() - indent.length).map((line) => indent + line)

// An account that is not in the customer's list is described by what the rule says about it.
function describeSource({directory}: Route, rule: LooseRule): string {
  const account = directory.findAccount(rule.customerId, rule.transactionTemplate?.source?.sourcePaymentAccountId)
  return account ? describeAccount(account) : toText(formatSource(rule))
}

function describeDestination({directory}: Route, rule: LooseRule): string {
  const id = rule.transactionTemplate?.destination?.destinationPaymentAccountId
  const account = directory.findAccount(rule.customerId, id)
  return account ? describeAccount(account) : toText(formatDestination(rule))
}

export function summarizeRule(route: Route, body: Body, nowMs: number): string[] {
  const rule: LooseRule = body
  const cron = rule.trigger?.cronSchedule
  const firings = typeof cron === 'string' ? listNextFirings(cron, nowMs) : []
  return [
    ...indentText(`“${toText(rule.name)}”, for ${route.directory.describeCustomer(rule.customerId)}`),
    ...indentText(describeRule(rule)),
    ...indentText(`From: ${describeSource(route, rule)}`),
    ...indentText(`To:   ${describeDestination(route, rule)}`),
    ...(firings.length > 0 ? [`${indent}It fires next:`, ...firings.map((line) => indent + line)] : []),
  ]
}
