// The questions about a route: customer, accounts, currencies and payment methods. Quotes, payments and rules share them.
import {lineWidth} from '../../cli/output/streams.ts'
import {
  type AcceptedValues,
  describeAccount,
  getAcceptedRoutes,
  getAccountId,
  getSingleValue,
  hasForm,
  isPending,
  isServiceWallet,
} from '../../accounts/describe-account.ts'
import {type Body, getValue, withValue, withoutValue} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import type {Choice} from '../../cli/wizard/choices.ts'
import {printText} from '../../cli/wizard/print.ts'
import {askSelect} from '../../cli/prompts/ask.ts'
import {createQuestion} from '../../cli/wizard/questions.ts'
import {AskAgain, type Question} from '../../cli/wizard/question.ts'
import type {LoosePaymentAccount} from '../../contract/loose.ts'
import {quoteCreate} from '../../contract/quotes.ts'
import {fiatMethods} from '../../contract/vocabulary.ts'
import {badUsage} from '../../errors.ts'
import {svc} from '../../values/text.ts'
import {type Side, toRoutePath} from '../route-fields.ts'
import {
  type Route,
  canAddAccount,
  findAccount,
  findObstacle,
  fitsGiven,
  isGiven,
  listCandidates,
  listUsable,
  omitPending,
} from './route-accounts.ts'

// Fills in fields for which the account accepts only one value: a bank account has one currency and one method.
function fillFixedFields(route: Route, body: Body, side: Side): Body {
  const account = findAccount(route, body, side)
  const {currencies, methods} = getAcceptedRoutes(account)
  const fill = (target: Body, field: 'Currency' | 'PaymentMethod', accepted: AcceptedValues) => {
    const path = toRoutePath(route.prefix, side, field)
    const only = getSingleValue(accepted)
    return only !== '' && getValue(target, path) === undefined ? withValue(target, path, only) : target
  }
  return fill(fill(body, 'Currency', currencies), 'PaymentMethod', methods)
}

// Removes what followed from the previous account.
function clearSide(route: Route, body: Body, side: Side, isWhole: boolean): Body {
  const fields = [...(isWhole ? (['PaymentAccountId'] as const) : []), 'Currency', 'PaymentMethod'] as const
  return fields
    .map((field) => toRoutePath(route.prefix, side, field))
    .filter((path) => !isGiven(route, path))
    .reduce(withoutValue, body)
}

async function applyCustomer(route: Route, body: Body, before: Body): Promise<Body> {
  await route.parties.readAccounts(String(body['customerId']))
  const obstacle = await findObstacle(route, body)
  if (obstacle) throw new AskAgain(`${obstacle.reason}. ${obstacle.advice}. Or choose another customer.`)
  if (body['customerId'] === before['customerId']) return body
  return clearSide(route, clearSide(route, body, 'source', true), 'destination', true)
}

// Stands for an account that does not exist yet.
const newAccount = 'new'

const newAccountChoice: Choice<string> = {
  name: 'Somebody new: open the form of a bank account, and wait for it',
  short: 'somebody new',
  value: newAccount,
}

// Goes on with the account that the form leads to.
async function addAccount(route: Route, body: Body, before: Body): Promise<Body> {
  const path = toRoutePath(route.prefix, 'destination', 'PaymentAccountId')
  const customerId = toText(body['customerId'])
  const id = await route.addAccount?.(customerId)
  await route.parties.readAccounts(customerId, true)
  const account = route.parties.findAccount(customerId, id)
  if (account) printText(`  To ${describeAccount(account, lineWidth() - questionWidth)}`)
  return applyAccount(route, withValue(body, path, id), before, 'destination')
}

function applyAccount(route: Route, body: Body, before: Body, side: Side): Body {
  const path = toRoutePath(route.prefix, side, 'PaymentAccountId')
  const chosen = getValue(body, path)
  if (chosen === getValue(before, path)) return body
  const completed = fillFixedFields(route, clearSide(route, body, side, false), side)
  const isSame =
    side === 'source' && getValue(body, toRoutePath(route.prefix, 'destination', 'PaymentAccountId')) === chosen
  return isSame ? clearSide(route, completed, 'destination', true) : completed
}

