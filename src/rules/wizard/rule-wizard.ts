// The wizard that creates an automation rule. It asks for what the flags did not give, and shows the whole rule before it
// sends it.
import {Directory} from '../../accounts/directory.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import {type DraftCaller, createDraftScope} from '../../cli/wizard/draft-store.ts'
import {openDrafts} from '../../cli/wizard/drafts.ts'
import {type BodyDraft, openBodyDraft} from '../../cli/wizard/keep-answers.ts'
import {keysHelp, keysHelpWithKeeper} from '../../cli/wizard/navigation.ts'
import {printText} from '../../cli/wizard/print.ts'
import {type Send, reviewAnswers, sendOrRevise} from '../../cli/wizard/review.ts'
import {findStepsBefore, runWizard} from '../../cli/wizard/run-wizard.ts'
import type {Answers} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard} from '../../cli/wizard/wizard.ts'
import type {Client} from '../../client/client.ts'
import {ruleCreate} from '../../contract/rules.ts'
import {buildRouteQuestions, omitGiven, openRoute} from '../../quotes/wizard/route-questions.ts'
import {normalizeDeveloperFee, validateRule} from '../rule-body.ts'
import {type RuleWizardContext, buildRuleQuestions, createRuleRoute, summarizeRule} from './rule-questions.ts'

export interface RuleCreationOptions extends RuleWizardContext {
  isDryRun: boolean
  isSandbox: boolean
  // A fee of 0 is not in the body, but it answers the question.
  isFeeGiven: boolean
  // Absent where only the route is open, which is asked anew at once.
  draft?: BodyDraft | undefined
}

export async function runRuleWizard<T>(
  client: Client,
  given: Body,
  context: RuleCreationOptions,
  send: Send<T>,
): Promise<T> {
  const route = createRuleRoute(new Directory(client, context), given)
  const {keeper, continued, body: kept} = context.draft ?? {}
  const start: Answers = {body: await openRoute(route, kept), forks: {}}
  const wizard: ReviewedWizard = {
    steps: ({body}) => omitGiven([...buildRouteQuestions(route, body), ...buildRuleQuestions(body, context)], given),
    validate: (body) => validateRule(ruleCreate, normalizeDeveloperFee(body), context.nowMs),
    drafts: openDrafts(undefined, ruleDraftCommand, '-f'),
    keeper,
    sendLabel: context.isDryRun ? 'Show the request' : 'Create this rule',
    summary: ({body}) => summarizeRule(route, normalizeDeveloperFee(body), context.nowMs),
  }
  printText(keeper?.canKeep ? keysHelpWithKeeper : keysHelp)
  const stepsBefore = continued && (await findStepsBefore(start, continued.at, wizard))
  const answers = await reviewAnswers(await runWizard(start, wizard, stepsBefore), wizard)
  try {
    const result = await sendOrRevise(answers, wizard, (body) => send(normalizeDeveloperFee(body)))
    if (!context.isDryRun) keeper?.discard()
    return result
  } finally {
    // What was not sent is offered the next time. A rule that may have been created is found then, and not created twice.
    keeper?.leave()
  }
}

// Opens the draft of `svc rules create`.
const ruleDraftCommand = 'rules create'

// The name of the rule in quotes, such as “Payroll”, or nothing if it has none yet.
const describeRule = (body: Body): string => {
  const name = toText(getValue(body, 'name'))
  return name && `“${name}”`
}

export const openRuleDraft = (
  caller: DraftCaller,
  given: Body,
  settings: {hasNoDraft: boolean; hasFile: boolean},
): Promise<BodyDraft> =>
  openBodyDraft({...createDraftScope(caller), command: ruleDraftCommand}, given, {...settings, describe: describeRule})
