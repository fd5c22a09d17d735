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
  idempotency: {
    type: 'idempotency',
    description: 'What a reused idempotency key gets',
    summary: 'What happens to a reused key: replay, ignore, per-body or another (see above)',
    helpValue: 'HOW',
    header: 'REUSED IDEMPOTENCY KEY',
  },
  /** Whether a quote can be used for one transaction or for many. */
  quoteUse: {
    type: 'choice',
    choices: ['single', 'many'],
    summary: 'How many transactions a quote can create',
    header: 'USES OF A QUOTE',
  },
  expiredQuotes: {
    type: 'choice',
    choices: ['refused', 'accepted'],
    summary: 'What happens to expired quotes',
    header: 'EXPIRED QUOTES',
  },
  /** How long a new transaction is missing from lists. */
  listLagSeconds: {
    type: 'seconds',
    description: 'How long new transactions are missing from lists',
    name: 'list-lag',
    summary: 'How long new transactions are missing from lists',
    header: 'LAG OF LISTS IN SECONDS',
  },
  listOrder: {
    type: 'choice',
    choices: ['newest-first', 'oldest-first'],
    summary: 'Order of lists',
    header: 'ORDER OF LISTS',
  },
  /** How long a page token works. 0 is forever. */
  pageTokenSeconds: {
    type: 'seconds',
    description: 'How long page tokens work; 0 is forever',
    name: 'page-token-life',
    summary: 'How long page tokens work (0: forever)',
    header: 'LIFE OF PAGE TOKENS IN SECONDS',
  },
  /** How new transactions end. Those that complete take as long as their method does. */
  transactionOutcome: {
    type: 'choice',
    choices: ['completed', 'failed', 'cancelled', 'expired'],
    description: 'How new transactions end',
    summary: 'How new transactions end',
    header: 'OUTCOME OF TRANSACTIONS',
  },
  outcomeAfterSeconds: {
    type: 'seconds',
    description: 'When new transactions end badly; 0 is immediately',
    name: 'outcome-after',
    summary: 'When new transactions end badly (0: immediately)',
    header: 'OUTCOME AFTER SECONDS',
  },
  /** How far the Date of replies is ahead of the clock by which quotes expire. */
  dateSkewSeconds: {
    type: 'seconds',
    isSigned: true,
    description: 'How far the Date of replies is ahead of the clock',
    name: 'date-skew',
    summary: 'How far the Date of replies is ahead of the clock',
    header: 'SKEW OF THE DATE IN SECONDS',
  },
  dateHeader: {
    type: 'choice',
    choices: ['sent', 'left-out'],
    summary: 'Whether replies have a Date',
    header: 'DATE HEADER',
  },
  /** On the Builder tier the developer fee must be at least the service's own. */
  tier: {
    type: 'choice',
    choices: ['standard', 'builder'],
    summary: 'Tier of the integrator',
    header: 'TIER',
  },
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
  // The request is not carried out and gets an error in the service's format.
  'refuse-after': {carriedOut: true, statusDefault: 500},
} as const

export type FaultKind = keyof typeof faultKinds

export const listFaultKinds = (): FaultKind[] => Object.keys(faultKinds) as FaultKind[]
