// A whole rule as a person reviews it: in one sentence, with its accounts as people know them, and when it fires next.
import {describeRule} from '../describe-rule.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {toText} from '../../cli/output/view.ts'
import {formatEnd} from '../view.ts'
import {wrapText} from '../../cli/output/wrap-text.ts'
import {describeAccount} from '../../accounts/describe-account.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {type Route, toRoutePath} from '../../quotes/wizard/route-questions.ts'
import {lineWidth} from '../../cli/wizard/print.ts'
import {explainSchedule} from './ask-schedule.ts'

const indent = '  '

// In lines that fit the terminal.
export const indentText = (text: string) => wrapText(text, lineWidth() - indent.length).map((line) => indent + line)

// The account at one end; where it is not among the customer's, what the rule says about it.
export function describeEnd(route: Route, body: Body, side: 'source' | 'destination'): string {
  const id = getValue(body, toRoutePath(route, side, 'PaymentAccountId'))
  const account = route.directory.findAccount(body['customerId'], id)
  return account ? describeAccount(account) : toText(formatEnd(body, side))
}

// Without an instant to count from, no firings are shown.
export function summarizeRule(route: Route, body: Body, nowMs?: number): string[] {
  const cron = getValue(body, 'trigger.cronSchedule')
  const firings = typeof cron === 'string' && nowMs !== undefined ? explainSchedule(cron, nowMs).slice(1) : []
  return [
    ...indentText(`“${toText(body['name'])}”, for ${route.directory.describeCustomer(body['customerId'])}`),
    ...indentText(describeRule(body)),
    ...indentText(`From: ${describeEnd(route, body, 'source')}`),
    ...indentText(`To:   ${describeEnd(route, body, 'destination')}`),
    ...(firings.length > 0 ? [`${indent}It fires next:`, ...firings.map((line) => indent + line)] : []),
  ]
}
