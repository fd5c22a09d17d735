// A service that does no more than answer, on node:http and node:sqlite: what svc is measured with, and what its sandbox is compared
// with. `--data FILE` makes its writes durable, `--pages 1000` serves so many prepared pages of transactions, `--delay 50` answers
// after so many milliseconds, and `--limit 20` refuses what exceeds so many requests in a second with 429.
import {randomUUID} from 'node:crypto'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import {DatabaseSync} from 'node:sqlite'
import {parseArgs} from 'node:util'

const {values} = parseArgs({
  options: {
    data: {type: 'string', default: ':memory:'},
    pages: {type: 'string', default: '1'},
    delay: {type: 'string', default: '0'},
    limit: {type: 'string', default: 'Infinity'},
  },
})
const pageSize = 100
// They are served repeatedly, each time with the right token.
const preparedPages = Math.min(Number(values.pages), 40)
const customersPerPage = 20

const database = new DatabaseSync(values.data)
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table quotes (id text primary key, body text not null, expiresAt integer not null, usedBy text);
  create table transactions (seq integer not null unique, id text unique, createdAt integer, reply text not null);
  create index byAge on transactions (createdAt, seq);
  create table keys (key text primary key, reply text not null);
  create table entries (seq integer primary key, transactionId text, holder text, amount integer);
  create table balances (holder text primary key, amount integer not null);
  insert into balances values ('wallet', 1000000000000), ('hold', 0);
