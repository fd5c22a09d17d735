// The request log in the database: equal for equal requests, limited in size, and by the sandbox's own clock.
import {describe, expect, it} from 'vitest'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {dumpTables, openTemporary, requestTo, temporaryFile} from '../open.ts'

async function sendSomeRequests(sandbox: Sandbox) {
  sandbox.faults.add({method: 'GET', path: '/customers', kind: 'refuse', probability: 0.5})
  await sandbox.fetch(requestTo(sandbox, 'POST', '/customers', {customerType: 'BUSINESS', email: 'a@example.com'}))
  for (let count = 0; count < 8; count++) await sandbox.fetch(requestTo(sandbox, 'GET', '/customers'))
  await sandbox.fetch(requestTo(sandbox, 'POST', '/customers', '{'))
  await sandbox.fetch(new Request('http://sandbox.invalid/customers'))
}

describe('the request log', () => {
  it('is the same for the same requests with a frozen clock and a seed', async () => {
    const dumps: string[] = []
    while (dumps.length < 2) {
      const file = temporaryFile()
      const sandbox = openTemporary({file, seed: 'log'})
      await sendSomeRequests(sandbox)
      expect(sandbox.requests.last(100)).toHaveLength(11)
      sandbox.close()
      dumps.push(dumpTables(file))
    }
    expect(dumps[0]).toContain('"fault": "refuse"')
    expect(dumps[0]).toBe(dumps[1])
  })

  it('keeps the last ten thousand requests, and lists those after a given one', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file, batchMs: 10_000})
    for (let count = 0; count < 10_100; count++) await sandbox.fetch(new Request('http://sandbox.invalid/customers'))
    sandbox.close()
    const {requests: log} = openTemporary({file})
    expect([log.newest(), log.last(20_000).length]).toEqual([10_100, 10_000])
    expect(log.since(10_098).requests.map(({seq}) => seq)).toEqual([10_099, 10_100])
  })

  it('is emptied by a reset, after which its numbers start again', async () => {
    const sandbox = openTemporary()
    await sendSomeRequests(sandbox)
    const {seq} = sandbox.requests.since(0)
    sandbox.reset()
    expect(sandbox.requests.last(10)).toEqual([])
    await sandbox.fetch(requestTo(sandbox, 'GET', '/customers'))
    expect(sandbox.requests.since(seq)).toMatchObject({seq: 1, requests: [{path: '/customers'}]})
  })
})
