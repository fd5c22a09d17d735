// Builds the body of a quote from a file, flags and --set, and validates it.
import {type Problem, findProblems} from '../contract/problems.ts'
import {quoteLifetimeMs} from '../contract/vocabulary.ts'
import {isValidBody} from '../contract/match-body.ts'
import {quoteCreate} from '../contract/quotes.ts'
import {toInstantMs} from '../values/time.ts'
import {findDecimalsMax} from '../values/currencies.ts'
import {isZeroAmount} from '../values/money.ts'
import {type Body, getValue} from '../values/body-paths.ts'
import {buildBody, mergeBodies} from '../cli/body/body.ts'
import {isRecord, readText} from '../values/records.ts'
import {type RouteFlags, routeFields, toRouteBody} from './route-fields.ts'

export interface QuoteFlags extends RouteFlags {
  guarantee?: boolean | undefined
  file?: string | undefined
  set?: readonly string[] | undefined
}

// A developer fee without a type is in the source currency, like all fees of the service.
export function addFeeType(body: Body): Body {
  // Most rows of a payout file have none.
  const {developerFee: fee} = body
  if (!isRecord(fee) || fee['developerFeeAmount'] === undefined || fee['developerFeeType'] !== undefined) return body
  return {...body, developerFee: {developerFeeType: 'SOURCE_CURRENCY', ...fee}}
}

export async function readQuoteBody(flags: QuoteFlags): Promise<Body> {
  const fields = {...toRouteBody(flags), guaranteeQuote: flags.guarantee || undefined}
  const body = await buildBody(() => quoteCreate, {file: flags.file, flags: fields, set: flags.set})
  return addFeeType(body)
}

// The same from flags alone, for payout files.
export const buildQuoteBody = (flags: RouteFlags): Body => addFeeType(mergeBodies({}, toRouteBody(flags)))

export interface QuoteValidation {
  // The flags of missing fields.
  missing: string[]
  // Problems of the fields that are present.
  wrong: Problem[]
  // All problems, including missing fields.
  problems: Problem[]
}

// The interface sets no minimum (docs/assumptions.md, M23).
export const findZeroAmounts = (body: Body, paths: readonly string[]): Problem[] =>
  paths
    .filter((path) => isZeroAmount(readText(getValue(body, path))))
    .map((path) => ({path, isWarning: true, message: 'should be more than 0'}))

// An amount that its currency cannot have, where that is known.
export function findFineAmounts(body: Body, amountPath: string, currencyPath: string): Problem[] {
  const label = readText(getValue(body, currencyPath)).toUpperCase()
  const most = findDecimalsMax(readText(getValue(body, amountPath)), label)
  if (most === undefined) return []
  const message = `has more decimals than ${label} has, which is ${most}`
  return [{path: amountPath, isWarning: true, message}]
}

export function validateQuote(body: Body): QuoteValidation {
  const absent = routeFields.filter(
    ({flag, path, ...field}) =>
      (!('isOptional' in field) || (flag === 'developer-fee' && body['developerFee'] !== undefined)) &&
      getValue(body, path) === undefined,
  )
  const found = isValidBody('quotes.create', body) ? [] : findProblems(quoteCreate, body)
  const contractProblems = found.filter(({path}) => !absent.some((field) => `${field.path}.`.startsWith(`${path}.`)))
  const wrong = [
    ...contractProblems,
    ...findZeroAmounts(body, ['source.sourceAmount']),
    ...findFineAmounts(body, 'source.sourceAmount', 'source.sourceCurrency'),
  ]
  return {
    missing: absent.map(({flag}) => `--${flag}`),
    wrong,
    problems: [
      ...absent.map(({flag, path}): Problem => ({path, kind: 'missing', message: `is missing (--${flag})`})),
      ...wrong,
    ],
  }
}

// Services round times to whole seconds, which does not shorten a quote.
const roundingMs = 1000

// When a quote expires by the local clock. The service's clock may differ, and the sandbox's may be months ahead, so a quote
// expires at the latest five minutes after the request (docs/assumptions.md, M17).
export function calculateQuoteEndMs(expiresAt: unknown, requestedMs: number, receivedMs: number): number {
  const endMs = toInstantMs(expiresAt) ?? Number.NaN
  const latestMs = requestedMs + quoteLifetimeMs
  return endMs > receivedMs && endMs < latestMs - roundingMs ? endMs : latestMs
}
