// The baseline: a bare handler on node:http and node:sqlite that does the same database work and nothing else.
import {randomUUID} from 'node:crypto'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import {DatabaseSync} from 'node:sqlite'

const [file = ':memory:', rowCount = '1000'] = process.argv.slice(2)
const database = new DatabaseSync(file)
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

const transactionOf = (id: string, quoteId: string, at: number) =>
  JSON.stringify({
    transactionId: id,
    customerId: '7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11',
    quoteId,
    transactionStatus: 'PROCESSING',
    source: {
      sourcePaymentAccountId: id,
      sourceCurrency: {label: 'USDC', chain: 'BASE', contractAddress: '0x8335', currencyDecimals: 6},
      sourcePaymentMethod: 'BASE',
      sourceAmount: '10.00',
    },
    destination: {
      destinationPaymentAccountId: id,
      destinationPaymentMethod: 'ACH',
      destinationCurrency: {label: 'USD'},
      exchangeRate: '1.00',
      destinationAmount: '9.90',
    },
    fees: {
      feeCurrency: {label: 'USDC'},
      svcFee: {feeAmount: '0.10', feeUSDAmount: '0.10'},
      developerFee: {feeAmount: '0.00', feeUSDAmount: '0.00'},
    },
    createdAt: new Date(at).toISOString(),
    updatedAt: new Date(at).toISOString(),
  })

const insertQuote = database.prepare('insert into quotes (id, body, expiresAt) values (?, ?, ?)')
const findQuote = database.prepare('select id, usedBy, expiresAt from quotes where id = ?')
const useQuote = database.prepare('update quotes set usedBy = ? where id = ?')
const findKey = database.prepare('select reply from keys where key = ?')
const insertKey = database.prepare('insert into keys values (?, ?)')
const insertEntry = database.prepare('insert into entries (transactionId, holder, amount) values (?, ?, ?)')
const move = database.prepare('update balances set amount = amount + ? where holder = ?')
const insertTransaction = database.prepare('insert into transactions values (?, ?, ?, ?)')
const page = database.prepare(
  'select reply, createdAt, seq from transactions where (createdAt, seq) < (?, ?) order by createdAt desc, seq desc limit 101',
)

let count = 0
database.exec('begin')
for (; count < Number(rowCount); count++)
  insertTransaction.run(count, randomUUID(), count, transactionOf(randomUUID(), `quote_${count}`, count))
database.exec('commit')

function createQuote(body: string): string {
  const id = `quote_${randomUUID()}`
  const {source} = JSON.parse(body) as {source: {sourceAmount: string}}
  database.exec('begin immediate')
  insertQuote.run(id, body, Date.now() + 300_000)
  database.exec('commit')
  return JSON.stringify({
    quoteId: id,
    expiresAt: new Date(Date.now() + 300_000).toISOString(),
    estimatedExchangeRate: '1.00',
    destinationAmount: source.sourceAmount,
  })
}

function createTransaction(body: string, key: string): string {
  database.exec('begin immediate')
  try {
    const known = findKey.get(key)
    if (known) return String(known['reply'])
    const {quoteId} = JSON.parse(body) as {quoteId: string}
    findQuote.get(quoteId)
    const id = randomUUID()
    const reply = transactionOf(id, quoteId, Date.now())
    insertTransaction.run(count++, id, Date.now(), reply)
    useQuote.run(id, quoteId)
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

function listTransactions(): string {
  const rows = page.all(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  return `{"transactions":[${rows
    .slice(0, 100)
    .map((row) => String(row['reply']))
    .join(',')}],"nextPageToken":"x"}`
}

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString()
    const path = (request.url ?? '').split('?', 1)[0]
    const text =
      request.method === 'GET'
        ? listTransactions()
        : path === '/quotes'
          ? createQuote(body)
          : createTransaction(body, String(request.headers['x-idempotency-key']))
    response.writeHead(200, {'content-type': 'application/json', 'content-length': Buffer.byteLength(text)})
    response.end(text)
  })
})
server.listen(0, '127.0.0.1', () => {
  const {port} = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({url: `http://127.0.0.1:${port}`})}\n`)
})