// The width of the pointer before a choice, and of the question before its answer.
const pointerWidth = 2
const questionWidth = 31

function toAccountChoice(account: LoosePaymentAccount): Choice<string> {
  const width = lineWidth()
  const name = describeAccount(account, width - pointerWidth)
  const short = describeAccount(account, width - questionWidth)
  const id = getAccountId(account)
  if (!isPending(account)) return {name, short, value: id, description: id, keywords: listKeywords(account)}
  const why = hasForm(account) ? 'its form is not filled in' : 'the service has not opened it yet'
  return toDisabledChoice(account, `(pending: ${why})`)
}

const toDisabledChoice = (account: LoosePaymentAccount, disabled: string): Choice<string> => ({
  name: describeAccount(account, lineWidth() - pointerWidth - disabled.length - 1),
  value: '',
  disabled,
})

// What people also know an account by: its id, and the code of its method.
const listKeywords = (account: LoosePaymentAccount): string[] => [
  getAccountId(account),
  ...getAcceptedRoutes(account).methods.values,
]

// Listed after those that fit, so that nobody looks for them in vain.
const toUnfitChoice = (account: LoosePaymentAccount) => toDisabledChoice(account, '(not for this currency or method)')

const isFiat = (account: LoosePaymentAccount | undefined) =>
  account !== undefined &&
  getAcceptedRoutes(account).methods.values.every((method) => fiatMethods.some((fiat) => fiat === method))

// The service pays by itself only from its own wallets, so these come first among the payers. Most payments go from fiat to
// crypto or back, so receivers of the other kind come first. Pending accounts come last.
function sortAccounts(
  accounts: readonly LoosePaymentAccount[],
  side: Side,
  payer: LoosePaymentAccount | undefined,
): LoosePaymentAccount[] {
  const isLikely = (account: LoosePaymentAccount) =>
    side === 'source' ? isServiceWallet(account) : !payer || isFiat(account) !== isFiat(payer)
  const rank = (account: LoosePaymentAccount) => (isPending(account) ? 2 : isLikely(account) ? 0 : 1)
  return accounts.toSorted((a, b) => rank(a) - rank(b))
}

// Rules have the same routes as quotes.
const createRouteQuestion = ({prefix}: Route, side: Side, field: 'PaymentAccountId' | 'Currency' | 'PaymentMethod') =>
  createQuestion(quoteCreate.shape[side], `${prefix}${side}`, `${side}${field}`)

function buildAccountQuestion(route: Route, body: Body, side: Side): Question {
  const payer = side === 'destination' ? findAccount(route, body, 'source') : undefined
  const canAdd = side === 'destination' && canAddAccount(route, body)
  const unfit = omitPending(listUsable(route, body, side)).filter((account) => !fitsGiven(route, side, account))
  return {
    ...createRouteQuestion(route, side, 'PaymentAccountId'),
    hint: undefined,
    kind: 'one-of',
    choices: [
      ...sortAccounts(listCandidates(route, body, side), side, payer).map(toAccountChoice),
      ...(canAdd ? [newAccountChoice] : []),
      ...unfit.map(toUnfitChoice),
    ],
    afterAnswer: (next, before) =>
      canAdd && getValue(next, toRoutePath(route.prefix, side, 'PaymentAccountId')) === newAccount
        ? addAccount(route, next, before)
        : applyAccount(route, next, before, side),
  }
}

