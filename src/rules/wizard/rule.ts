// The conversation in which an automation rule is made: everything is asked that flags did not say, and shown in words
// before it is armed.
import type {Client} from '../../client/client.ts'
import {ruleCreate} from '../../contract/rules.ts'
import {problemsInRule, withFeeSettled} from '../body.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {runWizard} from '../../cli/wizard/run-wizard.ts'
import {Directory} from '../../accounts/directory.ts'
import {openDrafts} from '../../cli/wizard/drafts.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {keysHelp} from '../../cli/wizard/navigation.ts'
import type {Answers} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard} from '../../cli/wizard/wizard.ts'
import {reviewAnswers} from '../../cli/wizard/review.ts'
import {opened, routeQuestions, unsaid} from '../../quotes/wizard/route.ts'
import {type RuleTalk, distance, ruleRoute, whenAndWhat} from './rule-questions.ts'
import {ruleSummary} from './rule-summary.ts'
import {printText} from '../../cli/wizard/print.ts'
import {type Send, sendOrRevise} from '../../cli/wizard/send-or-revise.ts'

export interface RuleCreation extends RuleTalk {
  // Whether the request is only shown.
  isDryRun: boolean
  // A fee of 0 is no fee and stands in no body, but it was said.
  isFeeSaid: boolean
}

// Completes what was given, by asking, and sends it. The body is that of the same command with flags.
export async function ruleByConversation<T>(
  client: Client,
  given: Body,
  talk: RuleCreation,
  send: Send<T>,
): Promise<T> {
  const route = ruleRoute(new Directory(client), given)
  const start: Answers = {body: await opened(route), forks: {}}
  const conversation: ReviewedWizard = {
    steps: ({body}) => unsaid([...routeQuestions(route, body), ...whenAndWhat(body, talk)], given),
    validate: (body) => problemsInRule(ruleCreate, withFeeSettled(body), talk.nowMs),
    drafts: openDrafts(undefined, 'rules create', '-f'),
    sendLabel: talk.isDryRun ? 'Show the request' : 'Create this rule',
    summary: ({body}) => ruleSummary(route, withFeeSettled(body), talk.nowMs),
    remarks: ({body}) => {
      const words = distance(getValue(body, 'trigger.thresholdAmount'), body, talk)
      return words === undefined ? [] : [`${words}.`]
    },
  }
  printText(keysHelp)
  const answers = await reviewAnswers(await runWizard(start, conversation), conversation)
  return sendOrRevise(answers, conversation, (body) => send(withFeeSettled(body)))
}
