// The wizard that completes the body of a quote. `svc pay` uses it, too.
import type {Client} from '../../client/client.ts'
import {validateQuote, addFeeType} from '../quote-body.ts'
import {type Body, getValue, withValue, withoutValue} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import {findStepsBefore, runWizard} from '../../cli/wizard/run-wizard.ts'
import {Directory} from '../../accounts/directory.ts'
import {openDrafts} from '../../cli/wizard/drafts.ts'
import {amountHint, createQuestion, explainAmount, nameCurrency} from '../../cli/wizard/questions.ts'
import {quoteCreate} from '../../contract/quotes.ts'
import {keysHelp, keysHelpWithKeeper} from '../../cli/wizard/navigation.ts'
import type {DraftPosition} from '../../cli/wizard/draft-store.ts'
import type {Keeper} from '../../cli/wizard/keep-answers.ts'
import {type Answers, type Question, getStepKey} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard} from '../../cli/wizard/wizard.ts'
import {toRoutePath} from '../complete-route.ts'
import type {Route} from './route-accounts.ts'
import {
  buildFeeQuestions,
  buildRouteQuestions,
  explainOtherCurrency,
  omitGiven,
  openRoute,
  readArriving,
  stripCurrency,
} from './route-questions.ts'
import {printText} from '../../cli/wizard/print.ts'
import {type Send, sendOrRevise} from '../../cli/wizard/review.ts'

function buildAmountQuestion(route: Route, body: Body): Question {
  const currency = toText(getValue(body, toRoutePath(route, 'source', 'Currency')))
  const arrivesPath = toRoutePath(route, 'destination', 'Currency')
  return {
    ...nameCurrency(createQuestion(quoteCreate.shape.source, 'source', 'sourceAmount'), currency),
    hint: amountHint,
    parse: (typed) => stripCurrency(typed, currency),
    explainText: (_, typed) =>
      explainAmount(typed) ?? explainOtherCurrency(typed, currency, toText(getValue(body, arrivesPath))),
  }
}

const amountPath = 'source.sourceAmount'

// The sum that is sent, or the one that is to arrive, as an invoice says it: the currency or the words tell which.
function buildSumQuestion(route: Route, body: Body): Question {
  const sent = buildAmountQuestion(route, body)
  const [from, to] = (['source', 'destination'] as const).map((side) =>
    toText(getValue(body, toRoutePath(route, side, 'Currency'))),
  )
  if (from === undefined || to === undefined || from === '' || to === '') return sent
  const isAnswered = body['receive'] !== undefined
  const isPlain = (typed: string) => isAnswered && stripCurrency(typed, from) === typed
  const read = (typed: string) =>
    readArriving(typed, from, to) ?? (isPlain(typed) ? stripCurrency(typed, to) : undefined)
  let arriving: string | undefined
  return {
    ...sent,
    ...(isAnswered && {path: 'receive', label: `Amount to arrive (${to})`}),
    hint: `${sent.hint ?? ''}. Of an invoice, write what must arrive: 230 ${to} to arrive`,
    parse: (typed) => {
      arriving = read(typed)
      return arriving ?? stripCurrency(typed, from)
    },
    describeAssumption: (typed) => read(typed) && `${read(typed)} ${to} to arrive`,
    explainText: (label, typed) => (read(typed) === undefined ? sent.explainText?.(label, typed) : undefined),
    warn: (amount) => (arriving === undefined ? sent.warn?.(amount) : undefined),
    afterAnswer: (next) =>
      arriving === undefined
        ? withValue(withoutValue(next, 'receive'), amountPath, getValue(next, isAnswered ? 'receive' : amountPath))
        : withValue(withoutValue(next, amountPath), 'receive', arriving),
  }
}

// A no leaves the field out, like the absent flag.
const buildGuaranteeQuestion = (): Question => ({
  ...createQuestion(quoteCreate, '', 'guaranteeQuote'),
  afterAnswer: (body) => (body['guaranteeQuote'] === true ? body : withoutValue(body, 'guaranteeQuote')),
})

