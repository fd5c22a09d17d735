// Tokens that expire: a credential command renews one before, once for all processes. That an expired one is not sent, and which
// commands are refused, stands in refused.test.ts.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {holdLock} from '../../../src/storage/process-lock.ts'
import {payment} from '../../support/payments.ts'
import {refusal, servePayments} from '../../support/scripted-service.ts'
import {customer, reply, serve} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {
  configFile,
  credentialsFile,
  createJwt,
  createJwtFor,
  buildLoginArgs,
  getMode,
  serveAnyKey,
  writeSettingsFile,
} from './logins.ts'

// A profile with this credential command, stored without a login.
function withCommand(home: Home, baseUrl: string, command: string) {
  const acme = {baseUrl, environment: 'live', credential: {kind: 'COMMAND', command}}
  writeSettingsFile(configFile(home), {schemaVersion: 1, current: 'acme', profiles: {acme}})
}

const lines = (file: string) => fs.readFileSync(file, 'utf8').trimEnd().split('\n')

// A command that adds a line to a file whenever it runs, and prints `prints`.
const countedCommand = (home: Home, prints: string) => {
  const count = path.join(home.folder, 'runs')
  return {count, command: `echo run >> '${count}'; sleep 0.2; echo '${prints}'`}
}

test.each([
  ['a word', 'soon'],
  ['nothing', null],
  ['beyond all dates', 1e300],
  ['a list', [1]],
])('The expiry of a token is not assumed for a claim that is %s, and whoami works', async (_, exp) => {
  const service = await serveAnyKey()
  const env = {SVC_BASE_URL: service.url, SVC_ACCESS_TOKEN: createJwt({exp})}
  const {code, out} = await run(freshHome(), ['whoami', '--json'], {env})
  expect(code).toBe(0)
  expect(json(out)).toMatchObject({credential: 'JWT'})
  expect(json(out)).not.toHaveProperty('expiresAt')
})

describe('A credential command', () => {
  test('runs once for eight processes that start together, and its token is stored in a file of mode 0600', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    const token = createJwtFor(3600)
    const {count, command} = countedCommand(home, token)
    withCommand(home, service.url, command)
    const ended = await Promise.all(Array.from({length: 8}, () => run(home, ['customers', 'list', '--json'])))
    expect(ended.map(({code}) => code)).toEqual(Array(8).fill(0))
    expect(lines(count)).toHaveLength(1)
    expect(new Set(service.requests.map(({headers}) => headers.authorization))).toEqual(new Set([`Bearer ${token}`]))
    expect(getMode(credentialsFile(home))).toBe('600')
  })

  test.each([
    ['runs again when less than a minute is left', 55, 2],
    ['is not run while more than a minute is left', 120, 1],
  ])('%s', async (_, seconds, times) => {
    const service = await serveAnyKey()
    const home = freshHome()
    const {count, command} = countedCommand(home, createJwtFor(seconds))
    withCommand(home, service.url, command)
    await run(home, ['customers', 'list'])
    await run(home, ['customers', 'list'])
    expect(lines(count)).toHaveLength(times)
  })

  test('runs again, once, if the service refuses the stored token', async () => {
    const [old, fresh] = [createJwtFor(3000), createJwtFor(3600)]
    const service = await serve(({headers}, response) => {
      if (headers.authorization === `Bearer ${fresh}`) return reply(response, 200, {customers: [customer(1)]})
      reply(response, 401, {error: 'UNAUTHORIZED', message: 'Revoked', statusCode: 401})
    })
    const home = freshHome()
    const {count, command} = countedCommand(home, fresh)
    withCommand(home, service.url, command)
    writeSettingsFile(credentialsFile(home), {schemaVersion: 1, secrets: {}, tokens: {[`acme at ${service.url}`]: old}})
    expect(await run(home, ['customers', 'list'])).toMatchObject({code: 0})
    expect(lines(count)).toHaveLength(1)
    expect(service.requests).toHaveLength(2)
  })

  test('sends no payment a second time with a new token', async () => {
    const service = await servePayments()
    service.script({at: 'POST /transactions', acts: 'never', reply: refusal(401, 'UNAUTHORIZED', 'Revoked'), times: 9})
    const home = freshHome()
    const {count, command} = countedCommand(home, 'test-key')
    withCommand(home, service.url, command)
    expect(await run(home, [...payment('rent', '10'), '--yes'])).toMatchObject({code: 4})
    expect(service.requestsTo('POST /transactions')).toHaveLength(1)
    expect(lines(count)).toHaveLength(1)
  })

  describe('that another svc runs for a minute', () => {
    useVirtualTime()

    test('is waited for no longer, and the credential is what is missing', async () => {
      const [service, home] = [await serveAnyKey(), freshHome()]
      withCommand(home, service.url, 'echo test-key')
      using stack = new DisposableStack()
      const held = holdLock(path.join(path.dirname(configFile(home)), 'token-acme.lock'), 0)
      stack.defer(() => held?.release())
      const {code, err} = await run(home, ['customers', 'list', '-p', 'acme'])
      expect([code, err]).toEqual([4, expect.stringContaining('has been run by another svc for a minute')])
      expect(service.requests).toEqual([])
    })
  })

  test('that hangs is stopped after --timeout, at login and later, and nothing was sent', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    fs.writeFileSync(path.join(home.folder, 'token'), 'test-key')
    const command = `cat '${path.join(home.folder, 'token')}' && ! test -e '${path.join(home.folder, 'hang')}' || exec sleep 40`
    expect(await run(home, buildLoginArgs('acme', service.url, '--credential-command', command))).toMatchObject({
      code: 0,
    })
    fs.writeFileSync(path.join(home.folder, 'hang'), '')
    const countBefore = service.requests.length
    const startedMs = performance.now()
    for (const args of [
      ['customers', 'list', '-p', 'acme'],
      buildLoginArgs('other', service.url, '--credential-command', command),
    ]) {
      const {code, err} = await run(home, [...args, '--timeout', '500ms'])
      expect(code).toBe(6)
      expect(err).toMatch(/The credential command of profile "\w+" did not end within --timeout/)
    }
    expect(performance.now() - startedMs).toBeLessThan(35_000)
    expect(service.requests).toHaveLength(countBefore)
  })
})
