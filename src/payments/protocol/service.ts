// The part of the service that payments use: a quote, one exact request, and the list of transactions.
import {setTimeout as sleep} from 'node:timers/promises'
import type {Client} from '../../client/client.ts'
import type {ObservedReply} from '../../client/connection.ts'
import {type Page, rejectCutList, walkPages} from '../../client/paging.ts'
import {retryAfterMaxMs} from '../../client/retries.ts'
import {limits} from '../../contract/vocabulary.ts'
import type {LooseQuote, LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
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
