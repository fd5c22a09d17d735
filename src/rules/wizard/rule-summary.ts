// A whole rule as a person reviews it: in one sentence, with its accounts as people know them, and when it fires next.
import {ruleWords} from '../rule-words.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {toText} from '../../cli/output/view.ts'
import {endText} from '../view.ts'
import {wrapText} from '../../cli/output/wrap-text.ts'
import {accountWords} from '../../accounts/labels.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {type Route, pathOf} from '../../quotes/wizard/route.ts'
import {lineWidth} from '../../cli/wizard/print.ts'
import {scheduleExplained} from './schedule.ts'

const indent = '  '

// In lines that fit the terminal.
export const indented = (text: string) => wrapText(text, lineWidth() - indent.length).map((line) => indent + line)

// The account at one end; where it is not among the customer's, what the rule says about it.
export function endWords(route: Route, body: Body, side: 'source' | 'destination'): string {
  const id = getValue(body, pathOf(route, side, 'PaymentAccountId'))
  const account = route.directory.account(body['customerId'], id)
  return account ? accountWords(account) : toText(endText(body, side))
}

// Without an instant to count from, no firings are shown.
export function ruleSummary(route: Route, body: Body, nowMs?: number): string[] {
  const cron = getValue(body, 'trigger.cronSchedule')
  const firings = typeof cron === 'string' && nowMs !== undefined ? scheduleExplained(cron, nowMs).slice(1) : []
  return [
    ...indented(`“${toText(body['name'])}”, for ${route.directory.customerWords(body['customerId'])}`),
    ...indented(ruleWords(body)),
    ...indented(`From: ${endWords(route, body, 'source')}`),
    ...indented(`To:   ${endWords(route, body, 'destination')}`),
    ...(firings.length > 0 ? [`${indent}It fires next:`, ...firings.map((line) => indent + line)] : []),
  ]
}
