// The questions about a route: customer, accounts, currencies and payment methods. Quotes, payments and rules share them.
import {fiatMethods} from '../../contract/payment-methods.ts'
import {badUsage} from '../../errors.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {toText} from '../../cli/output/view.ts'
import type {LoosePaymentAccount} from '../../contract/loose.ts'
import {
  type AcceptedValues,
  acceptsRoute,
  canReceive,
  getAcceptedRoutes,
  getAccountId,
  isPending,
} from '../../accounts/accepted-routes.ts'
import {describeAccount} from '../../accounts/describe-account.ts'
import type {Directory} from '../../accounts/directory.ts'
import {getValue, withValue, withoutValue} from '../../cli/wizard/body-paths.ts'
import type {Choice} from '../../cli/wizard/choices.ts'
import {askSearch} from '../../cli/wizard/select-prompts.ts'
import {AskAgain, type Question} from '../../cli/wizard/steps.ts'
import {lineWidth} from '../../cli/wizard/print.ts'
import {type RoutePrefix, type Side, toRoutePath} from '../route-fields.ts'
import {quoteForShell} from '../../validation/shell-quote.ts'

export interface Route {
  directory: Directory
  // The fields that flags or a file gave, which are not asked again.
  given: Body
  prefix: RoutePrefix
  canPay: (account: LoosePaymentAccount) => boolean
  // What an account that can pay is called, for messages.
  payerLabel: string
}

const findAccount = (route: Route, body: Body, side: Side) =>
  route.directory.findAccount(body['customerId'], getValue(body, toRoutePath(route, side, 'PaymentAccountId')))

const isGiven = ({given}: Route, path: string) => getValue(given, path) !== undefined

// The customer's accounts that can be on this side of a route, including pending ones.
function listUsable(route: Route, body: Body, side: Side): LoosePaymentAccount[] {
  const payer = getValue(body, toRoutePath(route, 'source', 'PaymentAccountId'))
  return route.directory
    .getKnownAccounts(body['customerId'])
    .filter((account) =>
      side === 'source'
        ? route.canPay(account)
        : canReceive(account) && (isPending(account) || getAccountId(account) !== payer),
    )
}

// Whether an account takes the currency and the method that were given.
const fitsGiven = (route: Route, side: Side, account: LoosePaymentAccount) =>
  acceptsRoute(
    account,
    getValue(route.given, toRoutePath(route, side, 'Currency')),
    getValue(route.given, toRoutePath(route, side, 'PaymentMethod')),
  )

const listCandidates = (route: Route, body: Body, side: Side): LoosePaymentAccount[] =>
  listUsable(route, body, side).filter((account) => fitsGiven(route, side, account))

const omitPending = (accounts: readonly LoosePaymentAccount[]) => accounts.filter((account) => !isPending(account))

// Whether another account can receive the payment.
export const canPayElsewhere = (route: Route, body: Body) =>
  omitPending(listCandidates(route, body, 'destination')).some(
    (account) => getAccountId(account) !== getValue(body, toRoutePath(route, 'destination', 'PaymentAccountId')),
  )

// Why the customer has no such route, or undefined.
function findObstacle(route: Route, body: Body): string | undefined {
  const {directory, payerLabel} = route
  const customer = directory.describeCustomer(body['customerId'])
  const [payer, ...others] = omitPending(listCandidates(route, body, 'source'))
  const isPayerGiven = isGiven(route, toRoutePath(route, 'source', 'PaymentAccountId'))
  if (!isPayerGiven && !payer) return `${customer} has no ${payerLabel} that could pay`
  if (isGiven(route, toRoutePath(route, 'destination', 'PaymentAccountId'))) return undefined
  // Of two accounts that can pay, each can receive from the other.
  const receivers = omitPending(listCandidates(route, body, 'destination')).filter(
    (account) => isPayerGiven || others.length > 0 || getAccountId(account) !== (payer && getAccountId(payer)),
  )
  return receivers.length === 0 ? `${customer} has no account that could receive it` : undefined
}

// Fills in fields for which the account accepts only one value: a bank account has one currency and one method.
function fillFixedFields(route: Route, body: Body, side: Side): Body {
  const account = findAccount(route, body, side)
  const {currencies, methods} = getAcceptedRoutes(account)
  const fill = (target: Body, field: 'Currency' | 'PaymentMethod', {values, isOpen}: AcceptedValues) => {
    const path = toRoutePath(route, side, field)
    return values.length === 1 && !isOpen && getValue(target, path) === undefined
      ? withValue(target, path, values[0])
      : target
  }
  return fill(fill(body, 'Currency', currencies), 'PaymentMethod', methods)
}

// Removes what followed from the previous account.
function clearSide(route: Route, body: Body, side: Side, isWhole: boolean): Body {
  const fields = [...(isWhole ? (['PaymentAccountId'] as const) : []), 'Currency', 'PaymentMethod'] as const
  return fields
    .map((field) => toRoutePath(route, side, field))
    .filter((path) => !isGiven(route, path))
    .reduce(withoutValue, body)
}

async function applyCustomer(route: Route, body: Body, before: Body): Promise<Body> {
  await route.directory.readAccounts(String(body['customerId']))
  const reason = findObstacle(route, body)
  if (reason !== undefined) throw new AskAgain(`${reason}. Choose another customer.`)
  if (body['customerId'] === before['customerId']) return body
  return clearSide(route, clearSide(route, body, 'source', true), 'destination', true)
}

