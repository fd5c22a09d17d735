// What paying needs of the service: a price, one exact request, and the list in which a transaction is looked for.
import type {Client} from '../client/client.ts'
import {type Page, walkPages} from '../client/paging.ts'
import {limits} from '../contract/limits.ts'
import type {PaymentContent} from './payment-content.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface Service {
  quote(content: PaymentContent, isGuaranteed: boolean): Promise<Fields>
  // Sends these very bytes. What it returns or throws is judged in answers.ts.
  send(bytes: string, idempotencyKey: string): Promise<unknown>
  // The customer's transactions, page by page, to the end; everybody's, where the customer is not known.
  transactions(customerId: string, how?: {isFirstPageEnough?: boolean}): AsyncIterable<Fields[]>
}

export function createService(client: Client): Service {
  return {
    quote: (content, isGuaranteed) =>
      client.quotes.create({body: {...content, ...(isGuaranteed && {guaranteeQuote: true})}}),
    async send(bytes, idempotencyKey) {
      const headers = {'x-idempotency-key': idempotencyKey}
      const {body} = await client.raw({method: 'POST', path: '/transactions', headers, body: bytes, isSentOnce: true})
      return body
    },
    async *transactions(customerId, {isFirstPageEnough = false} = {}) {
      const ask = (paging: object): Promise<Page> =>
        client.transactions.list({...(customerId && {customerId}), ...paging})
      const paging = isFirstPageEnough ? {pageSize: limits.pageSizeMax} : {all: true}
      for await (const {items} of walkPages(ask, 'transactions', paging)) yield items as Fields[]
    },
  }
}
