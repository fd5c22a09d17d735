// The least that reads a list to its end: one kept connection, page after page, each only read for the token of the next.
import http from 'node:http'

const [url = '', how = 'parse', apiKey = ''] = process.argv.slice(2)
const headers = {authorization: `Bearer ${apiKey}`}
const agent = new http.Agent({keepAlive: true})

const read = (pageToken) =>
  new Promise((resolve, reject) => {
    const more = pageToken === undefined ? '' : `&pageToken=${encodeURIComponent(pageToken)}`
    const request = http.get(`${url}/transactions?pageSize=100${more}`, {agent, headers}, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve(Buffer.concat(chunks).toString()))
      response.on('error', reject)
    })
    request.on('error', reject)
  })

// `parse` reads the page as JSON, which is the only way that is right for every service; `look` only looks at its end.
const tokenOf = (text) =>
  how === 'parse' ? JSON.parse(text).nextPageToken : /"nextPageToken":"([^"]+)"\}$/.exec(text.slice(-200))?.[1]

let token
do token = tokenOf(await read(token))
while (token !== undefined)
agent.destroy()
