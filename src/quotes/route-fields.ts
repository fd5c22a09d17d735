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
