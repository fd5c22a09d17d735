// The wizard that creates an automation rule: it asks for what the flags did not give. Before the rule is sent, the confirmation shows
// all of it; going back from there leads to the answers, where each can be changed.
import type {Body} from '../../values/body-paths.ts'
import {keysHelp} from '../../cli/prompts/ask.ts'
import {printText} from '../../cli/wizard/print.ts'
import {type Send, sendOrRevise} from '../../cli/wizard/review.ts'
import {askForm} from '../../cli/wizard/ask-form.ts'
import type {ReviewedForm} from '../../cli/wizard/question.ts'
import type {Client} from '../../client/client.ts'
import {ruleCreate} from '../../contract/rules.ts'
import {createRoute} from '../../quotes/wizard/route-accounts.ts'
import {buildRouteQuestions, omitGiven, openRoute} from '../../quotes/wizard/route-questions.ts'
import {normalizeDeveloperFee, validateRule} from '../rule-body.ts'
import {buildRuleQuestions, ruleRoute} from './rule-questions.ts'

export async function runRuleWizard<T>(client: Client, given: Body, nowMs: number, send: Send<T>): Promise<T> {
  const route = createRoute(client, {...ruleRoute, given})
  const start = await openRoute(route)
  const form: ReviewedForm = {
    questions: (body) => omitGiven([...buildRouteQuestions(route, body), ...buildRuleQuestions(body)], given),
    validate: (body) => validateRule(ruleCreate, normalizeDeveloperFee(body), nowMs),
    sendLabel: 'Create this rule',
  }
  printText(keysHelp)
  return sendOrRevise(await askForm(start, form), form, (body) => send(normalizeDeveloperFee(body)))
}
