// Secrets in the query of requests to the sandbox, most of which it refuses: nothing of a query is in its log.
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it} from 'vitest'
import {inSandbox} from '../support/payments.ts'
import {freshHome, json, run} from '../support/svc.ts'

// Shorter than an id may be, with the characters that an id may have.
const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlMQ'
const parts = token.split('.')

const parameters = [
  'pageToken',
  'pageSize',
  'customerId',
  'organizationId',
  'paymentAccountId',
  'sourcePaymentAccountId',
  'includePaymentMethods',
  'access_token',
]

const queries = [
  ...parameters.map((name) => `${name}=${token}`),
  ...parameters.map((name) => `${name}=${parts[1]}`),
  ...parameters.map((name) => `${name}=1&${name}=${token}`),
  `pageToken=Wy${parts[1]}`,
  token,
  `${token}=1`,
  `%22=${token}`,
]

describe('the log of the sandbox', () => {
  it('has nothing of a query', async () => {
    const targets = ['/customers', '/transactions', '/payment-accounts', '/automation-rules', '/nowhere']
    const home = freshHome()
    for (const [index, query] of queries.entries()) {
      await run(home, ['api', 'GET', `${targets[index % targets.length]}?${query}`, ...inSandbox])
    }
    const database = new DatabaseSync(path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state', 'sandbox.sqlite'))
    const rows = database.prepare('select * from requests').all()
    database.close()
    expect(rows).toHaveLength(queries.length)
    const shown = await run(home, ['sandbox', 'requests', '--json'])
    expect(json(shown.out)).toHaveProperty('requests')
    for (const part of parts) {
      expect(JSON.stringify(rows)).not.toContain(part)
      expect(shown.out).not.toContain(part)
    }
  })

  it('says which parameters of the interface were used', async () => {
    const home = freshHome()
    await run(home, ['api', 'GET', '/customers?pageSize=1&mine=2', ...inSandbox])
    const {out} = await run(home, ['sandbox', 'requests', '--json'])
    expect(json(out)['requests']).toMatchObject([{path: '/customers?pageSize=…&…=…'}])
  })
})
