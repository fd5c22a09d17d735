// How a scripted service behaves where the interface is silent. A test changes any of it at any time.
import type {ReceivedRequest} from '../service.ts'

export type Body = Record<string, unknown>

// An error body as the interface documents it: {error, message, statusCode}.
export interface Refusal {
  status: number
  error: string
  message: string
}

export const refusal = (status: number, error: string, message: string): Refusal => ({status, error, message})

// What a key that was used before does:
// - honoured: the reply is the transaction of its first use, whatever the body.
// - refused: `keyRefusal`, whatever the body.
// - per-body: the same body gets the transaction of its first use; another body makes a new one.
// - replayed: the same body gets the reply to its first use; another body gets `keyRefusal` once something was made.
// - other-body-refused: the same body gets the transaction of its first use; another body gets `otherBodyRefusal`.
// - ignored: the key has no effect.
type KeyBehaviour = 'honoured' | 'replayed' | 'refused' | 'per-body' | 'other-body-refused' | 'ignored'

// By creation, the newest or the oldest first; by the last update, latest first; by status, and
// then the oldest first; or in no order that can be seen.
export const listOrders = ['newest', 'oldest', 'updated', 'status', 'mixed'] as const
export type ListOrder = (typeof listOrders)[number]

// What happens to a list between two of its pages:
// - hide: a transaction of the page that was read, which no payment of svc made, is listed no more.
// - update: the last transaction of the list is updated, and completed.
// - resort: the list has another order from now on.
export type ListMove = 'none' | 'hide' | 'update' | 'resort'

// How the service writes what it sends:
// - usual: as the interface says.
// - numbers: ids and amounts are JSON numbers, amounts with an exponent.
// - loose: a correlationId is in capitals, and amounts have a sign and blanks.
export const spellings = ['usual', 'numbers', 'loose'] as const
export type Spelling = (typeof spellings)[number]

export const pickSpelling = (index: number): Spelling => spellings[index % spellings.length] ?? 'usual'

export interface Behaviour {
  // The credentials that it accepts: test-key is the one of `env`, and others tell hosts apart.
  apiKeys: string[]
  keys: KeyBehaviour
  keyRefusal: Refusal
  otherBodyRefusal: Refusal
  // A key is as good as new this long after its first use.
  keysForgottenAfterMs: number
  // Whether a request that was refused uses up its key: the same refusal comes again, whatever the body.
  areRefusalsReplayed: boolean

  // A quote that was used before is refused, makes another transaction, or gets the transaction of
  // its first use, with the correlationId of this request.
  quotes: 'single' | 'many' | 'replayed'
  usedQuoteRefusal: Refusal
  expiredQuotes: 'refused' | 'accepted'
  expiredQuoteRefusal: Refusal
  quoteLifeMs: number
  // Whether the same request gets the same quote while it is valid.
  areQuotesCached: boolean
  spelling: Spelling
  // Price of the next quote.
  rate: string
  svcFee: string

  // The status of a new transaction, and the one that it has later: after it was shown in so many replies to
  // GET /transactions, or so long after it was made, whichever comes first.
  status: string
  laterStatus: {status: string; afterReads?: number; afterMs?: number} | undefined

  // How long after it was made a transaction appears in the list.
  listLagMs: number
  listOrder: ListOrder
  // Transactions that the service has lost: they were made, and it lists them no more.
  lostIds: Set<string>
  // A page never has more items than this, whatever pageSize asks for.
  pageItemsMax: number
  // Whether a page token names the last item of its page, or the number of items before it.
  pageTokens: 'item' | 'offset'
  // After each page of GET /transactions but the last one, the next of these happens.
  listMoves: ListMove[]
  // The next `times` page tokens that are used are refused.
  deadPageTokens: {refusal: Refusal; times: number}

  // The Date header: the service's clock, shifted by `dateSkewMs`, or none at all.
  hasDate: boolean
  dateSkewMs: number
  // Real time before each reply.
  latencyMs: number
  // To how many requests a step applies that does not say it.
  stepTimes: number
}

export const createBehaviour = (): Behaviour => ({
  apiKeys: ['test-key', 'other-key'],
  keys: 'honoured',
  keyRefusal: refusal(409, 'CONFLICT', 'The idempotency key was used before'),
  otherBodyRefusal: refusal(422, 'IDEMPOTENCY_KEY_REUSED', 'The idempotency key was used with another request body'),
  keysForgottenAfterMs: Infinity,
  areRefusalsReplayed: false,
  quotes: 'single',
  usedQuoteRefusal: refusal(422, 'QUOTE_USED', 'The quote was used before'),
  expiredQuotes: 'refused',
  expiredQuoteRefusal: refusal(400, 'BAD_REQUEST', 'quoteId: the quote has expired'),
  quoteLifeMs: 300_000,
  areQuotesCached: false,
  spelling: 'usual',
  rate: '1',
  svcFee: '0',
  status: 'CREATED',
  laterStatus: undefined,
  listLagMs: 0,
  listOrder: 'newest',
  lostIds: new Set(),
  pageItemsMax: 100,
  pageTokens: 'item',
  listMoves: [],
  deadPageTokens: {refusal: refusal(400, 'BAD_REQUEST', 'pageToken: unknown or expired'), times: 0},
  hasDate: true,
  dateSkewMs: 0,
  latencyMs: 0,
  stepTimes: 1,
})

// What happens to requests of one kind instead of the usual.
export interface Step {
  // 'POST /transactions' unless told.
  at?: string
  // How many matching requests pass before this step applies, 0 unless told, and to how many it applies.
  skip?: number
  times?: number
  matches?: (request: ReceivedRequest) => boolean
  // The service does nothing before this has resolved.
  before?: Promise<unknown>
  // Whether the service does what it was asked: at once (unless told), never, or so long after the request. A transaction
  // that is made late is judged by keys and quotes at that later time, as a queue would.
  acts?: 'at once' | 'never' | {afterMs: number}
  // The reply waits for this, and takes so long.
  after?: Promise<unknown>
  delayMs?: number
  // The usual reply unless told. lost: the connection stays open without a reply; reset: it is closed without one;
  // truncated: it is closed in the middle of the usual reply.
  reply?: 'lost' | 'reset' | 'truncated' | Refusal | {status: number; body: unknown; headers?: Record<string, string>}
}

// A step of a script in progress.
export interface ScriptedStep {
  // Resolves with the first request that the step applies to, as soon as it has arrived.
  reached: Promise<ReceivedRequest>
  hits: ReceivedRequest[]
  remove: () => void
}
