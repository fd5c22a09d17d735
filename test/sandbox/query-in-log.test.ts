// Secrets in the query of requests to the sandbox, most of which it refuses: nothing of a query is in its log.
import {expect, it} from 'vitest'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {call, dumpTables, openTemporary, temporaryFile} from './open.ts'

// Shorter than an id may be, with the characters that an id may have.
const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlMQ'
const parts = token.split('.')

const known = endpointEntries.flatMap(({endpoint}) => Object.keys(endpoint.query?.shape ?? {}))
const parameters = [...new Set(known), 'access_token']

const queries = [
  ...parameters.map((name) => `${name}=${token}`),
  ...parameters.map((name) => `${name}=${parts[1]}`),
  ...parameters.map((name) => `${name}=1&${name}=${token}`),
  `pageToken=Wy${parts[1]}`,
  token,
  `${token}=1`,
  `%22=${token}`,
]

const targets = ['/customers', '/transactions', '/payment-accounts', '/automation-rules', '/nowhere']

it('the log of the sandbox has nothing of a query but which parameters of the interface were used', async () => {
  const file = temporaryFile()
  const sandbox = openTemporary({file})
  for (const [index, query] of queries.entries()) {
    const reply = await call(sandbox, 'GET', `${targets[index % targets.length]}?${query}`)
    expect([200, 400, 404]).toContain(reply.status)
  }
  const logged = sandbox.requests.last(100)
  expect(logged).toHaveLength(queries.length)
  for (const part of parts) expect(JSON.stringify(logged) + dumpTables(file)).not.toContain(part)
  await call(sandbox, 'GET', '/customers?pageSize=1&mine=2')
  expect(sandbox.requests.last(1)).toMatchObject([{path: '/customers?pageSize=…&…=…'}])
})
