// The baseline of a payment: a list of one page, a quote and a transaction, without a journal, checks of replies or output.
import {randomUUID} from 'node:crypto'
import http from 'node:http'

const [url, apiKey, quote] = process.argv.slice(2)
const agent = new http.Agent({keepAlive: true})

const send = (method, path, body, headers = {}) =>
  new Promise((resolve, reject) => {
    const all = {authorization: `Bearer ${apiKey}`, ...(body && {'content-type': 'application/json'}), ...headers}
    const request = http.request(`${url}${path}`, {method, agent, headers: all}, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      response.on('end', () => (response.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(text))))
    })
    request.on('error', reject)
    request.end(body)
  })

await send('GET', `/transactions?customerId=${JSON.parse(quote).customerId}&pageSize=100`)
const {quoteId} = await send('POST', '/quotes', quote)
const key = randomUUID()
await send('POST', '/transactions', JSON.stringify({quoteId, correlationId: key}), {'x-idempotency-key': key})
