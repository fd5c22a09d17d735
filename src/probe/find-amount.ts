// Finds the smallest amount that the service quotes, so that a probe moves as little money as possible.
import type {Client} from '../client/client.ts'
import {SvcError} from '../errors.ts'
import type {PaymentContent} from '../payments/protocol/payment-content.ts'

const amounts = ['1.00', '2.00', '5.00', '10.00', '20.00', '50.00', '100.00'] as const

export const amountDefault = amounts[0]

// A quote moves no money. If none of the amounts is accepted, the reason is another one, and the first refusal says which.
export async function findSmallestAmount(client: Client, content: PaymentContent): Promise<PaymentContent> {
  let refusal: SvcError | undefined
  for (const sourceAmount of amounts) {
    const tried = {...content, source: {...content.source, sourceAmount}}
    try {
      await client.quotes.create({body: tried})
      return tried
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind !== 'refused') throw error
      refusal ??= error
    }
  }
  throw refusal ?? new Error('no amount was tried')
}
