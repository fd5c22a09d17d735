// The questions of a route: who pays, from which account to which, in which currencies and by which methods. Quotes and
// payments have it at the top of their body, rules within their template.
import {fiatMethods} from '../../contract/methods.ts'
import {badUsage} from '../../errors.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {cleanText} from '../../cli/output/clean.ts'
import {
  type Account,
  type Fit,
  accountWords,
  canReceive,
  fits,
  fittingOf,
  formLinkOf,
  idOf,
  isPending,
} from '../../accounts/labels.ts'
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
  within: '' | 'transactionTemplate.'
  // Which accounts can pay, and what to call them.
  canPay: (account: Account) => boolean
  payers: string
}

export const pathOf = (
  {within}: Pick<Route, 'within'>,
  side: Side,
  field: 'PaymentAccountId' | 'PaymentMethod' | 'Currency',
) => `${within}${side}.${side}${field}`

const accountIn = (route: Route, body: Body, side: Side) =>
  route.directory.account(body['customerId'], getValue(body, pathOf(route, side, 'PaymentAccountId')))

const isGiven = ({given}: Route, path: string) => getValue(given, path) !== undefined

// Of the accounts of a customer, those that can stand at this end of the route, pending ones included.
function candidates(route: Route, body: Body, side: Side): Account[] {
  const [currency, method] = (['Currency', 'PaymentMethod'] as const).map((field) =>
    getValue(route.given, pathOf(route, side, field)),
  )
  const payer = getValue(body, pathOf(route, 'source', 'PaymentAccountId'))
  return route.directory
    .known(body['customerId'])
    .filter((account) => fits(account, currency, method))
    .filter((account) =>
      side === 'source'
        ? route.canPay(account)
        : canReceive(account) && (isPending(account) || idOf(account) !== payer),
    )
}

const usable = (accounts: readonly Account[]) => accounts.filter((account) => !isPending(account))

// Whether there is another account than the present one to pay to.
export const canPayElsewhere = (route: Route, body: Body) =>
  usable(candidates(route, body, 'destination')).some(
    (account) => idOf(account) !== getValue(body, pathOf(route, 'destination', 'PaymentAccountId')),
  )

// What a customer lacks for such a route, if anything.
function lacking(route: Route, body: Body): string | undefined {
  const {directory, payers} = route
  const who = directory.customerWords(body['customerId'])
  const [payer, ...others] = usable(candidates(route, body, 'source'))
  const isChosen = isGiven(route, pathOf(route, 'source', 'PaymentAccountId'))
  if (!isChosen && !payer) return `${who} has no ${payers} that could pay`
  if (isGiven(route, pathOf(route, 'destination', 'PaymentAccountId'))) return undefined
  // With two that can pay, each can be paid from the other.
  const receivers = usable(candidates(route, body, 'destination')).filter(
    (account) => isChosen || others.length > 0 || idOf(account) !== (payer && idOf(payer)),
  )
  return receivers.length === 0 ? `${who} has no account that could receive it` : undefined
}

// What is certain about an account is not asked: a bank account has one currency and one method.
function withCertain(route: Route, body: Body, side: Side): Body {
  const account = accountIn(route, body, side)
  const {currencies, methods} = fittingOf(account)
  const settle = (to: Body, field: 'Currency' | 'PaymentMethod', {values, isOpen}: Fit) => {
    const path = pathOf(route, side, field)
    return values.length === 1 && !isOpen && getValue(to, path) === undefined ? withValue(to, path, values[0]) : to
  }
  return settle(settle(body, 'Currency', currencies), 'PaymentMethod', methods)
}

// What followed from the account that was there before goes with it.
function withoutEnd(route: Route, body: Body, side: Side, isWhole: boolean): Body {
  const fields = [...(isWhole ? (['PaymentAccountId'] as const) : []), 'Currency', 'PaymentMethod'] as const
  return fields
    .map((field) => pathOf(route, side, field))
    .filter((path) => !isGiven(route, path))
    .reduce(withoutValue, body)
}

async function customerChosen(route: Route, body: Body, before: Body): Promise<Body> {
  await route.directory.accountsOf(String(body['customerId']))
  const reason = lacking(route, body)
  if (reason !== undefined) throw new AskAgain(`${reason}. Choose another customer.`)
  if (body['customerId'] === before['customerId']) return body
  return withoutEnd(route, withoutEnd(route, body, 'source', true), 'destination', true)
}

