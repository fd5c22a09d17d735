// The least that copies a list, of one customer or of all, to standard output as JSON lines: one kept connection, page after page, each
// parsed, and each item written as a line. It checks no shape, no number and no repeated item, and keeps no promise about failures.
import fs from 'node:fs'
import http from 'node:http'

const [url = '', apiKey = '', customerId] = process.argv.slice(2)
const query = `pageSize=100${customerId === undefined ? '' : `&customerId=${customerId}`}`
const headers = {authorization: `Bearer ${apiKey}`}
const agent = new http.Agent({keepAlive: true})

const read = (pageToken) =>
  new Promise((resolve, reject) => {
    const more = pageToken === undefined ? '' : `&pageToken=${encodeURIComponent(pageToken)}`
    const request = http.get(`${url}/transactions?${query}${more}`, {agent, headers}, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve(Buffer.concat(chunks).toString()))
      response.on('error', reject)
    })
    request.on('error', reject)
  })

let token
do {
  const page = JSON.parse(await read(token))
  let lines = ''
  for (const item of page.transactions) lines += JSON.stringify(item) + '\n'
  fs.writeSync(1, lines)
  token = page.nextPageToken
} while (token !== undefined)
agent.destroy()