const buildQuestions = (route: Route, body: Body, takesReceive: boolean): Question[] => [
  ...buildRouteQuestions(route, body),
  takesReceive ? buildSumQuestion(route, body) : buildAmountQuestion(route, body),
  ...buildFeeQuestions(body, {path: 'developerFee', currency: toRoutePath(route, 'source', 'Currency')}),
  // What is to arrive is guaranteed.
  ...(body['receive'] === undefined ? [buildGuaranteeQuestion()] : []),
]

const whoPaysWhom =
  'A customer pays from one of their accounts to another one, such as the bank account of a supplier that was added.'

// What is not asked where only the route is open.
export const optionalPaths = ['developerFee.developerFeeAmount', 'developerFee.developerFeeType', 'guaranteeQuote']

export interface QuoteWizardOptions {
  // The command whose draft is saved.
  command: string
  // Paths that are not asked for, such as a guarantee that the limits of a payment already require.
  withoutQuestions?: readonly string[] | undefined
  // Whether what is to arrive may be given in place of the amount.
  takesReceive?: boolean | undefined
  isSandbox?: boolean | undefined
  // Leads to a bank account that does not exist yet, if somebody new may be paid.
  addAccount?: Route['addAccount']
  // Asked after the others, such as for the key of a payment.
  lastQuestion?: Question | undefined
  // Lists the problems of a body with such an answer.
  validate?: ReviewedWizard['validate'] | undefined
  // Keeps the answers while they are given.
  keeper?: Keeper | undefined
  start?: QuoteWizardStart | undefined
}

// What the wizard starts with, beside the given fields.
export interface QuoteWizardStart {
  body?: Body | undefined
  // A draft that was kept, with the question that was left; undefined is the end.
  continued?: {at: DraftPosition | undefined} | undefined
  // The person came back from the price.
  isLastAskedAgain?: boolean | undefined
}

async function findSkippedSteps(
  start: Answers,
  wizard: ReviewedWizard,
  {continued, isLastAskedAgain}: QuoteWizardStart,
) {
  if (continued) return findStepsBefore(start, continued.at, wizard)
  if (!isLastAskedAgain) return undefined
  const keys = wizard.steps(start).map(getStepKey)
  return new Set(keys.slice(0, -1))
}

export async function runQuoteWizard<T>(
  client: Client,
  given: Body,
  {
    command,
    withoutQuestions = [],
    takesReceive = false,
    isSandbox,
    addAccount,
    lastQuestion,
    validate,
    keeper,
    start = {},
  }: QuoteWizardOptions,
  send: Send<T>,
): Promise<T> {
  const directory = new Directory(client, {isSandbox})
  const route: Route = {directory, given, prefix: '', canPay: () => true, payerLabel: 'account', addAccount}
  const answers: Answers = {body: await openRoute(route, start.body), forks: {}}
  const wizard: ReviewedWizard = {
    steps: ({body}) =>
      omitGiven([...buildQuestions(route, body, takesReceive), ...(lastQuestion ? [lastQuestion] : [])], given).filter(
        ({path}) => !withoutQuestions.includes(path),
      ),
    validate: validate ?? ((body) => validateQuote(addFeeType(body)).problems),
    drafts: openDrafts(undefined, command, '-f'),
    keeper,
    sendLabel: 'Try again',
  }
  if (!start.isLastAskedAgain) printText(keeper?.canKeep ? keysHelpWithKeeper : keysHelp)
  if (answers.body['customerId'] === undefined) printText(whoPaysWhom)
  const completed = await runWizard(answers, wizard, await findSkippedSteps(answers, wizard, start))
  return sendOrRevise(completed, wizard, (body) => {
    keeper?.keep({body, forks: {}}, undefined)
    return send(addFeeType(body))
  })
}
