// Builds the body of a quote from a file, flags and --set, and validates it.
import type {z} from 'zod'
import {type Problem, findProblems} from '../contract/problems.ts'
import {limits} from '../contract/vocabulary.ts'
import {isValidBody} from '../contract/match-body.ts'
import {quoteCreate} from '../contract/quotes.ts'
import {toInstantMs} from '../values/time.ts'
import {isZeroAmount} from '../values/money.ts'
import {type Body, getValue} from '../values/body-paths.ts'
import {buildBody, mergeBodies} from '../cli/body/body.ts'
import {suggestFields} from '../cli/body/suggest-fields.ts'
import {acceptShortCustomer, rejectShortCustomerInSet} from './resolve-route.ts'
import {isRecord} from '../values/records.ts'

type Flag = string | undefined

export interface QuoteFlags {
  customer?: Flag
  from?: Flag
  'from-currency'?: Flag
  'from-method'?: Flag
  to?: Flag
  'to-currency'?: Flag
  'to-method'?: Flag
  amount?: Flag
  'developer-fee'?: Flag
  'developer-fee-type'?: Flag
  guarantee?: boolean | undefined
  file?: Flag
  set?: readonly string[] | undefined
}

const flagsByPath: ReadonlyArray<readonly [path: string, flag: string]> = [
  ['customerId', '--customer'],
  ['source.sourcePaymentAccountId', '--from'],
  ['source.sourceCurrency', '--from-currency'],
  ['source.sourcePaymentMethod', '--from-method'],
  ['destination.destinationPaymentAccountId', '--to'],
  ['destination.destinationCurrency', '--to-currency'],
  ['destination.destinationPaymentMethod', '--to-method'],
  ['source.sourceAmount', '--amount'],
]

export const toQuoteFields = (flags: QuoteFlags): Body => ({
  customerId: flags.customer,
  source: {
    sourcePaymentAccountId: flags.from,
    sourceCurrency: flags['from-currency'],
    sourcePaymentMethod: flags['from-method'],
    sourceAmount: flags.amount,
  },
  destination: {
    destinationPaymentAccountId: flags.to,
    destinationPaymentMethod: flags['to-method'],
    destinationCurrency: flags['to-currency'],
  },
  ...((flags['developer-fee'] ?? flags['developer-fee-type']) && {
    developerFee: {developerFeeType: flags['developer-fee-type'], developerFeeAmount: flags['developer-fee']},
  }),
  guaranteeQuote: flags.guarantee ? true : undefined,
})

// A developer fee without a type is in the source currency, like all fees of the service.
export function addFeeType(body: Body): Body {
  // Most rows of a payout file have none.
  const {developerFee: fee} = body
  if (!isRecord(fee) || fee['developerFeeAmount'] === undefined || fee['developerFeeType'] !== undefined) return body
  return {...body, developerFee: {developerFeeType: 'SOURCE_CURRENCY', ...fee}}
}

export async function readQuoteBody(flags: QuoteFlags): Promise<Body> {
  const body = await buildBody(() => quoteCreate, {file: flags.file, flags: toQuoteFields(flags), set: flags.set})
  rejectShortCustomerInSet(flags.set, body)
  return addFeeType(body)
}

// The same from flags alone, for payout files.
export const buildQuoteBody = (flags: QuoteFlags): Body => addFeeType(mergeBodies({}, toQuoteFields(flags)))

export interface QuoteValidation {
  // The flags of missing fields.
  missing: string[]
  // Problems of the fields that are present.
  wrong: Problem[]
  // All problems, including missing fields.
  problems: Problem[]
}

const findContractProblems = (body: Body, getSuggested: () => z.ZodType): Problem[] =>
  isValidBody('quotes.create', body)
    ? []
    : suggestFields(getSuggested(), acceptShortCustomer(findProblems(quoteCreate, body), body))

// `getSuggested` has the fields to suggest instead of an unknown one; a payment has more than a quote.
export function validateQuote(body: Body, getSuggested: () => z.ZodType = () => quoteCreate): QuoteValidation {
  const feeFlag = ['developerFee.developerFeeAmount', '--developer-fee'] as const
  const required = body['developerFee'] === undefined ? flagsByPath : [...flagsByPath, feeFlag]
  const absent = required.filter(([path]) => getValue(body, path) === undefined)
  const contractProblems = findContractProblems(body, getSuggested).filter(
    ({path}) => !absent.some(([absentPath]) => `${absentPath}.`.startsWith(`${path}.`)),
  )
  const amount = getValue(body, 'source.sourceAmount')
  const isZero = typeof amount === 'string' && isZeroAmount(amount)
  const wrong = [
    ...contractProblems,
    // The interface sets no minimum (docs/assumptions.md, M23).
    ...(isZero ? [{path: 'source.sourceAmount', isWarning: true, message: 'should be more than 0'}] : []),
  ]
  return {
    missing: absent.map(([, flag]) => flag),
    wrong,
    problems: [
      ...absent.map(([path, flag]): Problem => ({
        path,
        kind: 'missing',
        message: `is missing (${flag})`,
      })),
      ...wrong,
    ],
  }
}

const lifetimeMs = limits.quoteLifetimeSeconds * 1000
// Services round times to whole seconds, which does not shorten a quote.
const roundingMs = 1000

// When a quote expires by the local clock. The service's clock may differ, and the sandbox's may be months ahead, so a quote
// expires at the latest five minutes after the request (docs/assumptions.md, M17).
export function calculateQuoteEndMs(expiresAt: unknown, requestedMs: number, receivedMs: number): number {
  const endMs = toInstantMs(expiresAt) ?? Number.NaN
  const latestMs = requestedMs + lifetimeMs
  return endMs > receivedMs && endMs < latestMs - roundingMs ? endMs : latestMs
}