function applyAccount(route: Route, body: Body, before: Body, side: Side): Body {
  const path = toRoutePath(route, side, 'PaymentAccountId')
  const chosen = getValue(body, path)
  if (chosen === getValue(before, path)) return body
  const completed = fillFixedFields(route, clearSide(route, body, side, false), side)
  const isSame = side === 'source' && getValue(body, toRoutePath(route, 'destination', 'PaymentAccountId')) === chosen
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
  const link = cleanText(toText(account.bankAccountFormLink).trim())
  return {name: short, value: '', disabled: link ? `(pending; its form:)\n    ${link}` : '(pending)'}
}

// What people also know an account by: its id, its owner, and the code of its method.
const listKeywords = (account: LoosePaymentAccount): string[] => [
  getAccountId(account),
  toText(account.externalBankAccount?.bankAccountOwnerName),
  ...getAcceptedRoutes(account).methods.values,
]

// Listed after those that fit, so that nobody looks for them in vain.
const toUnfitChoice = (account: LoosePaymentAccount): Choice<string> => ({
  name: describeAccount(account, lineWidth() - pointerWidth),
  value: '',
  disabled: '',
  group: 'Not for this currency or method:',
})

const isFiat = (account: LoosePaymentAccount | undefined) =>
  account !== undefined &&
  getAcceptedRoutes(account).methods.values.every((method) => fiatMethods.includes(method as never))

// Most payments go from fiat to crypto or back, so accounts of the other kind come first. Pending accounts come last.
function sortAccounts(
  accounts: readonly LoosePaymentAccount[],
  payer: LoosePaymentAccount | undefined,
): LoosePaymentAccount[] {
  const rank = (account: LoosePaymentAccount) =>
    isPending(account) ? 2 : payer && isFiat(account) === isFiat(payer) ? 1 : 0
  return accounts.toSorted((a, b) => rank(a) - rank(b))
}

const labels: Readonly<Record<Side, {account: string; currency: string; method: string}>> = {
  source: {
    account: 'From which payment account?',
    currency: 'Currency that leaves',
    method: 'Method by which it leaves',
  },
  destination: {
    account: 'To which payment account?',
    currency: 'Currency that arrives',
    method: 'Method by which it arrives',
  },
}

function buildAccountQuestion(route: Route, body: Body, side: Side): Question {
  const payer = side === 'destination' ? findAccount(route, body, 'source') : undefined
  const unfit = omitPending(listUsable(route, body, side)).filter((account) => !fitsGiven(route, side, account))
  return {
    path: toRoutePath(route, side, 'PaymentAccountId'),
    label: labels[side].account,
    kind: 'one-of',
    isRequired: true,
    choices: [
      ...sortAccounts(listCandidates(route, body, side), payer).map(toAccountChoice),
      ...unfit.map(toUnfitChoice),
    ],
    afterAnswer: (next, before) => applyAccount(route, next, before, side),
  }
}

const toChoices = (values: readonly string[]) => values.map((value) => ({name: value, value}))

// Asked only if the account accepts more than one value.
function buildDetailQuestions(route: Route, body: Body, side: Side): Question[] {
  const account = findAccount(route, body, side)
  const {currencies, methods} = getAcceptedRoutes(account)
  const question = (
    field: 'Currency' | 'PaymentMethod',
    label: string,
    {values, isOpen}: AcceptedValues,
  ): Question[] => {
    if (values.length === 1 && !isOpen) return []
    const path = toRoutePath(route, side, field)
    const base = {path, label, isRequired: true}
    if (values.length === 0)
      return [{...base, kind: 'text', hint: 'the currency code, such as USDC', parse: toUpperCase}]
    return [{...base, kind: 'one-of', choices: toChoices(values), allowsOther: isOpen, parse: toUpperCase}]
  }
  return [
    ...question('Currency', labels[side].currency, currencies),
    ...question('PaymentMethod', labels[side].method, methods),
  ]
}

const toUpperCase = (text: string) => text.toUpperCase()

const buildCustomerQuestion = (route: Route): Question => ({
  path: 'customerId',
  label: 'Which customer?',
  kind: 'one-of',
  isRequired: true,
  ask: (present) =>
    askSearch(
      'Which customer?',
      (term, signal) => route.directory.find(term, signal),
      typeof present === 'string' ? present : undefined,
    ),
  afterAnswer: (body, before) => applyCustomer(route, body, before),
})

export const buildSideQuestions = (route: Route, body: Body, side: Side): Question[] => [
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

// Reads what the first question needs, and returns the given fields with what follows from them.
export async function openRoute(route: Route): Promise<Body> {
  const {directory, given} = route
  const {customerId} = given
  if (typeof customerId !== 'string') {
    await directory.open()
    if (directory.isEmpty) {
      throw badUsage('There are no customers', 'Create one with `svc customers create`; nothing was sent')
    }
    return given
  }
  await directory.readAccounts(customerId)
  const reason = findObstacle(route, given)
  if (reason !== undefined) {
    throw badUsage(reason, `See \`svc accounts list --customer ${quoteForShell(customerId)}\`; nothing was sent`)
  }
  return fillFixedFields(route, fillFixedFields(route, given, 'source'), 'destination')
}
