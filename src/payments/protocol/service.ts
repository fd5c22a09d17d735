// The part of the service that payments use: a quote, one exact request, and the list of
// transactions.
import {setTimeout as sleep} from 'node:timers/promises'
import type {Client} from '../../client/client.ts'
import type {ObservedReply} from '../../client/connection.ts'
import {type Page, rejectCutList, walkPages} from '../../client/paging.ts'
import {retryAfterMaxMs} from '../../client/retries.ts'
import {limits} from '../../contract/vocabulary.ts'
import type {LooseQuote, LooseTransaction} from '../../contract/loose.ts'
import {wire} from '../../contract/wire.frozen.ts'
import {SvcError} from '../../errors.ts'
import {toInstantMs} from '../../values/time.ts'
import type {ServerClock} from './clock.ts'
import {type PaymentContent, omitReceive} from './payment.ts'

export interface Service {
  quote(content: PaymentContent, isGuaranteed: boolean): Promise<LooseQuote>
  // Sends exactly these bytes, once. reply.ts classifies what it returns or throws.
  send(bytes: string, idempotencyKey: string): Promise<unknown>
  // Reads the transactions of a customer, or of all customers if customerId is empty, page by page.
  transactions(customerId: string, options?: ListOptions): AsyncIterable<LooseTransaction[]>
}

interface ListOptions {
  isFirstPageEnough?: boolean
  // Whether a page is requested only when it is needed. Otherwise the service works on the next one
  // meanwhile.
  isReadOnDemand?: boolean
}

export function createService(client: Client): Service {
  return {
    quote: (content, isGuaranteed) =>
      client.quotes.create({body: {...omitReceive(content), ...(isGuaranteed && {guaranteeQuote: true})}}),
    async send(bytes, idempotencyKey) {
      const headers = {'x-idempotency-key': idempotencyKey}
      const request = {method: 'POST', path: '/transactions', headers, body: bytes, isSentOnce: true}
      return (await client.raw({...request, endpoint: wire['transactions']?.['create']})).body
    },
    transactions: (customerId, options) => readTransactions(client, customerId, options),
  }
}

async function* readTransactions(
  client: Client,
  customerId: string,
  {isFirstPageEnough = false, isReadOnDemand = false}: ListOptions = {},
): AsyncGenerator<LooseTransaction[]> {
  const fetchPage = (paging: object): Promise<Page> =>
    client.transactions.list({...(customerId && {customerId}), ...paging})
  const paging = isFirstPageEnough ? {pageSize: limits.pageSizeMax} : {all: true, isReadOnDemand}
  for await (const {items, envelope} of walkPages(fetchPage, 'transactions', paging)) {
    yield items as LooseTransaction[]
    // A list that may be incomplete proves no absence, so it counts as unreadable.
    if (!isFirstPageEnough) rejectCutList(envelope)
  }
}

const isLost = (error: unknown): error is SvcError =>
  error instanceof SvcError && (error.kind === 'unreachable' || error.kind === 'unknownOutcome')

const quoteTriesMax = 4
const quotePauseFirstMs = 500

// A quote moves no money, so it is requested again when the reply was lost. A new quote also tells
// the service's time, which is needed if its replies have no Date header.
export async function fetchQuote(
  {service, pause, clock}: {service: Pick<Service, 'quote'>; pause: (ms: number) => Promise<void>; clock: ServerClock},
  content: PaymentContent,
  isGuaranteed: boolean,
): Promise<LooseQuote> {
  for (let tries = 1; ; tries++) {
    try {
      const quote = await service.quote(content, isGuaranteed)
      const expiresAt = toInstantMs(quote.expiresAt)
      if (expiresAt !== undefined) clock.observeQuote(expiresAt)
      return quote
    } catch (error) {
      if (!isLost(error)) throw error
      if (tries === quoteTriesMax || isPermanent(error)) throw quoteUnavailable(error)
      await pause(quotePauseFirstMs * 2 ** (tries - 1))
    }
  }
}

// A redirect, a quote that cannot be read, or a Retry-After longer than svc waits would only come
// again.
const isPermanent = ({error, statusCode = 0}: SvcError) =>
  error === askedToWaitCode || (statusCode >= 200 && statusCode < 400)

// Whether the service made a quote after all does not matter: no money moves without a transaction.
const quoteUnavailable = (failure: SvcError) =>
  failure.with({
    error: failure.error === 'OUTCOME_UNKNOWN' ? 'UNREACHABLE' : failure.error,
    kind: 'unreachable',
    effect: 'none',
    message: `The service gave no quote: ${failure.reason ?? failure.message}`,
    hint: 'No transaction was sent; try again later',
    cause: failure,
  })

// The code of the error if the service asks for a longer wait than svc allows.
const askedToWaitCode = 'ASKED_TO_WAIT'

export type ReplyHead = Pick<ObservedReply, 'status' | 'headers'>

// Waits at most as long as a read would, and at most until the run ends. Otherwise it throws.
export const waitWithinLimit = (remainingMs: () => number) => async (ms: number) => {
  if (ms > Math.min(retryAfterMaxMs, remainingMs())) {
    const wait = `asks to wait ${Math.ceil(ms / 1000)} s before the next request`
    throw new SvcError({
      error: askedToWaitCode,
      kind: 'unreachable',
      message: `The service ${wait}`,
      reason: `it ${wait}`,
      hint: 'Try again after that',
    })
  }
  await sleep(ms)
}

// Counts the requests of a service that got no reply. Failed replies are counted where they arrive.
export function countMissingReplies(service: Service, onMissing: () => void): Service {
  const count = (error: unknown): never => {
    if (isLost(error) && error.statusCode === undefined) onMissing()
    throw error
  }
  return {
    quote: (content, isGuaranteed) => service.quote(content, isGuaranteed).catch(count),
    send: (bytes, idempotencyKey) => service.send(bytes, idempotencyKey).catch(count),
    async *transactions(customerId, options) {
      try {
        yield* service.transactions(customerId, options)
      } catch (error) {
        count(error)
      }
    },
  }
}