`)
const insertQuote = database.prepare('insert into quotes (id, body, expiresAt) values (?, ?, ?)')
const findQuote = database.prepare('select body from quotes where id = ?')
const useQuote = database.prepare('update quotes set usedBy = ? where id = ?')
const findKey = database.prepare('select reply from keys where key = ?')
const insertKey = database.prepare('insert into keys values (?, ?)')
const insertEntry = database.prepare('insert into entries (transactionId, holder, amount) values (?, ?, ?)')
const move = database.prepare('update balances set amount = amount + ? where holder = ?')
const insertTransaction = database.prepare('insert into transactions values (?, ?, ?, ?)')
const newest = database.prepare(
  `select reply from transactions where (createdAt, seq) < (?, ?) order by createdAt desc, seq desc limit ${pageSize}`,
)

interface QuoteBody {
  customerId: string
  source: {sourcePaymentAccountId: string; sourceCurrency: string; sourcePaymentMethod: string; sourceAmount: string}
  destination: {destinationPaymentAccountId: string; destinationCurrency: string; destinationPaymentMethod: string}
}

interface TransactionBody {
  quoteId: string
  correlationId?: string
}

const coins = {label: 'USDC', chain: 'BASE', contractAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'}

const createFees = (label: string) => ({
  feeCurrency: {label},
  svcFee: {feeAmount: '0.85', feeUSDAmount: '0.85'},
  developerFee: {feeAmount: '0.00', feeUSDAmount: '0.00'},
})

const toTransaction = (transactionId: string, body: TransactionBody, quote: QuoteBody, createdAt: string) => ({
  transactionId,
  customerId: quote.customerId,
  ...body,
  transactionStatus: 'PROCESSING',
  source: {
    ...quote.source,
    sourceCurrency: {...coins, label: quote.source.sourceCurrency},
    sourceReferenceId: `0x${transactionId.replaceAll('-', '').repeat(2)}`,
  },
  destination: {
    ...quote.destination,
    destinationCurrency: {label: quote.destination.destinationCurrency},
    exchangeRate: '1.000132416',
    destinationAmount: quote.source.sourceAmount,
  },
  fees: createFees(quote.source.sourceCurrency),
  createdAt,
  updatedAt: createdAt,
})

const createSample = (index: number) =>
  toTransaction(
    randomUUID(),
    {quoteId: `quote_${randomUUID()}`, correlationId: `order-${index}`},
    {
      customerId: randomUUID(),
      source: {
        sourcePaymentAccountId: randomUUID(),
        sourceCurrency: 'USDC',
        sourcePaymentMethod: 'BASE',
        sourceAmount: `${100 + (index % 900)}.00`,
      },
      destination: {
        destinationPaymentAccountId: randomUUID(),
        destinationCurrency: 'USD',
        destinationPaymentMethod: 'ACH',
      },
    },
    new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
  )

const pages = Array.from({length: preparedPages}, (_, page) => {
  const transactions = Array.from({length: pageSize}, (_one, index) => createSample(page * pageSize + index))
  return JSON.stringify({transactions}).slice(0, -1)
})

let made = 0

function addTransaction(id: string, reply: string): void {
  insertTransaction.run(made++, id, Date.now(), reply)
}

database.exec('begin')
for (let index = 0; index < pageSize; index++) addTransaction(randomUUID(), JSON.stringify(createSample(index)))
database.exec('commit')

function createQuote(text: string): string {
  const quoteId = `quote_${randomUUID()}`
  const {source} = JSON.parse(text) as QuoteBody
  const expiresAtMs = Date.now() + 300_000
  database.exec('begin immediate')
  insertQuote.run(quoteId, text, expiresAtMs)
  database.exec('commit')
  return JSON.stringify({
    quoteId,
    expiresAt: new Date(expiresAtMs).toISOString(),
    estimatedExchangeRate: '1.00',
    destinationAmount: source.sourceAmount,
    fees: createFees(source.sourceCurrency),
  })
}

function createTransaction(text: string, key: string): string {
  database.exec('begin immediate')
  try {
    const known = findKey.get(key)
    if (known) return String(known['reply'])
    const body = JSON.parse(text) as TransactionBody
    const quote = JSON.parse(String(findQuote.get(body.quoteId)?.['body'])) as QuoteBody
    const id = randomUUID()
    const reply = JSON.stringify(toTransaction(id, body, quote, new Date().toISOString()))
    addTransaction(id, reply)
    useQuote.run(id, body.quoteId)
    for (const [holder, amount] of [
      ['wallet', -10],
      ['hold', 10],
    ] as const) {
      insertEntry.run(id, holder, amount)
      move.run(amount, holder)
    }
    insertKey.run(key, reply)
    return reply
  } finally {
    database.exec('commit')
  }
}

function listTransactions(query: string): string {
  if (preparedPages > 1) {
    const page = Number(/pageToken=page-(\d+)/.exec(query)?.[1] ?? 0)
    const isLast = page + 1 >= Number(values.pages)
    return `${pages[page % preparedPages]}${isLast ? '}' : `,"nextPageToken":"page-${page + 1}"}`}`
  }
  const rows = newest.all(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  return `{"transactions":[${rows.map((row) => String(row['reply'])).join(',')}]}`
}

const toCustomer = (customerId: string, index = 0) => ({
  customerId,
  customerStatus: 'ACTIVE',
  customerType: 'INDIVIDUAL',
  name: `Customer ${index}`,
  email: `customer${index}@example.com`,
  updatedAt: '2026-11-01T12:00:00Z',
  organizationId: '11111111-1111-4111-8111-111111111111',
  paymentAccounts: [],
})

const customers = JSON.stringify({
  customers: Array.from({length: customersPerPage}, (_, index) =>
    toCustomer(`00000000-0000-4000-8000-${String(index).padStart(12, '0')}`, index),
  ),
})

const counts = {requests: 0, refused: 0}

function answer({method, url = '', headers}: http.IncomingMessage, text: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  if (method === 'POST' && path === '/quotes') return createQuote(text)
  if (method === 'POST') return createTransaction(text, String(headers['x-idempotency-key']))
  if (path === '/transactions') return listTransactions(query)
  if (path === '/customers') return customers
  if (path === '/_counts') return JSON.stringify(counts)
  return JSON.stringify(toCustomer(path.split('/').at(-1) ?? ''))
}

let [second, inSecond] = [0, 0]

function isOverLimit(): boolean {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) [second, inSecond] = [now, 0]
  inSecond += 1
  return inSecond > Number(values.limit)
}

const refusal = JSON.stringify({error: 'TOO_MANY_REQUESTS', message: 'Too many requests'})

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const isRefused = request.url !== '/_counts' && isOverLimit()
    counts.requests += 1
    counts.refused += isRefused ? 1 : 0
    const send = () => {
      const text = isRefused ? refusal : answer(request, Buffer.concat(chunks).toString())
      const headers = {'content-type': 'application/json', 'content-length': Buffer.byteLength(text)}
      response.writeHead(isRefused ? 429 : 200, isRefused ? {...headers, 'retry-after': '1'} : headers)
      response.end(text)
    }
    const delayMs = isRefused ? 0 : Number(values.delay)
    if (delayMs > 0) setTimeout(send, delayMs)
    else send()
  })
})
server.listen(0, '127.0.0.1', () => {
  const {port} = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({url: `http://127.0.0.1:${port}`, apiKey: 'none'})}\n`)
})
