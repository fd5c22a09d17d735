// What operations return: plain data from which the types, the schemas of the OpenAPI document and the tables of the commands are
// made. Library users see the types, so it imports nothing and has nothing but literals.

interface ResultField {
  readonly type: 'text' | 'texts' | 'count' | 'number' | 'boolean' | 'true' | 'time' | 'choice' | 'any'
  readonly choices?: readonly string[]
  readonly isOptional?: true
  // What it is in the OpenAPI document.
  readonly description?: string
  // A field with a rank is a column. Its header is its name, unless it has another.
  readonly rank?: number
  readonly header?: string
  readonly short?: string
  readonly format?: 'minute' | 'yes-no' | 'http-status' | 'milliseconds' | 'seconds' | 'whole-seconds' | 'times'
  readonly align?: 'right'
  readonly colour?: 'status'
  readonly widthGood?: number
  readonly widthMin?: number
  readonly isId?: true
  readonly wraps?: true
  readonly onRequest?: true
}

export type ResultFields = Readonly<Record<string, ResultField>>

// By the name of the schema.
export const results = {
  Clock: {
    now: {type: 'time', rank: 0},
    frozen: {type: 'boolean', rank: 0, format: 'yes-no'},
    offsetMs: {
      type: 'number',
      description: 'How far the clock is ahead of real time',
      rank: 0,
      header: 'AHEAD OF REAL TIME',
      format: 'whole-seconds',
    },
  },
  Fault: {
    faultId: {type: 'text', rank: 0, header: 'ID', short: 'id'},
    method: {type: 'text', rank: 0},
    path: {type: 'text', rank: 0, widthGood: 24, widthMin: 14},
    kind: {type: 'text', rank: 0},
    times: {type: 'count', isOptional: true, rank: 1, format: 'times', align: 'right'},
    acted: {type: 'count', description: 'On how many of them it acted', rank: 0, align: 'right'},
    seen: {type: 'count', description: 'How many requests matched', rank: 3, align: 'right'},
    after: {type: 'count', rank: 4, align: 'right'},
    probability: {type: 'number', rank: 5, align: 'right'},
    status: {type: 'count', isOptional: true, rank: 4, align: 'right'},
    retryAfterSeconds: {type: 'count', isOptional: true, rank: 6, header: 'RETRY-AFTER', align: 'right'},
    delayMs: {type: 'count', rank: 5, header: 'DELAY', format: 'seconds', align: 'right'},
    commitAfterMs: {
      type: 'count',
      isOptional: true,
      rank: 6,
      header: 'COMMIT AFTER',
      format: 'seconds',
      align: 'right',
    },
    createdAt: {type: 'time', rank: 7, header: 'CREATED', onRequest: true},
  },
  Snapshot: {
    name: {type: 'text', rank: 0},
    savedAt: {type: 'time', description: 'On the clock of the sandbox', rank: 1, header: 'SAVED AT'},
    bytes: {type: 'count', rank: 2, align: 'right'},
  },
  MagicValue: {
    value: {type: 'text', rank: 0},
    // To write it in.
    field: {type: 'text', rank: 0},
    effect: {type: 'text', rank: 0, widthMin: 16, wraps: true},
    // Among several values, the one with the lowest number decides.
    precedence: {type: 'count', isOptional: true, rank: 3, align: 'right'},
    // The issue code that it raises.
    code: {type: 'text', isOptional: true, rank: 4, onRequest: true},
    // Whether it acts on the review of a submission or on a transaction.
    of: {type: 'choice', choices: ['verification', 'transaction'], rank: 5, onRequest: true},
  },
  Request: {
    seq: {type: 'count'},
    at: {type: 'time', rank: 1},
    method: {type: 'text', rank: 0},
    path: {type: 'text', rank: 0, widthGood: 40, widthMin: 12},
    /** 0 if there was no response. */
    status: {type: 'count', description: '0 if there was no answer', rank: 0, format: 'http-status', align: 'right'},
    durationMs: {type: 'number', rank: 2, header: 'MS', format: 'milliseconds', align: 'right'},
    fault: {type: 'text', isOptional: true, rank: 1},
    request: {
      type: 'any',
      isOptional: true,
      description: 'Personal data is masked',
      rank: 3,
      onRequest: true,
      widthMin: 12,
    },
    reply: {type: 'any', isOptional: true, rank: 3, onRequest: true, widthMin: 12},
  },
  WebhookEndpoint: {
    endpointId: {type: 'text', rank: 0, header: 'ID', short: 'id', isId: true},
    status: {type: 'choice', choices: ['ENABLED', 'DISABLED'], rank: 1, colour: 'status'},
    url: {type: 'text', rank: 0, widthGood: 40, widthMin: 16},
    secret: {type: 'text', rank: 2},
    copies: {type: 'count', rank: 3, align: 'right'},
    // The process that removes the endpoint when it ends, if it belongs to one.
    owner: {type: 'text', isOptional: true, rank: 5, onRequest: true},
    createdAt: {type: 'time', rank: 5, header: 'CREATED (UTC)', short: 'created', format: 'minute', onRequest: true},
  },
  WebhookDelivery: {
    deliveryId: {type: 'text', rank: 0, header: 'ID', short: 'id', isId: true},
    status: {type: 'choice', choices: ['PENDING', 'DELIVERED', 'FAILED'], rank: 0, colour: 'status'},
    attempts: {type: 'count', rank: 2, align: 'right'},
    // Of the last attempt: an HTTP status, or the name of the failure.
    lastOutcome: {type: 'text', isOptional: true, rank: 1, header: 'OUTCOME', short: 'outcome'},
    eventId: {type: 'text', rank: 3, header: 'EVENT', short: 'event', isId: true},
    nextAttemptAt: {type: 'time', isOptional: true, rank: 4, header: 'NEXT (UTC)', short: 'next', format: 'minute'},
    url: {type: 'text', rank: 5, widthGood: 40, widthMin: 16},
    type: {type: 'text', rank: 6, onRequest: true},
    customerId: {type: 'text', rank: 7, header: 'CUSTOMER', short: 'customer', isId: true, onRequest: true},
    endpointId: {type: 'text', rank: 8, header: 'ENDPOINT', short: 'endpoint', isId: true, onRequest: true},
    lastAttemptAt: {
      type: 'time',
      isOptional: true,
      rank: 9,
      header: 'LAST (UTC)',
      short: 'last',
      format: 'minute',
      onRequest: true,
    },
    createdAt: {type: 'time', rank: 10, header: 'CREATED (UTC)', short: 'created', format: 'minute', onRequest: true},
    // The endpoint is gone, so that only the history of the delivery is left.
    endpointRemoved: {type: 'true', isOptional: true},
    // Somebody asked for the event once more.
    resend: {type: 'true', isOptional: true},
  },
  WebhookEvent: {
    eventId: {type: 'text'},
    type: {type: 'text'},
    customerId: {type: 'text'},
    createdAt: {type: 'time'},
    deliveries: {type: 'count'},
    delivered: {type: 'count'},
    /** The bytes that an endpoint gets. */
    body: {type: 'text', description: 'The bytes that an endpoint gets'},
  },
} as const

type Results = typeof results
export type ResultName = keyof Results

interface ValuesByType {
  text: string
  texts: string[]
  count: number
  number: number
  boolean: boolean
  true: true
  time: string
  choice: string
  any: unknown
}

type ValueOf<F extends ResultField> = F extends {readonly choices: ReadonlyArray<infer Choice>}
  ? Choice
  : ValuesByType[F['type']]

type OptionalNames<F> = {[K in keyof F]: F[K] extends {readonly isOptional: true} ? K : never}[keyof F]

type Values<F extends ResultFields> = {-readonly [K in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[K]>} & {
  -readonly [K in OptionalNames<F>]?: ValueOf<F[K]>
}

export type Result<N extends ResultName> = Values<Results[N]>
