// What operations return: plain data from which the types, the schemas of the OpenAPI document and the tables of the commands are
// made. Library users see the types, so it imports nothing and has nothing but literals.

export interface ResultField {
  // An address may be narrowed in a table, and an id shortened. A time is shown in full or to the minute.
  readonly type:
    | 'text'
    | 'sentence'
    | 'address'
    | 'id'
    | 'status'
    | 'count'
    | 'number'
    | 'ms'
    | 'boolean'
    | 'true'
    | 'time'
    | 'minute'
    | 'any'
  readonly choices?: readonly string[]
  readonly isOptional?: true
  readonly says?: string
  // Shown in a table only if --columns names it.
  readonly onRequest?: true
}

export type ResultFields = Readonly<Record<string, ResultField>>

// By the name of the schema. The fields are the columns of its table, in this order; a narrow terminal drops the last ones first.
export const results = {
  Clock: {
    now: {type: 'time'},
    frozen: {type: 'boolean'},
    offsetMs: {type: 'ms', says: 'How far the clock is ahead of real time'},
    movedMs: {type: 'ms', isOptional: true, says: 'How far it was moved'},
    tasksRun: {type: 'count', isOptional: true, says: 'How many reviews, settlements and other tasks ran on the way'},
  },
  Fault: {
    faultId: {type: 'id'},
    method: {type: 'text'},
    path: {type: 'address'},
    kind: {type: 'text'},
    acted: {type: 'count', says: 'On how many of them it acted'},
    times: {type: 'count', isOptional: true, says: 'How often it acts; absent means always'},
    seen: {type: 'count', says: 'How many requests matched'},
    status: {type: 'count', isOptional: true},
    after: {type: 'count'},
    probability: {type: 'number'},
    delayMs: {type: 'ms'},
    retryAfterSeconds: {type: 'count', isOptional: true},
    commitAfterMs: {type: 'ms', isOptional: true},
    createdAt: {type: 'minute', onRequest: true},
  },
  Snapshot: {
    name: {type: 'text'},
    savedAt: {type: 'time', says: 'On the clock of the sandbox'},
    bytes: {type: 'count'},
  },
  MagicValue: {
    value: {type: 'text'},
    effect: {type: 'sentence'},
    field: {type: 'text', says: 'The field to write it in'},
    precedence: {type: 'count', isOptional: true, says: 'Among several values, the one with the lowest number decides'},
    code: {type: 'text', isOptional: true, says: 'The issue code that it raises', onRequest: true},
    of: {
      type: 'status',
      choices: ['verification', 'transaction'],
      says: 'Whether it acts on the review of a submission or on a transaction',
      onRequest: true,
    },
  },
  Request: {
    method: {type: 'text'},
    path: {type: 'address'},
    status: {type: 'count', says: '0 if there was no answer'},
    at: {type: 'time'},
    fault: {type: 'text', isOptional: true},
    durationMs: {type: 'ms'},
    seq: {type: 'count', onRequest: true},
    request: {type: 'any', isOptional: true, says: 'Personal data is masked', onRequest: true},
    reply: {type: 'any', isOptional: true, onRequest: true},
  },
  WebhookEndpoint: {
    endpointId: {type: 'id'},
    secret: {type: 'text'},
    url: {type: 'address'},
    status: {type: 'status', choices: ['ENABLED', 'DISABLED']},
    copies: {type: 'count'},
    owner: {
      type: 'text',
      isOptional: true,
      says: 'The process that removes the endpoint when it ends, if it belongs to one',
      onRequest: true,
    },
    createdAt: {type: 'minute', onRequest: true},
  },
  WebhookDelivery: {
    deliveryId: {type: 'id'},
    status: {type: 'status', choices: ['PENDING', 'DELIVERED', 'FAILED']},
    lastOutcome: {type: 'text', isOptional: true, says: 'An HTTP status, or the name of the failure'},
    attempts: {type: 'count'},
    eventId: {type: 'id'},
    nextAttemptAt: {type: 'minute', isOptional: true},
    url: {type: 'address'},
    type: {type: 'text', onRequest: true},
    customerId: {type: 'id', onRequest: true},
    endpointId: {type: 'id', onRequest: true},
    lastAttemptAt: {type: 'minute', isOptional: true, onRequest: true},
    createdAt: {type: 'minute', onRequest: true},
    resend: {type: 'true', isOptional: true, says: 'Somebody asked for the event once more', onRequest: true},
  },
  WebhookEvent: {
    eventId: {type: 'id'},
    type: {type: 'text'},
    customerId: {type: 'id'},
    createdAt: {type: 'minute'},
    deliveries: {type: 'count'},
    delivered: {type: 'count'},
    body: {type: 'text', says: 'The bytes that an endpoint gets', onRequest: true},
  },
} as const

type Results = typeof results
export type ResultName = keyof Results

type ValueOf<F extends ResultField> = F extends {readonly choices: ReadonlyArray<infer Choice>}
  ? Choice
  : F['type'] extends 'count' | 'number' | 'ms'
    ? number
    : F['type'] extends 'boolean'
      ? boolean
      : F['type'] extends 'true'
        ? true
        : F['type'] extends 'any'
          ? unknown
          : string

type OptionalNames<F> = {[K in keyof F]: F[K] extends {readonly isOptional: true} ? K : never}[keyof F]

type Values<F extends ResultFields> = {-readonly [K in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[K]>} & {
  -readonly [K in OptionalNames<F>]?: ValueOf<F[K]>
}

export type Result<N extends ResultName> = Values<Results[N]>
