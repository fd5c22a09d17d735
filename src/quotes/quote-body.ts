// The request for a quote: from a file, flags and --set, with everything that is missing or wrong found at once.
import type {Problem} from '../contract/problems.ts'
import {findProblems} from '../contract/problems.ts'
import {limits} from '../contract/limits.ts'
import {quoteCreate} from '../contract/quotes.ts'
import {toInstantMs} from '../validation/instants.ts'
import {isZeroAmount} from '../validation/money.ts'
import type {Body} from '../cli/body/assignments.ts'
import {buildBody, mergeBodies} from '../cli/body/body.ts'

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

// Where each flag stands in the body.
const flagsByPath: ReadonlyArray<readonly [path: readonly string[], flag: string]> = [
  [['customerId'], '--customer'],
  [['source', 'sourcePaymentAccountId'], '--from'],
  [['source', 'sourceCurrency'], '--from-currency'],
  [['source', 'sourcePaymentMethod'], '--from-method'],
  [['destination', 'destinationPaymentAccountId'], '--to'],
  [['destination', 'destinationCurrency'], '--to-currency'],
  [['destination', 'destinationPaymentMethod'], '--to-method'],
  [['source', 'sourceAmount'], '--amount'],
]

const getPath = (body: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Body | null | undefined)?.[key], body)

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

// A fee of which nothing else is said is in the source currency, as all fees are that the service names.
export function addFeeType(body: Body): Body {
  const fee = body['developerFee']
  if (getPath(fee, ['developerFeeAmount']) === undefined || getPath(fee, ['developerFeeType']) !== undefined)
    return body
  return {...body, developerFee: {developerFeeType: 'SOURCE_CURRENCY', ...(fee as Body)}}
}

export const readQuoteBody = async (flags: QuoteFlags): Promise<Body> =>
  addFeeType(await buildBody(quoteCreate, {file: flags.file, flags: toQuoteFields(flags), set: flags.set}))

// The same of flags alone, for whoever has many of them.
export const buildQuoteBody = (flags: QuoteFlags): Body => addFeeType(mergeBodies({}, toQuoteFields(flags)))

export interface QuoteValidation {
  // The flags that would give what is not there.
  missing: string[]
  // What is there and is wrong.
  wrong: Problem[]
  // Everything that is wrong, what is missing included.
  problems: Problem[]
}

export function validateQuote(body: Body): QuoteValidation {
  const feePlace = [['developerFee', 'developerFeeAmount'], '--developer-fee'] as const
  const wanted = body['developerFee'] === undefined ? flagsByPath : [...flagsByPath, feePlace]
  const absent = wanted.filter(([path]) => getPath(body, path) === undefined)
  const ofContract = findProblems(quoteCreate, body).filter(
    ({path}) => !absent.some(([place]) => `${place.join('.')}.`.startsWith(`${path}.`)),
  )
  const amount = getPath(body, ['source', 'sourceAmount'])
  const isZero = typeof amount === 'string' && isZeroAmount(amount)
  const wrong = [...ofContract, ...(isZero ? [{path: 'source.sourceAmount', message: 'must be more than 0'}] : [])]
  return {
    missing: absent.map(([, flag]) => flag),
    wrong,
    problems: [
      ...absent.map(([path, flag]): Problem => ({
        path: path.join('.'),
        kind: 'missing',
        message: `is missing (${flag})`,
      })),
      ...wrong,
    ],
  }
}

const lifetimeMs = limits.quoteLifetimeSeconds * 1000
// Services cut their times to whole seconds, which takes nothing from a quote's life.
const roundingMs = 1000

// When a quote ends, on this machine's clock. Clocks differ, and the sandbox's may be months ahead: a quote lives for five
// minutes from its creation, so never longer than that from the question on (docs/assumptions.md, M17).
export function calculateQuoteEndMs(expiresAt: unknown, askedMs: number, answeredMs: number): number {
  const endMs = toInstantMs(expiresAt) ?? Number.NaN
  const latestMs = askedMs + lifetimeMs
  return endMs > answeredMs && endMs < latestMs - roundingMs ? endMs : latestMs
}
