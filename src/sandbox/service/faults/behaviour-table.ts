// The behaviours of the service that the interface does not fix, or that a client must not rely on: one table, from which come
// their type, their defaults, flags, forms, schemas and columns. Library users see its types, so it imports nothing.

// What a reused idempotency key gets: the first reply, the first reply if it was a success, an error, a new transaction as if there
// were no key, the first reply for N minutes and then a new transaction, the first reply to the same body and a new transaction
// for another one, the first reply to the same body and an error for another one, the first reply whatever the body.
export const idempotencyWords = [
  'replay',
  'replay-successes',
  'refuse',
  'ignore',
  'forget-after-Nm',
  'per-body',
  'refuse-other-body',
  'replay-any-body',
] as const

export type Idempotency = Exclude<(typeof idempotencyWords)[number], 'forget-after-Nm'> | `forget-after-${number}m`

// Each is a field of `svc sandbox faults set`. Of a choice, the first is the default; of seconds, 0.
export const behaviourFields = {
  /** What a reused idempotency key gets. */
  idempotency: {type: 'idempotency', says: 'What happens to a reused key: replay, ignore, per-body or another'},
  /** Whether a quote can be used for one transaction or for many. */
  quoteUse: {type: 'choice', says: 'How many transactions a quote can create', choices: ['single', 'many']},
  expiredQuotes: {type: 'choice', says: 'What happens to expired quotes', choices: ['refused', 'accepted']},
  /** How long a new transaction is missing from lists. */
  listLagSeconds: {type: 'seconds', says: 'How long new transactions are missing from lists', flag: 'list-lag'},
  listOrder: {type: 'choice', says: 'Order of lists', choices: ['newest-first', 'oldest-first']},
  /** How long a page token works. 0 is forever. */
  pageTokenSeconds: {type: 'seconds', says: 'How long page tokens work (0: forever)', flag: 'page-token-life'},
  /** How new transactions end. Those that complete take as long as their method does. */
  transactionOutcome: {
    type: 'choice',
    says: 'How new transactions end',
    choices: ['completed', 'failed', 'cancelled', 'expired'],
  },
  outcomeAfterSeconds: {
    type: 'seconds',
    says: 'When new transactions end badly (0: immediately)',
    flag: 'outcome-after',
  },
  /** How far the Date of replies is ahead of the clock by which quotes expire. */
  dateSkewSeconds: {
    type: 'seconds',
    says: 'How far the Date of replies is ahead of the clock',
    flag: 'date-skew',
    min: -9_999_999,
  },
  dateHeader: {type: 'choice', says: 'Whether replies have a Date', choices: ['sent', 'left-out']},
  /** On the Builder tier the developer fee must be at least the service's own. */
  tier: {type: 'choice', says: 'Tier of the integrator', choices: ['standard', 'builder']},
} as const

type Table = typeof behaviourFields

export type Behaviours = {
  -readonly [Name in keyof Table]: Table[Name] extends {choices: ReadonlyArray<infer Choice>}
    ? Choice
    : Table[Name] extends {type: 'seconds'}
      ? number
      : Idempotency
}

// How a transaction can end.
export type Settlement = Table['transactionOutcome']['choices'][number]

export const settlements: readonly Settlement[] = behaviourFields.transactionOutcome.choices

export type ListOrder = Behaviours['listOrder']

// The kinds of faults: whether the request is carried out, and the status of the reply unless another is given.
export const faultKinds = {
  // An error in the service's format.
  refuse: {carriedOut: false, statusDefault: 503},
  // The same with another default.
  status: {carriedOut: false, statusDefault: 429},
  // An HTML page, as a gateway sends it.
  html: {carriedOut: false, statusDefault: 502},
  reset: {carriedOut: false},
  // No response until the client gives up.
  hang: {carriedOut: false},
  // A late response.
  delay: {carriedOut: true},
  // The connection is closed without a response.
  lose: {carriedOut: true},
  // The response ends in the middle.
  truncate: {carriedOut: true},
  // A body that is not JSON.
  garbage: {carriedOut: true},
  // An error in the service's format, although the request was carried out.
  'refuse-after': {carriedOut: true, statusDefault: 500},
} as const

export type FaultKind = keyof typeof faultKinds

export const listFaultKinds = (): FaultKind[] => Object.keys(faultKinds) as FaultKind[]
