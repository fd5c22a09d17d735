// The wizard that changes an automation rule. It asks only for fields that the service can change.
import type {Client} from '../../client/client.ts'
import {ruleUpdate} from '../../contract/rules.ts'
import {mergeBodies} from '../../cli/body/body.ts'
import {validateRule, normalizeDeveloperFee} from '../rule-body.ts'
import {formatLossWarning, isChangeable, listUnsendableFields, toConfiguration} from '../rule-configuration.ts'
import type {LooseRule} from '../../contract/loose.ts'
import type {Body} from '../../values/body-paths.ts'
import {isRecord} from '../../values/records.ts'
import {writeErrLines} from '../../cli/output/streams.ts'
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
import {type Route, canPayElsewhere} from '../../quotes/wizard/route-accounts.ts'
import {buildSideQuestions} from '../../quotes/wizard/route-questions.ts'
import {
  type RuleWizardContext,
  buildAmountQuestions,
  buildRuleFeeQuestions,
  createRuleRoute,
  describeDestination,
  indentText,
  summarizeRule,
} from './rule-questions.ts'

interface ChangeableField {
  field: 'destination' | 'amount' | 'developerFee'
  label: string
  describe: (rule: Body, route: Route) => string
  toQuestion: (current: string) => string
}

const noFee = 'none'

const changeableFields: readonly ChangeableField[] = [
  {
    field: 'destination',
    label: 'To',
    describe: (rule, route) => describeDestination(route, rule),
    toQuestion: () => 'Pay to another account?',
  },
  {
    field: 'amount',
    label: 'Amount',
    describe: (rule) => toText(formatRuleAmount(rule)),
    toQuestion: (current) => `Change the amount of ${current}?`,
  },
  {
    field: 'developerFee',
    label: 'Developer fee',
    describe: (rule) => toText(formatDeveloperFee(rule)) || noFee,
    toQuestion: (current) => (current === noFee ? 'Add a developer fee?' : `Change the developer fee of ${current}?`),
  },
]

function buildQuestions({field}: ChangeableField, route: Route, body: Body, context: RuleWizardContext): Step[] {
  if (field === 'destination') return buildSideQuestions(route, body, 'destination')
  if (field === 'amount') return buildAmountQuestions(body, context)
  // The person has chosen to change the fee, so an answer is required.
  return buildRuleFeeQuestions(body, '0 removes it').map((question) => ({...question, isRequired: true}))
}

const getTemplate = ({transactionTemplate}: Body): Body => (isRecord(transactionTemplate) ? transactionTemplate : {})

// Changes only the fields that the person chose to change. Other answers, typed before going back, are ignored.
function applyChosenChanges(before: Body, {body, forks}: Answers): Body {
  const fields = Object.fromEntries(
    changeableFields.map(({field}) => [field, getTemplate(forks[field] === true ? body : before)[field]]),
  )
  return normalizeDeveloperFee({...before, transactionTemplate: {...getTemplate(before), ...fields}})
}

// Fields that a withdrawn answer left empty get their old values.
const mergeWithRule = (before: Body, body: Body): Body => normalizeDeveloperFee(mergeBodies(before, body))

function describeDifferences(before: Body, after: Body, route: Route): string[] {
  const lines = changeableFields.flatMap(({label, describe}) => {
    const [was, willBe] = [describe(before, route), describe(after, route)]
    return was === willBe ? [] : indentText(`${label}: ${was} → ${willBe}`)
  })
  return lines.length > 0 ? lines : ['  Nothing changes.']
}

export interface RuleChangeOptions extends RuleWizardContext {
  isDryRun: boolean
}

// Returns the change in the same form as the flags give it.
export async function runRuleChangeWizard(client: Client, rule: LooseRule, context: RuleChangeOptions): Promise<Body> {
  const before: Body = {...toConfiguration(rule)}
  const route = createRuleRoute(new Directory(client, context), {customerId: before['customerId']})
  if (before['customerId'] !== undefined) await route.directory.readAccounts(toText(before['customerId']))
  const loss = formatLossWarning([{loses: listUnsendableFields(rule)}])
  const offered = changeableFields.filter(({field}) => field !== 'destination' || canPayElsewhere(route, before))
  const wizard: ReviewedWizard = {
    steps: (answers) =>
      offered.flatMap((each): Step[] => [
        {fork: each.field, label: each.toQuestion(cleanText(each.describe(before, route)))},
        ...(answers.forks[each.field] ? buildQuestions(each, route, answers.body, context) : []),
      ]),
    // Problems in fixed fields are no reason not to change a rule that works.
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
  writeErrLines([...summarizeRule(route, before), keysHelpWithoutDrafts])
  const answers = await reviewAnswers(await runWizard({body: before, forks: {}}, wizard), wizard)
  const {destination, amount, developerFee = null} = getTemplate(applyChosenChanges(before, answers))
  return {transactionTemplate: {destination, amount, developerFee}}
}
