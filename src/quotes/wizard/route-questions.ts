// The questions of a route: who pays, from which account to which, in which currencies and by which methods. Quotes and
// payments have it at the top of their body, rules within their template.
import {fiatMethods} from '../../contract/methods.ts'
import {badUsage} from '../../errors.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {
  type Account,
  type AcceptedValues,
  describeAccount,
  canReceive,
  acceptsRoute,
  getAcceptedRoutes,
  getFormLink,
  getAccountId,
  isPending,
} from '../../accounts/describe-account.ts'
import type {Directory} from '../../accounts/directory.ts'
import {getValue, withValue, withoutValue} from '../../cli/wizard/body-paths.ts'
import type {Choice} from '../../cli/wizard/choices.ts'
import {askSearch} from '../../cli/wizard/select-prompts.ts'
import {AskAgain, type Question} from '../../cli/wizard/steps.ts'
import {lineWidth} from '../../cli/wizard/print.ts'

type Side = 'source' | 'destination'

export interface Route {
  directory: Directory
  // What was said before the conversation began, and is not asked again.
  given: Body
  // Where the two ends stand: the start of their paths.
  prefix: '' | 'transactionTemplate.'
  // Which accounts can pay, and what to call them.
  canPay: (account: Account) => boolean
  payerLabel: string
}

export const toRoutePath = (
  {prefix}: Pick<Route, 'prefix'>,
  side: Side,
  field: 'PaymentAccountId' | 'PaymentMethod' | 'Currency',
) => `${prefix}${side}.${side}${field}`

const findAccount = (route: Route, body: Body, side: Side) =>
  route.directory.findAccount(body['customerId'], getValue(body, toRoutePath(route, side, 'PaymentAccountId')))

const isGiven = ({given}: Route, path: string) => getValue(given, path) !== undefined

// Of the accounts of a customer, those that can stand at this end of the route, pending ones included.
function listCandidates(route: Route, body: Body, side: Side): Account[] {
  const [currency, method] = (['Currency', 'PaymentMethod'] as const).map((field) =>
    getValue(route.given, toRoutePath(route, side, field)),
  )
  const payer = getValue(body, toRoutePath(route, 'source', 'PaymentAccountId'))
  return route.directory
    .known(body['customerId'])
    .filter((account) => acceptsRoute(account, currency, method))
    .filter((account) =>
      side === 'source'
        ? route.canPay(account)
        : canReceive(account) && (isPending(account) || getAccountId(account) !== payer),
    )
}

const omitPending = (accounts: readonly Account[]) => accounts.filter((account) => !isPending(account))

// Whether there is another account than the present one to pay to.
export const canPayElsewhere = (route: Route, body: Body) =>
  omitPending(listCandidates(route, body, 'destination')).some(
    (account) => getAccountId(account) !== getValue(body, toRoutePath(route, 'destination', 'PaymentAccountId')),
  )

// What a customer lacks for such a route, if anything.
function findObstacle(route: Route, body: Body): string | undefined {
  const {directory, payerLabel: payers} = route
  const who = directory.describeCustomer(body['customerId'])
  const [payer, ...others] = omitPending(listCandidates(route, body, 'source'))
  const isChosen = isGiven(route, toRoutePath(route, 'source', 'PaymentAccountId'))
  if (!isChosen && !payer) return `${who} has no ${payers} that could pay`
  if (isGiven(route, toRoutePath(route, 'destination', 'PaymentAccountId'))) return undefined
  // With two that can pay, each can be paid from the other.
  const receivers = omitPending(listCandidates(route, body, 'destination')).filter(
    (account) => isChosen || others.length > 0 || getAccountId(account) !== (payer && getAccountId(payer)),
  )
  return receivers.length === 0 ? `${who} has no account that could receive it` : undefined
}

