// Completes the route of a quote or a rule with what its accounts decide: currencies and payment methods.
import {
  type AcceptedValues,
  describeAccount,
  getAcceptedRoutes,
  getAccountId,
  getSingleValue,
} from '../accounts/describe-account.ts'
import {createAccountNotFoundError} from '../accounts/find-account.ts'
import {type Body, getValue, withValue} from '../values/body-paths.ts'
import {toText} from '../cli/output/view.ts'
import type {LoosePaymentAccount} from '../contract/loose.ts'
import {SvcError} from '../errors.ts'
import {joinWithOr} from '../values/text.ts'
import {type RoutePrefix, listDetails, toRoutePath} from './route-fields.ts'

// A field that the account does not decide.
interface OpenChoice extends AcceptedValues {
  flag: string
  account: LoosePaymentAccount
}

export interface CompletedRoute {
  body: Body
  choices: OpenChoice[]
}

const listMissingDetails = (body: Body, prefix: RoutePrefix) =>
  listDetails(prefix).filter(({path}) => getValue(body, path) === undefined)

// Whether anything is left for the accounts to decide.
export const lacksDetails = (body: Body, prefix: RoutePrefix) => listMissingDetails(body, prefix).length > 0

// `accounts` are those of the customer.
export function completeRoute(
  accounts: readonly LoosePaymentAccount[],
  given: Body,
  prefix: RoutePrefix,
): CompletedRoute {
  let body = given
  const choices: OpenChoice[] = []
  for (const {side, path, flag, decides} of listMissingDetails(given, prefix)) {
    const accountId = toText(getValue(given, toRoutePath(prefix, side, 'PaymentAccountId')))
    const account = accounts.find((each) => getAccountId(each) === accountId)
    if (!account) throw createAccountNotFoundError(toText(given['customerId']), accountId)
    const accepted = getAcceptedRoutes(account)[decides]
    const only = getSingleValue(accepted)
    if (only === '') choices.push({flag, account, ...accepted})
    else body = withValue(body, path, only)
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
