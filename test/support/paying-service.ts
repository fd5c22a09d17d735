// An HTTP service that creates quotes and transactions as the contract says, except where a test changes it.
import type http from 'node:http'
import {type ReceivedRequest, type Service, reply, serve} from './service.ts'

type Body = Record<string, unknown>

export interface PaymentService extends Service {
  transactions: Body[]
  // Called first for each request. Returns true if it has sent the reply itself.
  intercept: (asked: ReceivedRequest, response: http.ServerResponse) => boolean
  // Changes a transaction before it is stored.
  alter: (transaction: Body) => Body
}

const lifeMs = 300_000

// An id in the format of the contract.
const idOf = (number: number) => `00000000-0000-4000-9000-${String(number).padStart(12, '0')}`

export async function servePayments(): Promise<PaymentService> {
  const quotes = new Map<string, Body>()
  const made: Body[] = []
  const service = await serve((asked, response) => {
    if (paying.intercept(asked, response)) return
    const at = `${asked.method} ${asked.path}`
    if (at === 'GET /transactions') return reply(response, 200, {transactions: made})
    if (at.startsWith('GET /customers/')) return reply(response, 200, {customerStatus: 'ACTIVE'})
    const body = JSON.parse(asked.body || '{}') as Body
    if (at === 'POST /quotes') return reply(response, 200, quoteOf(body))
    if (at === 'POST /transactions') return reply(response, 200, transactionOf(body))
    return reply(response, 404, {error: 'NOT_FOUND', message: 'no such path', statusCode: 404})
  })
  const quoteOf = (body: Body) => {
    const quoteId = idOf(1_000 + quotes.size)
    quotes.set(quoteId, body)
    const none = {feeAmount: '0.00', feeUSDAmount: '0.00'}
    return {
      quoteId,
      expiresAt: new Date(Date.now() + lifeMs).toISOString(),
      estimatedExchangeRate: '1.00',
      destinationAmount: (body['source'] as Body)['sourceAmount'],
      fees: {feeCurrency: {label: 'USDC'}, svcFee: none, developerFee: none},
    }
  }
  const transactionOf = ({quoteId, correlationId}: Body) => {
    const {customerId, source, destination} = quotes.get(String(quoteId)) ?? {}
    const now = new Date().toISOString()
    const one = paying.alter({
      transactionId: idOf(made.length + 1),
      customerId,
      quoteId,
      correlationId,
      transactionStatus: 'CREATED',
      source: {...(source as Body), sourceCurrency: {label: (source as Body)['sourceCurrency']}},
      destination: {
        ...(destination as Body),
        destinationCurrency: {label: (destination as Body)['destinationCurrency']},
      },
      createdAt: now,
      updatedAt: now,
    })
    made.push(one)
    return one
  }
  const paying: PaymentService = {
    ...service,
    transactions: made,
    intercept: () => false,
    alter: (transaction) => transaction,
  }
  return paying
}
