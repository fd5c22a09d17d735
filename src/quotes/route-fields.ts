// The fields that a quote, a rule and a row of a payout file share: where each stands in a body, and which flag or column gives it.
import type {Body} from '../values/body-paths.ts'

export type Side = 'source' | 'destination'

// The path of the object that has `source` and `destination`: that of a quote, or of a rule.
export type RoutePrefix = '' | 'transactionTemplate.'

// `decides` says what an account usually decides by itself: a bank account has one currency and one method.
export const routeFields = [
  {flag: 'customer', path: 'customerId'},
  {flag: 'from', path: 'source.sourcePaymentAccountId'},
  {flag: 'from-currency', path: 'source.sourceCurrency', side: 'source', decides: 'currencies'},
  {flag: 'from-method', path: 'source.sourcePaymentMethod', side: 'source', decides: 'methods'},
  {flag: 'to', path: 'destination.destinationPaymentAccountId'},
  {flag: 'to-currency', path: 'destination.destinationCurrency', side: 'destination', decides: 'currencies'},
  {flag: 'to-method', path: 'destination.destinationPaymentMethod', side: 'destination', decides: 'methods'},
  {flag: 'amount', path: 'source.sourceAmount'},
  {flag: 'developer-fee', path: 'developerFee.developerFeeAmount', isOptional: true},
  {flag: 'developer-fee-type', path: 'developerFee.developerFeeType', isOptional: true},
] as const satisfies ReadonlyArray<RouteField & {flag: string}>

interface RouteField {
  path: string
  side?: Side
  decides?: 'currencies' | 'methods'
  isOptional?: true
}

type RouteFlag = (typeof routeFields)[number]['flag']

export type RouteFlags = {readonly [Flag in RouteFlag]?: string | undefined}

export const toRoutePath = (
  prefix: RoutePrefix,
  side: Side,
  field: 'PaymentAccountId' | 'PaymentMethod' | 'Currency',
): string => `${prefix}${side}.${side}${field}`

export const accountPaths = (['source', 'destination'] as const).map((side) =>
  toRoutePath('', side, 'PaymentAccountId'),
)

const details = routeFields.filter((field) => 'decides' in field)

export const listDetails = (prefix: RoutePrefix) =>
  details.map(({flag, path, side, decides}) => ({flag: `--${flag}`, path: `${prefix}${path}`, side, decides}))

export const isDetailPath = (prefix: RoutePrefix, path: string): boolean =>
  details.some((detail) => `${prefix}${detail.path}` === path)

// Flags that are needed whatever the accounts are.
export const omitDetailFlags = (flags: readonly string[]): string[] =>
  flags.filter((flag) => !details.some((detail) => `--${detail.flag}` === flag))

const pickFields = (flags: RouteFlags, object: string): Body =>
  Object.fromEntries(
    routeFields
      .filter(({path}) => path.startsWith(`${object}.`))
      .map(({flag, path}) => [path.slice(object.length + 1), flags[flag]]),
  )

// The body of a quote. What was not given is undefined.
export const toRouteBody = (flags: RouteFlags): Body => ({
  customerId: flags.customer,
  source: pickFields(flags, 'source'),
  destination: pickFields(flags, 'destination'),
  ...((flags['developer-fee'] ?? flags['developer-fee-type']) !== undefined && {
    developerFee: pickFields(flags, 'developerFee'),
  }),
})