// What is certain about an account is not asked: a bank account has one currency and one method.
function fillFixedFields(route: Route, body: Body, side: Side): Body {
  const account = findAccount(route, body, side)
  const {currencies, methods} = getAcceptedRoutes(account)
  const settle = (to: Body, field: 'Currency' | 'PaymentMethod', {values, isOpen}: AcceptedValues) => {
    const path = toRoutePath(route, side, field)
    return values.length === 1 && !isOpen && getValue(to, path) === undefined ? withValue(to, path, values[0]) : to
  }
  return settle(settle(body, 'Currency', currencies), 'PaymentMethod', methods)
}

// What followed from the account that was there before goes with it.
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
  const settled = fillFixedFields(route, clearSide(route, body, side, false), side)
  const isSame = side === 'source' && getValue(body, toRoutePath(route, 'destination', 'PaymentAccountId')) === chosen
  return isSame ? clearSide(route, settled, 'destination', true) : settled
}

// The pointer before a choice; and what stands before the answer to a question.
const besideChoice = 2
const besideAnswer = 23

function toAccountChoice(account: Account): Choice<string> {
  const width = lineWidth()
  const words = describeAccount(account, width - besideChoice)
  const short = describeAccount(account, width - besideAnswer)
  if (!isPending(account)) return {name: words, short, value: getAccountId(account), description: getAccountId(account)}
  const link = cleanText(getFormLink(account))
  return {name: short, value: '', disabled: link ? `(pending; its form:)\n    ${link}` : '(pending)'}
}

const isFiat = (account: Account | undefined) =>
  account !== undefined &&
  getAcceptedRoutes(account).methods.values.every((method) => fiatMethods.includes(method as never))

// Most routes lead from fiat to crypto or back, so what is of the other kind comes first; what is pending comes last.
function sortAccounts(accounts: readonly Account[], payer: Account | undefined): Account[] {
  const rank = (account: Account) => (isPending(account) ? 2 : payer && isFiat(account) === isFiat(payer) ? 1 : 0)
  return accounts.toSorted((a, b) => rank(a) - rank(b))
}

const labels: Readonly<Record<Side, {account: string; currency: string; method: string}>> = {
  source: {account: 'From which account?', currency: 'Currency that leaves', method: 'Method by which it leaves'},
  destination: {account: 'To which account?', currency: 'Currency that arrives', method: 'Method by which it arrives'},
}

function buildAccountQuestion(route: Route, body: Body, side: Side): Question {
  const payer = side === 'destination' ? findAccount(route, body, 'source') : undefined
  return {
    path: toRoutePath(route, side, 'PaymentAccountId'),
    label: labels[side].account,
    kind: 'one-of',
    isRequired: true,
    choices: sortAccounts(listCandidates(route, body, side), payer).map(toAccountChoice),
    afterAnswer: (next, before) => applyAccount(route, next, before, side),
  }
}

const toChoices = (values: readonly string[]) => values.map((value) => ({name: value, value}))

// Asked only where the account leaves a choice.
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
    const asked = {path, label, isRequired: true}
    if (values.length === 0) return [{...asked, kind: 'text', hint: 'its label, such as USDC', parse: toUpperCase}]
    return [{...asked, kind: 'one-of', choices: toChoices(values), allowsOther: isOpen, parse: toUpperCase}]
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
      'Which customer? (type to search)',
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

// What of a body was not said beforehand.
export const omitGiven = <T extends object>(steps: readonly T[], given: Body): T[] =>
  steps.filter((step) => !('path' in step) || getValue(given, String(step.path)) === undefined)

// Reads what the first question needs, and fills in what follows from what was given.
export async function openRoute(route: Route): Promise<Body> {
  const {directory, given} = route
  const {customerId} = given
  if (typeof customerId !== 'string') {
    await directory.open()
    if (directory.isEmpty) {
      throw badUsage('There is no customer yet', 'Make one with `svc customers create`; nothing was sent')
    }
    return given
  }
  await directory.readAccounts(customerId)
  const reason = findObstacle(route, given)
  if (reason !== undefined) {
    throw badUsage(reason, `See \`svc accounts list --customer ${customerId}\`; nothing was sent`)
  }
  return fillFixedFields(route, fillFixedFields(route, given, 'source'), 'destination')
}
