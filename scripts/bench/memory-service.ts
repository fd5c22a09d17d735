// A service that keeps everything in memory and does no more than answer: node scripts/bench/memory-service.ts --delay 50 --limit 20
// It answers after so many milliseconds, and refuses what exceeds so many requests in a second with 429.
import {randomUUID} from 'node:crypto'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import {parseArgs} from 'node:util'

const {values} = parseArgs({options: {delay: {type: 'string', default: '0'}, limit: {type: 'string'}}})
const delayMs = Number(values.delay)
const limit = values.limit === undefined ? Infinity : Number(values.limit)

interface Body {
  [name: string]: unknown
  customerId?: string
  quoteId?: string
  correlationId?: string
  source?: {sourceAmount: string; sourceCurrency: string}
  destination?: {destinationCurrency: string}
}

const quotes = new Map<string, Body>()
const transactions: unknown[] = []
const counts = {requests: 0, refused: 0}

function createQuote(body: Body): object {
  const quoteId = `quote_${randomUUID()}`
  quotes.set(quoteId, body)
  const {sourceAmount, sourceCurrency} = body.source ?? {}
  return {
    quoteId,
    expiresAt: new Date(Date.now() + 300_000).toISOString(),
    estimatedExchangeRate: '1.00',
    destinationAmount: sourceAmount,
    fees: {
      feeCurrency: {label: sourceCurrency},
      svcFee: {feeAmount: '0.10', feeUSDAmount: '0.10'},
      developerFee: {feeAmount: '0.00', feeUSDAmount: '0.00'},
    },
  }
}

function createTransaction({quoteId = '', correlationId}: Body): object {
  const {customerId, source, destination} = quotes.get(quoteId) ?? {}
  quotes.delete(quoteId)
  const at = new Date().toISOString()
  const transaction = {
    transactionId: randomUUID(),
    customerId,
    quoteId,
    correlationId,
    transactionStatus: 'PROCESSING',
    source: {...source, sourceCurrency: {label: source?.sourceCurrency}},
    destination: {
      ...destination,
      destinationCurrency: {label: destination?.destinationCurrency},
      destinationAmount: source?.sourceAmount,
    },
    createdAt: at,
    updatedAt: at,
  }
  transactions.push(transaction)
  return transaction
}

function answer(method: string, path: string, text: string): object {
  if (method === 'POST')
    return path === '/quotes' ? createQuote(JSON.parse(text) as Body) : createTransaction(JSON.parse(text) as Body)
  if (path === '/transactions') return {transactions: transactions.slice(-100).toReversed()}
  if (path === '/customers') return {customers: []}
  if (path === '/_counts') return counts
  return {customerId: path.split('/').at(-1), customerStatus: 'ACTIVE', paymentAccounts: []}
}

let [second, inSecond] = [0, 0]

function refuses(): boolean {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) [second, inSecond] = [now, 0]
  inSecond += 1
  return inSecond > limit
}

function reply(response: http.ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  const headers = {'content-type': 'application/json', 'content-length': Buffer.byteLength(text)}
  response.writeHead(status, {...headers, ...(status === 429 && {'retry-after': '1'})})
  response.end(text)
}

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const [path = ''] = (request.url ?? '').split('?', 1)
    const isCounted = path !== '/_counts'
    if (isCounted) counts.requests += 1
    if (isCounted && refuses()) {
      counts.refused += 1
      return reply(response, 429, {error: 'TOO_MANY_REQUESTS', message: 'Too many requests'})
    }
    const send = () => reply(response, 200, answer(request.method ?? '', path, Buffer.concat(chunks).toString()))
    if (delayMs > 0) setTimeout(send, delayMs)
    else send()
  })
})
server.listen(0, '127.0.0.1', () => {
  const {port} = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({url: `http://127.0.0.1:${port}`, apiKey: 'none'})}\n`)
})