function accountChosen(route: Route, body: Body, before: Body, side: Side): Body {
  const path = pathOf(route, side, 'PaymentAccountId')
  const chosen = getValue(body, path)
  if (chosen === getValue(before, path)) return body
  const settled = withCertain(route, withoutEnd(route, body, side, false), side)
  const isSame = side === 'source' && getValue(body, pathOf(route, 'destination', 'PaymentAccountId')) === chosen
  return isSame ? withoutEnd(route, settled, 'destination', true) : settled
}

// The pointer before a choice; and what stands before the answer to a question.
const besideChoice = 2
const besideAnswer = 23

function accountChoice(account: Account): Choice<string> {
  const width = lineWidth()
  const words = accountWords(account, width - besideChoice)
  const short = accountWords(account, width - besideAnswer)
  if (!isPending(account)) return {name: words, short, value: idOf(account), description: idOf(account)}
  const link = cleanText(formLinkOf(account))
  return {name: short, value: '', disabled: link ? `(pending; its form:)\n    ${link}` : '(pending)'}
}

const isFiat = (account: Account | undefined) =>
  account !== undefined && fittingOf(account).methods.values.every((method) => fiatMethods.includes(method as never))

// Most routes lead from fiat to crypto or back, so what is of the other kind comes first; what is pending comes last.
function inOrder(accounts: readonly Account[], payer: Account | undefined): Account[] {
  const rank = (account: Account) => (isPending(account) ? 2 : payer && isFiat(account) === isFiat(payer) ? 1 : 0)
  return accounts.toSorted((a, b) => rank(a) - rank(b))
}

const labels: Readonly<Record<Side, {account: string; currency: string; method: string}>> = {
  source: {account: 'From which account?', currency: 'Currency that leaves', method: 'Method by which it leaves'},
  destination: {account: 'To which account?', currency: 'Currency that arrives', method: 'Method by which it arrives'},
}

function accountQuestion(route: Route, body: Body, side: Side): Question {
  const payer = side === 'destination' ? accountIn(route, body, 'source') : undefined
  return {
    path: pathOf(route, side, 'PaymentAccountId'),
    label: labels[side].account,
    kind: 'one-of',
    isRequired: true,
    choices: inOrder(candidates(route, body, side), payer).map(accountChoice),
    afterAnswer: (next, before) => accountChosen(route, next, before, side),
  }
}

const choicesOf = (values: readonly string[]) => values.map((value) => ({name: value, value}))

// Asked only where the account leaves a choice.
function detailQuestions(route: Route, body: Body, side: Side): Question[] {
  const account = accountIn(route, body, side)
  const {currencies, methods} = fittingOf(account)
  const question = (field: 'Currency' | 'PaymentMethod', label: string, {values, isOpen}: Fit): Question[] => {
    if (values.length === 1 && !isOpen) return []
    const path = pathOf(route, side, field)
    const asked = {path, label, isRequired: true}
    if (values.length === 0) return [{...asked, kind: 'text', hint: 'its label, such as USDC', parse: upperCase}]
    return [{...asked, kind: 'one-of', choices: choicesOf(values), allowsOther: isOpen, parse: upperCase}]
  }
  return [
    ...question('Currency', labels[side].currency, currencies),
    ...question('PaymentMethod', labels[side].method, methods),
  ]
}

const upperCase = (text: string) => text.toUpperCase()

const customerQuestion = (route: Route): Question => ({
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
  afterAnswer: (body, before) => customerChosen(route, body, before),
})

export const endQuestions = (route: Route, body: Body, side: Side): Question[] => [
  accountQuestion(route, body, side),
  ...detailQuestions(route, body, side),
]

export const routeQuestions = (route: Route, body: Body): Question[] => [
  customerQuestion(route),
  ...endQuestions(route, body, 'source'),
  ...endQuestions(route, body, 'destination'),
]

// What of a body was not said beforehand.
export const unsaid = <T extends object>(steps: readonly T[], given: Body): T[] =>
  steps.filter((step) => !('path' in step) || getValue(given, String(step.path)) === undefined)

// Reads what the first question needs, and fills in what follows from what was given.
export async function opened(route: Route): Promise<Body> {
  const {directory, given} = route
  const {customerId} = given
  if (typeof customerId !== 'string') {
    await directory.open()
    if (directory.isEmpty) {
      throw badUsage('There is no customer yet', 'Make one with `svc customers create`; nothing was sent')
    }
    return given
  }
  await directory.accountsOf(customerId)
  const reason = lacking(route, given)
  if (reason !== undefined) {
    throw badUsage(reason, `See \`svc accounts list --customer ${customerId}\`; nothing was sent`)
  }
  return withCertain(route, withCertain(route, given, 'source'), 'destination')
}
