// Completes the route of a quote or a rule with what its accounts decide: currencies and payment methods.
import {type AcceptedValues, describeAccount, getAcceptedRoutes, getAccountId} from '../accounts/describe-account.ts'
import {createAccountNotFoundError} from '../accounts/find-account.ts'
import {type Body, getValue, withValue} from '../values/body-paths.ts'
import {toText} from '../cli/output/view.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {SvcError} from '../errors.ts'

import {joinWithOr} from '../values/text.ts'

// A field that the account does not decide.
interface OpenChoice extends AcceptedValues {
  flag: string
  account: LoosePaymentAccount
}

export interface CompletedRoute {
  body: Body
  choices: OpenChoice[]
}

const listMissingDetails = (body: Body, prefix: RoutePrefix): RouteDetail[] =>
  routeDetails.filter(({side, field}) => getValue(body, toRoutePath({prefix}, side, field)) === undefined)

// Whether anything is left for the accounts to decide.
export const lacksDetails = (body: Body, prefix: RoutePrefix) => listMissingDetails(body, prefix).length > 0

function findRouteAccount(
  accounts: readonly LoosePaymentAccount[],
  body: Body,
  {side, prefix}: {side: Side; prefix: RoutePrefix},
): LoosePaymentAccount {
  const accountPath = toRoutePath({prefix}, side, 'PaymentAccountId')
  const accountId = toText(getValue(body, accountPath))
  const account = accounts.find((each) => getAccountId(each) === accountId)
  if (account) return account
  throw createAccountNotFoundError(toText(body['customerId']), accountId, side === 'source' ? '--from' : '--to')
}

// `accounts` are those of the customer.
export function completeRoute(
  accounts: readonly LoosePaymentAccount[],
  given: Body,
  prefix: RoutePrefix,
): CompletedRoute {
  let body = given
  const choices: OpenChoice[] = []
  for (const {side, field, flag} of listMissingDetails(given, prefix)) {
    const account = findRouteAccount(accounts, given, {side, prefix})
    const accepted = getAcceptedRoutes(account)[field === 'Currency' ? 'currencies' : 'methods']
    if (accepted.values.length === 1 && !accepted.isOpen) {
      body = withValue(body, toRoutePath({prefix}, side, field), accepted.values[0])
    } else choices.push({flag, account, ...accepted})
  }
  return {body, choices}
}

// Such as: --from-currency is needed: Service wallet · 7NpX…k2Qa · on SOLANA takes USDC, USDT or another currency
export function describeOpenChoice({flag, account, values, isOpen}: OpenChoice): string {
  const other = flag.endsWith('currency') ? 'another currency' : 'another method'
  const taken = values.length === 0 ? 'does not say what it takes' : ''
  const list = joinWithOr(isOpen ? [...values, other] : values)
  return `${flag} is needed: ${describeAccount(account)} ${taken || `takes ${list}`}`
}

// For scripts: nothing is guessed.
export function createOpenChoiceError(choices: readonly OpenChoice[]): SvcError {
  const lines = choices.map(describeOpenChoice)
  const [only = ''] = lines
  const flags = choices.map(({flag}) => flag).join(' and ')
  return new SvcError({
    error: 'BAD_USAGE',
    kind: 'usage',
    message: lines.length === 1 ? only : 'The accounts leave a choice',
    hint: `Give ${flags}; nothing was sent`,
    ...(lines.length > 1 && {problems: lines}),
  })
}

// Where the bodies of quotes and rules have the fields of a route, and which flags give them.
export type Side = 'source' | 'destination'

// The path of the object that has `source` and `destination`.
export type RoutePrefix = '' | 'transactionTemplate.'

type RouteField = 'PaymentAccountId' | 'PaymentMethod' | 'Currency'

export const toRoutePath = ({prefix}: {prefix: RoutePrefix}, side: Side, field: RouteField) =>
  `${prefix}${side}.${side}${field}`

export interface RouteDetail {
  side: Side
  field: 'Currency' | 'PaymentMethod'
  flag: string
}

// What an account usually decides by itself: a bank account has one currency and one method.
export const routeDetails: readonly RouteDetail[] = [
  {side: 'source', field: 'Currency', flag: '--from-currency'},
  {side: 'source', field: 'PaymentMethod', flag: '--from-method'},
  {side: 'destination', field: 'Currency', flag: '--to-currency'},
  {side: 'destination', field: 'PaymentMethod', flag: '--to-method'},
]

const detailFlags: ReadonlySet<string> = new Set(routeDetails.map(({flag}) => flag))

// Flags that are needed whatever the accounts are.
export const omitDetailFlags = (flags: readonly string[]) => flags.filter((flag) => !detailFlags.has(flag))

export const isDetailPath = (prefix: RoutePrefix, path: string) =>
  routeDetails.some(({side, field}) => toRoutePath({prefix}, side, field) === path)
