// The quotes and transactions of a scripted service: what a request makes, under each behaviour of keys and quotes. Nothing
// here waits: what happens later is worked out from the clock when somebody looks.
import {type Behaviour, type Body, type Refusal, refusal} from './behaviour.ts'
import type {ServiceClock} from './clock.ts'
import {type Quote, createQuote, createTransaction, spellCorrelationId} from './entities.ts'

export interface CreationRequest {
  key: string
  body: string
}

export interface MadeTransaction {
  key: string
  correlationId: string | undefined
  madeAtMs: number
  reads: number
  item: Body
}

interface KeyUse extends CreationRequest {
  atMs: number
  outcome: MadeTransaction | Refusal
}

export type Outcome = {made: MadeTransaction} | {refused: Refusal; isByQuote?: true}

// A behaviour of the service that gives this answer, which may be a choice.
export type Decide = (ask: (behaviour: Behaviour) => unknown) => Behaviour

interface LedgerOptions {
  behaviour: Behaviour
  decide?: Decide
  clock: ServiceClock
  alter: (transaction: Body) => Body
  // Accounts and customers that do not exist. All others do.
  unknownIds: ReadonlySet<string>
}

export class Ledger {
  made: MadeTransaction[] = []
  #madeCount = 0
  readonly #quotes = new Map<string, Quote>()
  #uses: KeyUse[] = []
  #late: Array<CreationRequest & {atMs: number}> = []
  readonly #behaviour: Behaviour
  readonly #decide: Decide
  readonly #clock: ServiceClock
  readonly #alter: (transaction: Body) => Body
  readonly #unknownIds: ReadonlySet<string>

  constructor({behaviour, decide = () => behaviour, clock, alter, unknownIds}: LedgerOptions) {
    this.#behaviour = behaviour
    this.#decide = decide
    this.#clock = clock
    this.#alter = alter
    this.#unknownIds = unknownIds
  }

  quote(body: Body): Quote | Refusal {
    const wrong = findWrongField(body) ?? this.#findUnknownId(body)
    if (wrong) return refusal(400, 'BAD_REQUEST', wrong)
    const nowMs = this.#clock.now()
    const cached = this.#behaviour.areQuotesCached ? this.#findCached(body, nowMs) : undefined
    const quote = cached ?? createQuote(this.#quotes.size + 1, body, this.#behaviour, nowMs)
    this.#quotes.set(quote.quoteId, quote)
    return quote
  }

  #findCached(body: Body, nowMs: number): Quote | undefined {
    const text = JSON.stringify(body)
    return [...this.#quotes.values()].find(
      ({request, expiresAtMs}) => nowMs < expiresAtMs - 60_000 && JSON.stringify(request) === text,
    )
  }

  // Creates the transaction that a request asks for, or says why not.
  create(request: CreationRequest): Outcome {
    this.catchUp()
    return this.#create(request, this.#clock.now())
  }

  findQuote(quoteId: string): Quote | undefined {
    return this.#quotes.get(quoteId)
  }

  // Does the same later: keys and quotes are judged then.
  createLater(request: CreationRequest, afterMs: number): void {
    this.#late.push({...request, atMs: this.#clock.now() + afterMs})
  }

  // Forgets the transactions that were made under these keys, and their keys.
  forget(isForgotten: (made: MadeTransaction) => boolean): void {
    this.made = this.made.filter((one) => !isForgotten(one))
    this.#uses = []
    this.#late = []
  }

