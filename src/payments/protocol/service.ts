// The part of the service that payments use: a quote, one exact request, and the list of transactions.
import {setTimeout as sleep} from 'node:timers/promises'
import type {Client} from '../../client/client.ts'
import type {ObservedReply} from '../../client/connection.ts'
import {type Page, rejectCutList, walkPages} from '../../client/paging.ts'
import {retryAfterMaxMs} from '../../client/retries.ts'
import {limits} from '../../contract/vocabulary.ts'
import type {LooseQuote, LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {readHttpDateMs} from '../../values/time.ts'
import {type PaymentContent, omitReceive} from './payment.ts'

export interface Service {
  quote(content: PaymentContent, isGuaranteed: boolean): Promise<LooseQuote>
  // Sends exactly these bytes, once. send-outcome.ts classifies what it returns or throws.
  send(bytes: string, idempotencyKey: string): Promise<unknown>
  // The customer's transactions, page by page; those of all customers if customerId is empty.
  transactions(customerId: string, options?: {isFirstPageEnough?: boolean}): AsyncIterable<LooseTransaction[]>
}

export function createService(client: Client): Service {
  return {
    quote: (content, isGuaranteed) =>
      client.quotes.create({body: {...omitReceive(content), ...(isGuaranteed && {guaranteeQuote: true})}}),
    async send(bytes, idempotencyKey) {
      const headers = {'x-idempotency-key': idempotencyKey}
      const request = {method: 'POST', path: '/transactions', headers, body: bytes, isSentOnce: true}
      return (await client.raw(request)).body
    },
    transactions: (customerId, options) => readTransactions(client, customerId, options),
  }
}

async function* readTransactions(
  client: Client,
  customerId: string,
  {isFirstPageEnough = false}: {isFirstPageEnough?: boolean} = {},
): AsyncGenerator<LooseTransaction[]> {
  const fetchPage = (paging: object): Promise<Page> =>
    client.transactions.list({...(customerId && {customerId}), ...paging})
  const paging = isFirstPageEnough ? {pageSize: limits.pageSizeMax} : {all: true}
  for await (const {items, envelope} of walkPages(fetchPage, 'transactions', paging)) {
    yield items as LooseTransaction[]
    // A list that may be incomplete proves no absence, so it counts as unreadable.
    if (!isFirstPageEnough) rejectCutList(envelope)
  }
}

// Estimates the service's clock from the Date header of its replies, or else from the expiry of its quotes. The estimate has
// an earliest and a latest bound; each check uses the bound that is safe for it.
export interface ServerClock {
  // The bounds of the service's time, in milliseconds.
  earliest(): number
  latest(): number
  // The clock of this machine, in milliseconds.
  wall(): number
  // A monotonic clock, for measuring how long something takes.
  ticks(): number
  observeDate(date: string | null): void
  // A quote is valid for five minutes, so its expiry tells when it was made. Used if replies have no Date header.
  observeQuote(expiresAt: number): void
  // Sets the offset from an earlier run, which is used until a reply gives a newer one.
  assumeOffset(aheadMs: number | undefined): void
  aheadMs(): number
  // How far the service's clock is ahead of this machine's, if a reply has told its date.
  observedAheadMs(): number | undefined
}

export const quoteLifetimeMs = limits.quoteLifetimeSeconds * 1000
// The Date header has whole seconds.
const dateStepMs = 1_000

interface Observation {
  at: number
  wall: number
  ticks: number
}

export function createServerClock(
  wall: () => number = Date.now,
  ticks: () => number = () => performance.now(),
): ServerClock {
  let observed: Observation | undefined
  let aheadByQuote: number | undefined
  let assumed: number | undefined
  // Measured by two clocks: the wall clock may be changed, and the monotonic clock stops while the machine sleeps.
  const getElapsed = (since: Observation) => [wall() - since.wall, ticks() - since.ticks]
  // Without any Date header, the clock of this machine and the expiry of a quote give two estimates.
  const estimates = () => [wall(), wall() + (aheadByQuote ?? assumed ?? 0)]
  return {
    wall,
    ticks,
    earliest: () => Math.floor(observed ? observed.at + Math.min(...getElapsed(observed)) : Math.min(...estimates())),
    latest: () =>
      Math.ceil(observed ? observed.at + dateStepMs + Math.max(...getElapsed(observed)) : Math.max(...estimates())),
    aheadMs: () => Math.round(observed ? observed.at - observed.wall : (aheadByQuote ?? assumed ?? 0)),
    observedAheadMs: () => (observed ? Math.round(observed.at - observed.wall) : undefined),
    observeDate(date) {
      const at = readHttpDateMs(date)
      if (at !== undefined) observed = {at, wall: wall(), ticks: ticks()}
    },
    observeQuote(expiresAt) {
      aheadByQuote ??= expiresAt - quoteLifetimeMs - wall()
    },
    assumeOffset(earlier) {
      assumed ??= earlier
    },
  }
}

// Waits before the next request if the service asked for it with a Retry-After header.

// The code of the error if the service asks for a longer wait than svc allows.
export const askedToWaitCode = 'ASKED_TO_WAIT'

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
const hasNoReply = (error: unknown) =>
  error instanceof SvcError &&
  error.statusCode === undefined &&
  (error.kind === 'unreachable' || error.kind === 'unknownOutcome')

export function countMissingReplies(service: Service, onMissing: () => void): Service {
  const watch = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (hasNoReply(error)) onMissing()
      throw error
    }
  }
  return {
    quote: (content, isGuaranteed) => watch(service.quote(content, isGuaranteed)),
    send: (bytes, idempotencyKey) => watch(service.send(bytes, idempotencyKey)),
    async *transactions(customerId, options) {
      const pages = service.transactions(customerId, options)[Symbol.asyncIterator]()
      for (;;) {
        const {done, value} = await watch(pages.next())
        if (done) return
        yield value
      }
    },
  }
}
