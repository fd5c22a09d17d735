// A service with prepared pages of transactions. It costs almost nothing, so the reader is what is measured.
import {randomUUID} from 'node:crypto'
import http from 'node:http'
import type {AddressInfo} from 'node:net'

const pageSize = 100
// The number of prepared pages, which are served repeatedly, each time with the right token.
const pagesMade = 40

const [pagesTotal = '1000'] = process.argv.slice(2)

const dollars = {label: 'USD'}
const coins = {
  label: 'USDC',
  chain: 'BASE',
  contractAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  currencyDecimals: 6,
}

const instructions = {
  type: 'fiat',
  transferPaymentMethod: 'ACH',
  transferMessage: 'SVC70A70640DC',
  transferBankName: 'First Harbour Bank',
  transferRoutingNumber: '990000012',
  transferBankBeneficiaryName: 'Svc Sandbox Settlement',
  transferBankAccountNumber: '6364911173',
}

// Half are from a bank and half from a wallet, as in the sandbox.
function transaction(index: number) {
  const fromBank = index % 2 === 0
  const at = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString()
  return {
    transactionId: randomUUID(),
    customerId: randomUUID(),
    quoteId: `quote_${randomUUID()}`,
    transactionStatus: index % 7 === 0 ? 'AWAITING_TRANSFER' : 'COMPLETED',
    correlationId: `order-${index}`,
    source: {
      sourcePaymentAccountId: randomUUID(),
      sourceCurrency: fromBank ? dollars : coins,
      sourcePaymentMethod: fromBank ? 'ACH' : 'BASE',
      sourceAmount: `${100 + (index % 900)}.00`,
      ...(!fromBank && {sourceReferenceId: `0x${randomUUID().replaceAll('-', '').repeat(2)}`}),
    },
    destination: {
      destinationPaymentAccountId: randomUUID(),
      destinationPaymentMethod: fromBank ? 'BASE' : 'ACH',
      destinationCurrency: fromBank ? coins : dollars,
      exchangeRate: '1.000132416',
      destinationAmount: `${99 + (index % 900)}.165777`,
    },
    fees: {
      feeCurrency: fromBank ? dollars : coins,
      svcFee: {feeAmount: '0.850000', feeUSDAmount: '0.85'},
      developerFee: {feeAmount: '0.00', feeUSDAmount: '0.00'},
    },
    ...(fromBank && {transferInstructions: instructions}),
    createdAt: at,
    updatedAt: at,
  }
}

const pages = Array.from({length: pagesMade}, (_, page) => {
  const transactions = Array.from({length: pageSize}, (_one, index) => transaction(page * pageSize + index))
  return Buffer.from(JSON.stringify({transactions}).slice(0, -1))
})

const server = http.createServer((request, response) => {
  const place = Number(/[?&]pageToken=page-(\d+)/.exec(request.url ?? '')?.[1] ?? 0)
  const next = place + 1
  const tail = Buffer.from(next < Number(pagesTotal) ? `,"nextPageToken":"page-${next}"}` : '}')
  const body = Buffer.concat([pages[place % pagesMade] ?? Buffer.alloc(0), tail])
  response.writeHead(200, {'content-type': 'application/json', 'content-length': body.length})
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  const {port} = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({url: `http://127.0.0.1:${port}`, pageBytes: pages[0]?.length})}\n`)
})
