// The wizard that completes the body of a quote. `svc pay` uses it, too. A fee of one's own is rare, so a flag alone gives it.
import type {Client} from '../../client/client.ts'
import {addFeeType, findFineAmounts, findZeroAmounts, validateQuote} from '../quote-body.ts'
import {type Body, getValue, withValue, withoutValue} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import {askForm} from '../../cli/wizard/ask-form.ts'
import {amountHint, createQuestion, explainAmount, nameCurrency} from '../../cli/wizard/questions.ts'
import {quoteCreate} from '../../contract/quotes.ts'
import {keysHelp} from '../../cli/prompts/ask.ts'
import type {Question, ReviewedForm} from '../../cli/wizard/question.ts'
import {toRoutePath} from '../route-fields.ts'
import {type Route, createRoute} from './route-accounts.ts'
import {
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
  const currency = toText(getValue(body, toRoutePath(route.prefix, 'source', 'Currency')))
  const arrivesPath = toRoutePath(route.prefix, 'destination', 'Currency')
  return {
    ...nameCurrency(createQuestion(quoteCreate.shape.source, 'source', 'sourceAmount'), currency),
    hint: amountHint,
    parse: (typed) => stripCurrency(typed, currency),
    explainText: (_, typed) =>
      explainAmount(typed) ?? explainOtherCurrency(typed, currency, toText(getValue(body, arrivesPath))),
  }
}

const amountPath = 'source.sourceAmount'

// A quote takes such an amount after a warning, a payment does not.
function explainUnpayable(amount: unknown, currency: string): string | undefined {
  const body = {amount, currency}
  const [problem] = [...findZeroAmounts(body, ['amount']), ...findFineAmounts(body, 'amount', 'currency')]
  return problem && `It ${problem.message}`
}

// The sum that is sent, or the one that is to arrive, as an invoice says it: the currency or the words tell which.
function buildSumQuestion(route: Route, body: Body): Question {
  const [from, to] = (['source', 'destination'] as const).map((side) =>
    toText(getValue(body, toRoutePath(route.prefix, side, 'Currency'))),
  )
  let arriving: string | undefined
  const sent: Question = {
    ...buildAmountQuestion(route, body),
    check: (amount) => explainUnpayable(amount, toText(arriving === undefined ? from : to)),
  }
  if (from === undefined || to === undefined || from === '' || to === '') return sent
  const isAnswered = body['receive'] !== undefined
  const isPlain = (typed: string) => isAnswered && stripCurrency(typed, from) === typed
  const read = (typed: string) =>
    readArriving(typed, from, to) ?? (isPlain(typed) ? stripCurrency(typed, to) : undefined)
  return {
    ...sent,
    label: `${sent.label}, or to arrive, in ${to}`,
    ...(isAnswered && {path: 'receive', label: `Amount to arrive (${to})`}),
    hint: `${sent.hint ?? ''}; of an invoice what is to arrive, such as 230 ${to} to arrive`,
    parse: (typed) => {
      arriving = read(typed)
      return arriving ?? stripCurrency(typed, from)
    },
    format: (typed) =>
      read(typed) === undefined ? `${stripCurrency(typed, from)} ${from}` : `${read(typed)} ${to} to arrive`,
    explainText: (label, typed) => (read(typed) === undefined ? sent.explainText?.(label, typed) : undefined),
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
  // What is to arrive is guaranteed.
  ...(body['receive'] === undefined ? [buildGuaranteeQuestion()] : []),
]

const whoPaysWhom =
  'A customer pays from one of their accounts to another one, such as the bank account of a supplier that was added.'

export interface QuoteWizardOptions {
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
  validate?: ReviewedForm['validate'] | undefined
}

export async function runQuoteWizard<T>(
  client: Client,
  given: Body,
  {withoutQuestions = [], takesReceive = false, isSandbox, addAccount, lastQuestion, validate}: QuoteWizardOptions,
  send: Send<T>,
): Promise<T> {
  const kind = {prefix: '', canPay: () => true, payerLabel: 'account'} as const
  const route = createRoute(client, {...kind, given, isSandbox, addAccount})
  const start = await openRoute(route)
  const form: ReviewedForm = {
    questions: (body) =>
      omitGiven([...buildQuestions(route, body, takesReceive), ...(lastQuestion ? [lastQuestion] : [])], given).filter(
        ({path}) => !withoutQuestions.includes(path),
      ),
    validate: validate ?? ((body) => validateQuote(addFeeType(body)).problems),
    sendLabel: 'Try again',
  }
  printText(keysHelp)
  if (start['customerId'] === undefined) printText(whoPaysWhom)
  const completed = await askForm(start, form)
  return sendOrRevise(completed, form, (body) => send(addFeeType(body)))
}
