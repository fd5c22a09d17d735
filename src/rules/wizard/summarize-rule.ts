// Summarizes a rule for review: in one sentence, with its accounts and its next firings.
import type {LooseRule} from '../../contract/loose.ts'
import {describeAccount} from '../../accounts/describe-account.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {toText} from '../../cli/output/view.ts'
import {wrapText} from '../../cli/output/wrap-text.ts'
import {lineWidth} from '../../cli/wizard/print.ts'
import type {Route} from '../../quotes/wizard/route-accounts.ts'
import {describeRule} from '../describe-rule.ts'
import {formatDestination, formatSource} from '../view.ts'
import {explainSchedule} from './ask-schedule.ts'

const indent = '  '

// Wraps the text to the width of the terminal.
export const indentText = (text: string) =>
  wrapText(cleanText(text), lineWidth() - indent.length).map((line) => indent + line)

// An account that is not in the customer's list is described by what the rule says about it.
function describeSource({directory}: Route, rule: LooseRule): string {
  const account = directory.findAccount(rule.customerId, rule.transactionTemplate?.source?.sourcePaymentAccountId)
  return account ? describeAccount(account) : toText(formatSource(rule))
}

export function describeDestination({directory}: Route, rule: LooseRule): string {
  const id = rule.transactionTemplate?.destination?.destinationPaymentAccountId
  const account = directory.findAccount(rule.customerId, id)
  return account ? describeAccount(account) : toText(formatDestination(rule))
}

// Without `nowMs` no firings are shown.
export function summarizeRule(route: Route, body: Body, nowMs?: number): string[] {
  const rule: LooseRule = body
  const cron = rule.trigger?.cronSchedule
  const firings = typeof cron === 'string' && nowMs !== undefined ? explainSchedule(cron, nowMs).slice(1) : []
  return [
    ...indentText(`“${toText(rule.name)}”, for ${route.directory.describeCustomer(rule.customerId)}`),
    ...indentText(describeRule(rule)),
    ...indentText(`From: ${describeSource(route, rule)}`),
    ...indentText(`To:   ${describeDestination(route, rule)}`),
    ...(firings.length > 0 ? [`${indent}It fires next:`, ...firings.map((line) => indent + line)] : []),
  ]
}
