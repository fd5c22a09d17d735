// The conversation that builds the body of a quote: from where to where, how much, for which fee. `svc pay` asks the same.
import type {Client} from '../../client/client.ts'
import {judgedQuote, withFeeType} from '../body.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {toText} from '../../cli/output/view.ts'
import {runWizard} from '../../cli/wizard/run-wizard.ts'
import {Directory} from '../../accounts/directory.ts'
import {openDrafts} from '../../cli/wizard/drafts.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {askYesNo} from '../../cli/wizard/select-prompts.ts'
import {keysHelp} from '../../cli/wizard/navigation.ts'
import type {Answers, Question} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard} from '../../cli/wizard/wizard.ts'
import {type Route, opened, pathOf, routeQuestions, unsaid} from './route.ts'
import {printText} from '../../cli/wizard/print.ts'
import {type Send, sendOrRevise} from '../../cli/wizard/send-or-revise.ts'
import {feeQuestions, sumHint} from './amounts.ts'

const amountQuestion = (route: Route, body: Body): Question => ({
  path: 'source.sourceAmount',
  label: `How much leaves, in ${toText(getValue(body, pathOf(route, 'source', 'Currency')))}`,
  hint: sumHint,
  kind: 'text',
  isRequired: true,
})

// Not to ask for a guarantee is to leave the field out, as without the flag.
const guaranteeQuestion: Question = {
  path: 'guaranteeQuote',
  label: 'Have the amount that arrives guaranteed?',
  kind: 'yes-no',
  isRequired: false,
  ask: async (present) =>
    (await askYesNo('Have the amount that arrives guaranteed?', present === true)) ? true : undefined,
}

const questionsOf = (route: Route, body: Body): Question[] => [
  ...routeQuestions(route, body),
  amountQuestion(route, body),
  ...feeQuestions(body, {path: 'developerFee', currency: pathOf(route, 'source', 'Currency')}),
  guaranteeQuestion,
]

export interface QuoteTalk {
  // The command that asks, for which a draft is kept.
  command: string
  // What else is never asked, such as a guarantee that the limits of a payment ask for by themselves.
  withoutQuestions?: readonly string[] | undefined
}

// Completes what was given, by asking, and sends it. The body is that of the same command with flags.
export async function quoteByConversation<T>(
  client: Client,
  given: Body,
  {command, withoutQuestions = []}: QuoteTalk,
  send: Send<T>,
): Promise<T> {
  const directory = new Directory(client)
  const route: Route = {directory, given, within: '', canPay: () => true, payers: 'account'}
  const start: Answers = {body: await opened(route), forks: {}}
  const conversation: ReviewedWizard = {
    steps: ({body}) => unsaid(questionsOf(route, body), given).filter(({path}) => !withoutQuestions.includes(path)),
    validate: (body) => judgedQuote(withFeeType(body)).problems,
    drafts: openDrafts(undefined, command, '-f'),
    sendLabel: 'Try again',
  }
  printText(keysHelp)
  return sendOrRevise(await runWizard(start, conversation), conversation, (body) => send(withFeeType(body)))
}
