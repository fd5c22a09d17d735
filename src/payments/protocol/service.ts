// The part of the service that payments use: a quote, one exact request, and the list of transactions.
import type {Client} from '../../client/client.ts'
import {rejectCutList} from '../../client/list-end.ts'
import {type Page, walkPages} from '../../client/paging.ts'
import {limits} from '../../contract/limits.ts'
import type {LooseQuote, LooseTransaction} from '../../contract/loose.ts'
import type {PaymentContent} from './payment-content.ts'

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
      client.quotes.create({body: {...content, ...(isGuaranteed && {guaranteeQuote: true})}}),
    async send(bytes, idempotencyKey) {
      const headers = {'x-idempotency-key': idempotencyKey}
      const request = {method: 'POST', path: '/transactions', headers, body: bytes, isSentOnce: true}
      return client.unwrap('transactions.create', (await client.raw(request)).body)
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
  // A transaction that comes twice is recognized by its id, and none may be taken for another.
  const paging = isFirstPageEnough ? {pageSize: limits.pageSizeMax} : {all: true, mayRepeat: true}
  for await (const {items, envelope} of walkPages(fetchPage, 'transactions', paging)) {
    yield items as LooseTransaction[]
    // A list that may be incomplete proves no absence, so it counts as unreadable.
    if (!isFirstPageEnough) rejectCutList(envelope)
  }
}
