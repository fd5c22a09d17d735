// The conversation that builds the body of a quote: from where to where, how much, for which fee. `svc pay` asks the same.
import type {Client} from '../../client/client.ts'
import {validateQuote, addFeeType} from '../quote-body.ts'
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
import {type Route, openRoute, toRoutePath, buildRouteQuestions, omitGiven} from './route-questions.ts'
import {printText} from '../../cli/wizard/print.ts'
import {type Send, sendOrRevise} from '../../cli/wizard/send-or-revise.ts'
import {buildFeeQuestions, amountHint} from './fee-questions.ts'

const buildAmountQuestion = (route: Route, body: Body): Question => ({
  path: 'source.sourceAmount',
  label: `How much leaves, in ${toText(getValue(body, toRoutePath(route, 'source', 'Currency')))}`,
  hint: amountHint,
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

const buildQuestions = (route: Route, body: Body): Question[] => [
  ...buildRouteQuestions(route, body),
  buildAmountQuestion(route, body),
  ...buildFeeQuestions(body, {path: 'developerFee', currency: toRoutePath(route, 'source', 'Currency')}),
  guaranteeQuestion,
]

export interface QuoteWizardOptions {
  // The command that asks, for which a draft is kept.
  command: string
  // What else is never asked, such as a guarantee that the limits of a payment ask for by themselves.
  withoutQuestions?: readonly string[] | undefined
}

// Completes what was given, by asking, and sends it. The body is that of the same command with flags.
export async function runQuoteWizard<T>(
  client: Client,
  given: Body,
  {command, withoutQuestions = []}: QuoteWizardOptions,
  send: Send<T>,
): Promise<T> {
  const directory = new Directory(client)
  const route: Route = {directory, given, prefix: '', canPay: () => true, payerLabel: 'account'}
  const start: Answers = {body: await openRoute(route), forks: {}}
  const wizard: ReviewedWizard = {
    steps: ({body}) =>
      omitGiven(buildQuestions(route, body), given).filter(({path}) => !withoutQuestions.includes(path)),
    validate: (body) => validateQuote(addFeeType(body)).problems,
    drafts: openDrafts(undefined, command, '-f'),
    sendLabel: 'Try again',
  }
  printText(keysHelp)
  return sendOrRevise(await runWizard(start, wizard), wizard, (body) => send(addFeeType(body)))
}
