// The conversation in which an automation rule is changed: only what the service lets change is asked for, and what was is
// shown beside what will be.
import type {Client} from '../../client/client.ts'
import {ruleUpdate} from '../../contract/rules.ts'
import {mergeBodies} from '../../cli/body/body.ts'
import {validateRule, normalizeDeveloperFee} from '../rule-body.ts'
import {listUnsendableFields, formatLossWarning} from '../unsendable-fields.ts'
import {toConfiguration, isChangeable} from '../rule-configuration.ts'
import type {LooseRule} from '../../contract/loose.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {writeErr} from '../../cli/output/streams.ts'
import {toText} from '../../cli/output/view.ts'
import {formatRuleAmount, formatDeveloperFee} from '../view.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {runWizard} from '../../cli/wizard/run-wizard.ts'
import {Directory} from '../../accounts/directory.ts'
import {noDrafts} from '../../cli/wizard/drafts.ts'
import {keysHelpWithoutDrafts} from '../../cli/wizard/navigation.ts'
import type {Answers, Step} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard} from '../../cli/wizard/wizard.ts'
import {reviewAnswers} from '../../cli/wizard/review.ts'
import {type Route, canPayElsewhere, buildSideQuestions} from '../../quotes/wizard/route-questions.ts'
import {type RuleWizardContext, buildAmountQuestions, buildRuleFeeQuestions, createRuleRoute} from './rule-questions.ts'
import {describeEnd, indentText, summarizeRule} from './summarize-rule.ts'

// What may change, how it is called, and how it reads in a rule.
interface ChangeableField {
  field: 'destination' | 'amount' | 'developerFee'
  label: string
  describe: (rule: Body, route: Route) => string
  question: (words: string) => string
}

const noFee = 'none'

const changeableFields: readonly ChangeableField[] = [
  {
    field: 'destination',
    label: 'To',
    describe: (rule, route) => describeEnd(route, rule, 'destination'),
    question: () => 'Pay to another account?',
  },
  {
    field: 'amount',
    label: 'Amount',
    describe: (rule) => toText(formatRuleAmount(rule)),
    question: (words) => `Move another amount than ${words}?`,
  },
  {
    field: 'developerFee',
    label: 'Developer fee',
    describe: (rule) => toText(formatDeveloperFee(rule)) || noFee,
    question: (words) => (words === noFee ? 'Take a developer fee?' : `Take another developer fee than ${words}?`),
  },
]

function buildQuestions({field}: ChangeableField, route: Route, body: Body, context: RuleWizardContext): Step[] {
  if (field === 'destination') return buildSideQuestions(route, body, 'destination')
  if (field === 'amount') return buildAmountQuestions(body, context)
  // Whoever said that the fee changes says to what.
  return buildRuleFeeQuestions(body, '0 removes it').map((question) => ({...question, isRequired: true}))
}

const getTemplate = (rule: Body) => (rule['transactionTemplate'] ?? {}) as Body

// The rule with those of its fields changed of which a person said so; the others stay, whatever was typed in between.
function applyChosenChanges(before: Body, {body, forks}: Answers): Body {
  const kept = Object.fromEntries(
    changeableFields.map(({field}) => [field, getTemplate(forks[field] === true ? body : before)[field]]),
  )
  return normalizeDeveloperFee({...before, transactionTemplate: {...getTemplate(before), ...kept}})
}

// A change that was taken back left a gap, in which what was before stands again.
const mergeWithRule = (before: Body, body: Body): Body => normalizeDeveloperFee(mergeBodies(before, body))

// What changes, each with what was and what will be.
function describeDifferences(before: Body, after: Body, route: Route): string[] {
  const lines = changeableFields.flatMap(({label, describe: words}) => {
    const [was, willBe] = [words(before, route), words(after, route)]
    return was === willBe ? [] : indentText(`${label}: ${was} → ${willBe}`)
  })
  return lines.length > 0 ? lines : ['  Nothing changes.']
}

export interface RuleChangeOptions extends RuleWizardContext {
  isDryRun: boolean
}

// Returns what to lay over the rule, in the form that flags would give it.
export async function runRuleChangeWizard(client: Client, rule: LooseRule, context: RuleChangeOptions): Promise<Body> {
  const before = toConfiguration(rule) as unknown as Body
  const route = createRuleRoute(new Directory(client), {customerId: before['customerId']})
  if (before['customerId'] !== undefined) await route.directory.readAccounts(toText(before['customerId']))
  const loss = formatLossWarning([{loses: listUnsendableFields(rule)}])
  const offered = changeableFields.filter(({field}) => field !== 'destination' || canPayElsewhere(route, before))
  const wizard: ReviewedWizard = {
    steps: (answers) =>
      offered.flatMap((each): Step[] => [
        {fork: each.field, label: each.question(cleanText(each.describe(before, route)))},
        ...(answers.forks[each.field] ? buildQuestions(each, route, answers.body, context) : []),
      ]),
    // What else is odd about a rule that works is no reason not to change it.
    validate: (body) =>
      validateRule(ruleUpdate, {id: rule.id, ...mergeWithRule(before, body)}, context.nowMs).filter(({path}) =>
        isChangeable(path),
      ),
    drafts: noDrafts,
    sendLabel: context.isDryRun ? 'Show the request' : 'Change the rule',
    summary: (answers) => [
      ...describeDifferences(before, applyChosenChanges(before, answers), route),
      ...(loss ? indentText(loss) : []),
    ],
  }
  for (const line of [...summarizeRule(route, before), keysHelpWithoutDrafts]) writeErr(`${line}\n`)
  const answers = await reviewAnswers(await runWizard({body: before, forks: {}}, wizard), wizard)
  const {transactionTemplate} = applyChosenChanges(before, answers)
  const {destination, amount, developerFee = null} = transactionTemplate as Body
  return {transactionTemplate: {destination, amount, developerFee}}
}
