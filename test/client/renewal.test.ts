// A token that the service refuses is renewed once by the credential command, and the request is sent again.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Service, reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {createTestClient, expectFailure, captureError} from './raw-service.ts'

const listTokens = ({requests}: Service) => requests.map(({headers}) => headers.authorization?.replace('Bearer ', ''))

// A service that accepts only some tokens, and a profile whose command prints token-1, token-2 and so on.
async function withCommand(isGood: (token: string) => boolean) {
  const service = await serve(({headers, path: at}, response) => {
    if (!isGood(headers.authorization?.replace('Bearer ', '') ?? '')) {
      reply(response, 401, {error: 'UNAUTHORIZED', message: 'Expired', statusCode: 401})
    } else reply(response, 200, at === '/customers' ? {customers: []} : {ok: true})
  })
  const home = freshHome()
  const count = path.join(home.folder, 'count')
  const command = `printf x >> '${count}'; printf 'token-%s' "$(wc -c < '${count}' | tr -d ' ')"`
  const login = ['login', '-p', 'acme', '--base-url', service.url, '--sandbox', '--credential-command', command]
  expect(await run(home, login)).toMatchObject({code: 0})
  service.requests.length = 0
  return {service, home, runs: () => fs.readFileSync(count, 'utf8').length - 1}
}

describe('a refused token of a credential command', () => {
  it('is renewed once, and the read is sent again', async () => {
    let refusals = 1
    const {service, home} = await withCommand((token) => token !== 'token-2' || refusals-- < 1)
    expect(await run(home, ['api', 'GET', '/x', '-p', 'acme'])).toMatchObject({code: 0, err: ''})
    expect(listTokens(service)).toEqual(['token-2', 'token-3'])
  })

  it('is renewed once, and the write is sent again, since 401 means that nothing was done', async () => {
    const {service, home} = await withCommand((token) => token !== 'token-2')
    const write = ['api', 'POST', '/x', '--set', 'a=b', '-p', 'acme']
    expect(await run(home, write)).toMatchObject({code: 0})
    expect(listTokens(service)).toEqual(['token-2', 'token-3'])
    expect(service.requests.map(({body}) => body)).toEqual(['{"a":"b"}', '{"a":"b"}'])
  })

  it('is not renewed twice', async () => {
    const {service, home, runs} = await withCommand((token) => token === 'token-1')
    expectFailure(await run(home, ['api', 'GET', '/x', '-p', 'acme', '--json']), 4)
    expect(listTokens(service)).toEqual(['token-2', 'token-3'])
    expect(runs()).toBe(2)
  })
})

describe('the client', () => {
  it('requests a new credential only after a refusal, not for the retries that follow', async () => {
    const service = await serve((_, response, count) => {
      if (count === 1) reply(response, 401, {})
      else reply(response, count < 4 ? 503 : 200, {ok: true}, {'retry-after': '0'})
    })
    const refusals: boolean[] = []
    const credential = async (refused: boolean) => {
      refusals.push(refused)
      return 'test-key'
    }
    await createTestClient(service.url, {renewable: true, credential}).raw({method: 'GET', path: '/x'})
    expect(refusals).toEqual([false, true, false, false])
  })

  it('does not send a request again with a credential that cannot be renewed', async () => {
    const service = await serve((_, response) => reply(response, 401, {}))
    const failure = await captureError(createTestClient(service.url).raw({method: 'GET', path: '/x'}))
    expect(failure).toMatchObject({exitCode: 4, statusCode: 401})
    expect(service.requests).toHaveLength(1)
  })
})