// Asked only if the account accepts more than one value.
function buildDetailQuestions(route: Route, body: Body, side: Side): Question[] {
  const account = findAccount(route, body, side)
  const {currencies, methods} = getAcceptedRoutes(account)
  const build = (field: 'Currency' | 'PaymentMethod', {values, isOpen}: AcceptedValues): Question[] => {
    if (values.length === 1 && !isOpen) return []
    const question: Question = {...createRouteQuestion(route, side, field), parse: toUpperCase}
    if (values.length === 0) return [{...question, kind: 'text', hint: 'the currency code, such as USDC'}]
    return [
      {
        ...question,
        hint: undefined,
        kind: 'one-of',
        choices: values.map((value) => ({name: value, value})),
        allowsOther: isOpen,
      },
    ]
  }
  return [...build('Currency', currencies), ...build('PaymentMethod', methods)]
}

const toUpperCase = (text: string) => text.toUpperCase()

function buildCustomerQuestion(route: Route): Question {
  const question = createQuestion(quoteCreate, '', 'customerId')
  return {
    ...question,
    kind: 'one-of',
    ask: (present) =>
      askSelect(
        question.label,
        (term, signal) => route.customers.find(term, signal),
        typeof present === 'string' ? present : undefined,
      ),
    afterAnswer: (body, before) => applyCustomer(route, body, before),
  }
}

const buildSideQuestions = (route: Route, body: Body, side: Side): Question[] => [
  buildAccountQuestion(route, body, side),
  ...buildDetailQuestions(route, body, side),
]

export const buildRouteQuestions = (route: Route, body: Body): Question[] => [
  buildCustomerQuestion(route),
  ...buildSideQuestions(route, body, 'source'),
  ...buildSideQuestions(route, body, 'destination'),
]

// Drops the steps whose fields were given.
export const omitGiven = <T extends object>(steps: readonly T[], given: Body): T[] =>
  steps.filter((step) => !('path' in step) || getValue(given, String(step.path)) === undefined)

// Reads what the first question needs, and returns the fields with what follows from them. These are the given ones, and
// the answers of a draft.
export async function openRoute(route: Route): Promise<Body> {
  const {parties, customers, given: fields} = route
  const {customerId} = fields
  if (typeof customerId !== 'string') {
    await customers.open(`Create one with ${svc`customers create`}; nothing was sent`)
    return fields
  }
  await parties.readAccounts(customerId)
  const obstacle = await findObstacle(route, fields)
  if (obstacle) throw badUsage(obstacle.reason, `${obstacle.advice}; nothing was sent`)
  return fillFixedFields(route, fillFixedFields(route, fields, 'source'), 'destination')
}

const amountWithCurrency = /^([\d.]+)\s*([a-z]{3,10})$/i

// The currency that is asked for may be typed with the amount.
export function stripCurrency(typed: string, currency: string): string {
  const [, amount = typed, code = ''] = amountWithCurrency.exec(typed) ?? []
  return code.toUpperCase() === currency.toUpperCase() ? amount : typed
}

// A quote takes the amount that leaves. For what is to arrive, `svc pay --receive` finds it.
export function explainOtherCurrency(typed: string, currency: string, arriving: string): string | undefined {
  const [, amount = '', code = ''] = amountWithCurrency.exec(typed) ?? []
  if (amount === '' || code.toUpperCase() === currency.toUpperCase()) return undefined
  const leaves = `It is the amount that leaves, in ${currency}; what arrives is shown before you pay`
  if (code.toUpperCase() !== arriving.toUpperCase()) return leaves
  return `${leaves}. For ${amount} ${arriving} to arrive: ${svc`pay --receive ${amount}`}`
}

const toArrive = /^([\d.]+)\s*([a-z]{3,10})?(\s+to arrive)?$/i

// What is to arrive, if that is meant: "230 EUR to arrive", or an amount in the currency of the payee alone.
export function readArriving(typed: string, currency: string, arriving: string): string | undefined {
  const [, amount, code = arriving, words] = toArrive.exec(typed.trim()) ?? []
  const isArriving = code.toUpperCase() === arriving.toUpperCase()
  const isNamed =
    words !== undefined ||
    (typed.toUpperCase().includes(code.toUpperCase()) && code.toUpperCase() !== currency.toUpperCase())
  return isArriving && isNamed ? amount : undefined
}