  #create(request: CreationRequest, nowMs: number): Outcome {
    if (!request.key) return {refused: refusal(400, 'BAD_REQUEST', 'x-idempotency-key is required')}
    const quote = this.findQuote(String(parseObject(request.body)['quoteId']))
    const find = (behaviour: Behaviour) =>
      findKeyUse(this.#uses, request, behaviour, nowMs) ?? findRefusal(quote, behaviour, nowMs)
    const outcome = find(this.#decide((behaviour) => nameOutcome(find(behaviour))))
    const used = this.#behaviour.quotes === 'replayed' ? this.#findMade(quote) : undefined
    if (!outcome && used) return {made: this.#replay(used, request)}
    if (!outcome) return {made: this.#make(request, quote as Quote, nowMs)}
    if ('refused' in outcome && outcome.isByQuote) this.#uses.push({...request, atMs: nowMs, outcome: outcome.refused})
    return outcome
  }

  // Makes what is due, and gives transactions the status that they have by now.
  catchUp(): void {
    const nowMs = this.#clock.now()
    const due = this.#late.filter(({atMs}) => atMs <= nowMs)
    this.#late = this.#late.filter(({atMs}) => atMs > nowMs)
    for (const {atMs, ...request} of due.toSorted((one, other) => one.atMs - other.atMs)) this.#create(request, atMs)
    const {laterStatus} = this.#behaviour
    if (!laterStatus) return
    for (const {item, madeAtMs, reads} of this.made) {
      const isDue =
        reads >= (laterStatus.afterReads ?? Infinity) || nowMs - madeAtMs >= (laterStatus.afterMs ?? Infinity)
      if (isDue) item['transactionStatus'] = laterStatus.status
    }
  }

  // The transaction with the correlationId of this request.
  #replay(used: MadeTransaction, request: CreationRequest): MadeTransaction {
    const {correlationId} = readCorrelationId(request)
    const own = correlationId !== undefined && {correlationId: spellCorrelationId(correlationId, this.#behaviour)}
    return {...used, item: {...used.item, ...own}}
  }

  #findMade(quote: Quote | undefined): MadeTransaction | undefined {
    return this.made.find(({item}) => quote !== undefined && String(item['quoteId']) === quote.quoteId)
  }

  #make(request: CreationRequest, quote: Quote, nowMs: number): MadeTransaction {
    quote.usedAtMs ??= nowMs
    const {correlationId} = readCorrelationId(request)
    const item = createTransaction(++this.#madeCount, quote, correlationId, this.#behaviour, nowMs)
    const made: MadeTransaction = {
      key: request.key,
      correlationId: typeof correlationId === 'string' ? correlationId : undefined,
      madeAtMs: nowMs,
      reads: 0,
      item: this.#alter(item),
    }
    this.made.push(made)
    this.#uses.push({...request, atMs: nowMs, outcome: made})
    return made
  }

  #findUnknownId(body: Body): string | undefined {
    const {source, destination} = body as Record<string, Body>
    const ids = [body['customerId'], source?.['sourcePaymentAccountId'], destination?.['destinationPaymentAccountId']]
    const unknown = ids.map(String).find((id) => this.#unknownIds.has(id))
    return unknown === undefined ? undefined : `${unknown} does not exist`
  }
}

// What the earlier use of a key means for this request; undefined if it means nothing.
function findKeyUse(
  all: readonly KeyUse[],
  {key, body}: CreationRequest,
  behaviour: Behaviour,
  nowMs: number,
): Outcome | undefined {
  const {keys, keysForgottenAfterMs, keyRefusal, otherBodyRefusal, areRefusalsReplayed} = behaviour
  if (keys === 'ignored') return undefined
  const uses = all.filter(
    (use) =>
      use.key === key && nowMs - use.atMs < keysForgottenAfterMs && (areRefusalsReplayed || 'item' in use.outcome),
  )
  if (uses.length === 0) return undefined
  if (keys === 'refused') return {refused: keyRefusal}
  const use = keys === 'honoured' ? uses[0] : uses.find((one) => one.body === body)
  if (use) return 'item' in use.outcome ? {made: use.outcome} : {refused: use.outcome}
  if (keys === 'other-body-refused') return {refused: otherBodyRefusal}
  // A key that was only refused has made nothing, so another body may still use it.
  const isMade = uses.some(({outcome}) => 'item' in outcome)
  return keys === 'replayed' && isMade ? {refused: keyRefusal} : undefined
}

const nameOutcome = (outcome: Outcome | undefined) =>
  outcome && ('made' in outcome ? outcome.made : `${outcome.refused.error} ${outcome.refused.message}`)

function findRefusal(quote: Quote | undefined, behaviour: Behaviour, nowMs: number): Outcome | undefined {
  const {quotes, usedQuoteRefusal, expiredQuotes, expiredQuoteRefusal} = behaviour
  if (!quote) return {refused: refusal(400, 'BAD_REQUEST', 'quoteId: no such quote'), isByQuote: true}
  if (quotes === 'single' && quote.usedAtMs !== undefined) return {refused: usedQuoteRefusal, isByQuote: true}
  const isExpired = expiredQuotes === 'refused' && nowMs >= quote.expiresAtMs
  return isExpired ? {refused: expiredQuoteRefusal, isByQuote: true} : undefined
}

function readCorrelationId({body}: CreationRequest): {correlationId?: unknown} {
  const {correlationId} = parseObject(body)
  return correlationId === undefined ? {} : {correlationId}
}

export function parseObject(text: string): Body {
  try {
    const value: unknown = JSON.parse(text || '{}')
    return typeof value === 'object' && value !== null ? (value as Body) : {}
  } catch {
    return {}
  }
}

const amountPattern = /^(?!0*\.?0*$)\d+(\.\d+)?$/

// The first field of a quote's request that is missing or wrong, as a message names it.
function findWrongField(body: Body): string | undefined {
  const source = (body['source'] ?? {}) as Body
  const destination = (body['destination'] ?? {}) as Body
  const required: Array<[string, unknown]> = [
    ['customerId', body['customerId']],
    ...['sourcePaymentAccountId', 'sourceCurrency', 'sourcePaymentMethod', 'sourceAmount'].map(
      (name): [string, unknown] => [`source.${name}`, source[name]],
    ),
    ...['destinationPaymentAccountId', 'destinationCurrency', 'destinationPaymentMethod'].map(
      (name): [string, unknown] => [`destination.${name}`, destination[name]],
    ),
  ]
  const missing = required.find(([, value]) => typeof value !== 'string' || value === '')
  if (missing) return `${missing[0]} must be a string`
  return amountPattern.test(String(source['sourceAmount']))
    ? undefined
    : 'source.sourceAmount must be a positive amount'
}
