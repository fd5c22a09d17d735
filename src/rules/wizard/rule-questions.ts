// The questions of an automation rule: its route, how much it moves, the fee, its name, and when it fires.
import {Big} from 'big.js'
import {isServiceWallet} from '../../accounts/labels.ts'
import {sumWords} from '../rule-words.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {toText} from '../../cli/output/view.ts'
import type {Directory} from '../../accounts/directory.ts'
import {getValue, withoutValue} from '../../cli/wizard/body-paths.ts'
import type {Question} from '../../cli/wizard/steps.ts'
import {type Route, pathOf} from '../../quotes/wizard/route.ts'
import {askSchedule} from './schedule.ts'
import {feeQuestions, sumHint} from '../../quotes/wizard/amounts.ts'

export interface RuleTalk {
  // What a wallet holds of a currency, where that is known.
  held?: ((account: string, currency: string) => string | undefined) | undefined
  // The service's present, from which firings are counted.
  nowMs: number
}

const template = 'transactionTemplate.'

// A rule draws on wallets of the service alone.
export const ruleRoute = (directory: Directory, given: Body): Route => ({
  directory,
  given,
  within: template,
  canPay: isServiceWallet,
  payers: 'service-managed crypto wallet',
})

const sourceCurrency = (body: Body) => toText(getValue(body, pathOf({within: template}, 'source', 'Currency')))

function balanceIn(body: Body, {held}: RuleTalk): string | undefined {
  const account = toText(getValue(body, pathOf({within: template}, 'source', 'PaymentAccountId')))
  return held?.(account, sourceCurrency(body))
}

const holds = (body: Body, talk: RuleTalk) => {
  const balance = balanceIn(body, talk)
  return balance === undefined ? undefined : `the wallet holds ${sumWords(balance, sourceCurrency(body))} now`
}

export function amountQuestions(body: Body, talk: RuleTalk): Question[] {
  const path = `${template}amount`
  const isShare = getValue(body, `${path}.type`) === 'PCT'
  const currency = sourceCurrency(body)
  const hint = isShare ? 'more than 0 and up to 100' : sumHint
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
      label: isShare ? 'Percentage of the balance' : `Amount of ${currency}`,
      hint: [hint, holds(body, talk)].filter(Boolean).join('; '),
      kind: 'text',
      isRequired: true,
    },
  ]
}

export const ruleFeeQuestions = (body: Body, hint?: string) =>
  feeQuestions(
    body,
    {path: `${template}developerFee`, currency: pathOf({within: template}, 'source', 'Currency')},
    hint,
  )

const nameQuestion: Question = {path: 'name', label: 'Name of the rule', kind: 'text', isRequired: true}

// How far the balance is from the threshold.
export function distance(threshold: unknown, body: Body, talk: RuleTalk): string | undefined {
  const balance = balanceIn(body, talk)
  if (balance === undefined || threshold === undefined) return undefined
  const missing = new Big(toText(threshold)).minus(balance)
  const then = missing.gt(0)
    ? `it would fire once ${sumWords(missing.toFixed(), sourceCurrency(body))} more came in`
    : 'it would fire at once'
  return `${holds(body, talk)?.replace(/^t/, 'T')}: ${then}`
}

function triggerQuestions(body: Body, talk: RuleTalk): Question[] {
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
    label: `Fires when the balance reaches, in ${sourceCurrency(body)}`,
    hint: [sumHint, holds(body, talk)].filter(Boolean).join('; '),
    kind: 'text',
    isRequired: true,
    explain: (value, now) => distance(value, now, talk),
  }
  const schedule: Question = {
    path: 'trigger.cronSchedule',
    label: 'Schedule',
    kind: 'text',
    isRequired: true,
    ask: (present) => askSchedule(present, talk.nowMs),
  }
  const chosen = getValue(body, 'trigger.type')
  if (chosen === undefined) return [type]
  return [type, chosen === 'THRESHOLD_BASED' ? threshold : schedule]
}

export const whenAndWhat = (body: Body, talk: RuleTalk & {isFeeSaid: boolean}): Question[] => [
  ...amountQuestions(body, talk),
  ...(talk.isFeeSaid ? [] : ruleFeeQuestions(body)),
  nameQuestion,
  ...triggerQuestions(body, talk),
]
