// The wizard that completes the body of a quote. `svc pay` uses it, too.
import type {Client} from '../../client/client.ts'
import {validateQuote, addFeeType} from '../quote-body.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {toText} from '../../cli/output/view.ts'
import {runWizard} from '../../cli/wizard/run-wizard.ts'
import {formatBalance, isMoreThanBalance} from '../../accounts/balance-text.ts'
import {Directory} from '../../accounts/directory.ts'
import {openDrafts} from '../../cli/wizard/drafts.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {askYesNo} from '../../cli/wizard/select-prompts.ts'
import {keysHelp} from '../../cli/wizard/navigation.ts'
import type {Answers, Question} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard} from '../../cli/wizard/wizard.ts'
import type {ServiceState} from '../../transport.ts'
import {toRoutePath} from '../route-fields.ts'
import type {Route} from './route-accounts.ts'
import {openRoute, buildRouteQuestions, omitGiven} from './route-questions.ts'
import {printText} from '../../cli/wizard/print.ts'
import {type Send, sendOrRevise} from '../../cli/wizard/send-or-revise.ts'
import {buildFeeQuestions, amountHint, explainAmount} from './fee-questions.ts'

function buildAmountQuestion(route: Route, body: Body): Question {
  const currency = toText(getValue(body, toRoutePath(route, 'source', 'Currency')))
  const account = getValue(body, toRoutePath(route, 'source', 'PaymentAccountId'))
  const balances = route.directory.getBalances(body['customerId'], account)
  const held = formatBalance(balances, currency)
  return {
    path: 'source.sourceAmount',
    label: `Amount to pay, in ${currency}`,
    hint: held === undefined ? amountHint : `${amountHint}; the account holds ${held}`,
    kind: 'text',
    isRequired: true,
    explainText: (_, typed) => explainAmount(typed),
    warn: (amount) =>
      isMoreThanBalance(toText(amount), balances, currency) ? `The account holds only ${held}` : undefined,
  }
}

// A no leaves the field out, like the absent flag.
const guaranteeQuestion: Question = {
  path: 'guaranteeQuote',
  label: 'Guarantee the received amount?',
  kind: 'yes-no',
  isRequired: false,
  ask: async (present) => ((await askYesNo('Guarantee the received amount?', present === true)) ? true : undefined),
}

const buildQuestions = (route: Route, body: Body): Question[] => [
  ...buildRouteQuestions(route, body),
  buildAmountQuestion(route, body),
  ...buildFeeQuestions(body, {path: 'developerFee', currency: toRoutePath(route, 'source', 'Currency')}),
  guaranteeQuestion,
]

// What is not asked where only the route is open.
export const optionalPaths = ['developerFee.developerFeeAmount', 'developerFee.developerFeeType', 'guaranteeQuote']

export interface QuoteWizardOptions {
  // The command whose draft is saved.
  command: string
  // Paths that are not asked for, such as a guarantee that the limits of a payment already require.
  withoutQuestions?: readonly string[] | undefined
  // Absent if the service tells no balances.
  listBalances?: ServiceState['listBalances']
}

export async function runQuoteWizard<T>(
  client: Client,
  given: Body,
  {command, withoutQuestions = [], listBalances}: QuoteWizardOptions,
  send: Send<T>,
): Promise<T> {
  const directory = new Directory(client, {listBalances})
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
