// The conversation in which an automation rule is changed: only what the service lets change is asked for, and what was is
// shown beside what will be.
import type {Client} from '../../client/client.ts'
import {ruleUpdate} from '../../contract/rules.ts'
import {mergeBodies} from '../../cli/body/body.ts'
import {problemsInRule, withFeeSettled} from '../body.ts'
import {fieldsLeftOut, lossWarning} from '../left-out.ts'
import {configurationOf, isChangeable} from '../rule-form.ts'
import type {Rule} from '../writes.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {writeErr} from '../../cli/output/streams.ts'
import {toText} from '../../cli/output/view.ts'
import {amountText, feeText} from '../view.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {runWizard} from '../../cli/wizard/run-wizard.ts'
import {Directory} from '../../accounts/directory.ts'
import {noDrafts} from '../../cli/wizard/drafts.ts'
import {keysHelpWithoutDrafts} from '../../cli/wizard/navigation.ts'
import type {Answers, Step} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard} from '../../cli/wizard/wizard.ts'
import {reviewAnswers} from '../../cli/wizard/review.ts'
import {type Route, canPayElsewhere, endQuestions} from '../../quotes/wizard/route.ts'
import {type RuleTalk, amountQuestions, ruleFeeQuestions, ruleRoute} from './rule-questions.ts'
import {endWords, indented, ruleSummary} from './rule-summary.ts'

// What may change, how it is called, and how it reads in a rule.
interface Changeable {
  field: 'destination' | 'amount' | 'developerFee'
  label: string
  words: (rule: Body, route: Route) => string
  asked: (words: string) => string
}

const noFee = 'none'

const changeables: readonly Changeable[] = [
  {
    field: 'destination',
    label: 'To',
    words: (rule, route) => endWords(route, rule, 'destination'),
    asked: () => 'Pay to another account?',
  },
  {
    field: 'amount',
    label: 'Amount',
    words: (rule) => toText(amountText(rule)),
    asked: (words) => `Move another amount than ${words}?`,
  },
  {
    field: 'developerFee',
    label: 'Developer fee',
    words: (rule) => toText(feeText(rule)) || noFee,
    asked: (words) => (words === noFee ? 'Take a developer fee?' : `Take another developer fee than ${words}?`),
  },
]

function questionsOf({field}: Changeable, route: Route, body: Body, talk: RuleTalk): Step[] {
  if (field === 'destination') return endQuestions(route, body, 'destination')
  if (field === 'amount') return amountQuestions(body, talk)
  // Whoever said that the fee changes says to what.
  return ruleFeeQuestions(body, '0 removes it').map((question) => ({...question, isRequired: true}))
}

const templateOf = (rule: Body) => (rule['transactionTemplate'] ?? {}) as Body

// The rule with those of its fields changed of which a person said so; the others stay, whatever was typed in between.
function changedBody(before: Body, {body, forks}: Answers): Body {
  const kept = Object.fromEntries(
    changeables.map(({field}) => [field, templateOf(forks[field] === true ? body : before)[field]]),
  )
  return withFeeSettled({...before, transactionTemplate: {...templateOf(before), ...kept}})
}

// A change that was taken back left a gap, in which what was before stands again.
const whole = (before: Body, body: Body): Body => withFeeSettled(mergeBodies(before, body))

// What changes, each with what was and what will be.
function differences(before: Body, after: Body, route: Route): string[] {
  const lines = changeables.flatMap(({label, words}) => {
    const [was, willBe] = [words(before, route), words(after, route)]
    return was === willBe ? [] : indented(`${label}: ${was} → ${willBe}`)
  })
  return lines.length > 0 ? lines : ['  Nothing changes.']
}

export interface RuleChange extends RuleTalk {
  isDryRun: boolean
}

// Returns what to lay over the rule, in the form that flags would give it.
export async function changeByConversation(client: Client, rule: Rule, talk: RuleChange): Promise<Body> {
  const before = configurationOf(rule) as unknown as Body
  const route = ruleRoute(new Directory(client), {customerId: before['customerId']})
  if (before['customerId'] !== undefined) await route.directory.accountsOf(toText(before['customerId']))
  const loss = lossWarning([{loses: fieldsLeftOut(rule)}])
  const offered = changeables.filter(({field}) => field !== 'destination' || canPayElsewhere(route, before))
  const conversation: ReviewedWizard = {
    steps: (answers) =>
      offered.flatMap((each): Step[] => [
        {fork: each.field, label: each.asked(cleanText(each.words(before, route)))},
        ...(answers.forks[each.field] ? questionsOf(each, route, answers.body, talk) : []),
      ]),
    // What else is odd about a rule that works is no reason not to change it.
    validate: (body) =>
      problemsInRule(ruleUpdate, {id: rule.id, ...whole(before, body)}, talk.nowMs).filter(({path}) =>
        isChangeable(path),
      ),
    drafts: noDrafts,
    sendLabel: talk.isDryRun ? 'Show the request' : 'Change the rule',
    summary: (answers) => [
      ...differences(before, changedBody(before, answers), route),
      ...(loss ? indented(loss) : []),
    ],
  }
  for (const line of [...ruleSummary(route, before), keysHelpWithoutDrafts]) writeErr(`${line}\n`)
  const answers = await reviewAnswers(await runWizard({body: before, forks: {}}, conversation), conversation)
  const {transactionTemplate} = changedBody(before, answers)
  const {destination, amount, developerFee = null} = transactionTemplate as Body
  return {transactionTemplate: {destination, amount, developerFee}}
}
