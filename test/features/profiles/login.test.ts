// svc login and logout: a credential is checked before it is stored, only the service ever sees it, and it can be forgotten.
import fs from 'node:fs'
import {describe, expect, test} from 'vitest'
import {customer, reply, serve} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {
  buildLoginArgs,
  configFile,
  createJwtFor,
  credentialsFile,
  hasStoredFiles,
  isOneLine,
  login,
  readStoredSettings,
  secret,
  serveAnyKey,
  serveOneKey,
  writeSettingsFile,
} from './logins.ts'

const readSecrets = (home: Home) => fs.readFileSync(credentialsFile(home), 'utf8')

describe('svc login from a script', () => {
  test('checks the secret with one request, stores it, says who you are now, and the next command uses it', async () => {
    const service = await serveOneKey()
    const home = freshHome()
    const {code, out, err} = await login(home, 'acme', service.url, `${secret}\n`, '--json')
    expect({code, err}).toEqual({
      code: 0,
      err: `You are now profile "acme" at ${service.url} (live), organization ${customer(1).organizationId}; you may read and write; what moves real money needs a yes.\n`,
    })
    expect(json(out)).toEqual({
      name: 'acme',
      current: true,
      environment: 'live',
      baseUrl: service.url,
      service: service.url,
      credential: 'API_KEY',
      storedIn: 'file',
      readOnly: false,
      duplicateWindow: '3d',
    })
    expect(service.requests.map(({method, path}) => `${method} ${path}`)).toEqual(['GET /customers'])
    const credential = {kind: 'API_KEY', storedIn: 'file'}
    const acme = {baseUrl: service.url, service: service.url, environment: 'live', credential}
    expect(readStoredSettings(home)).toEqual({schemaVersion: 1, current: 'acme', profiles: {acme}})
    const who = json((await run(home, ['whoami', '--json'])).out)
    expect(who).toMatchObject({profile: 'acme', source: 'profile', environment: 'live', baseUrl: service.url})
  })

  test.each([
    ['refuses the secret', 401, {error: 'UNAUTHORIZED', message: 'No such key.', statusCode: 401}, 4],
    ['answers with a web page', 200, '<!doctype html><title>Hello</title>', 6],
    ['answers with JSON that is no list of customers', 200, '{"ok":true}', 6],
    ['answers with half of a reply', 200, '{"customers": [', 6],
  ])('stores nothing if the service %s', async (_, status, body, exit) => {
    const service = await serve((_asked, response) => reply(response, status, body))
    const home = freshHome()
    const {code, out, err} = await login(home, 'acme', service.url)
    expect({code, out, isOneLine: isOneLine(err)}).toEqual({code: exit, out: '', isOneLine: true})
    expect(hasStoredFiles(home)).toBe(false)
  })

  test('never shows the secret: not in its output, not with --verbose, not in errors', async () => {
    const service = await serveOneKey()
    const refusing = await serveOneKey('another')
    const home = freshHome()
    const said = [
      await login(home, 'acme', service.url, secret, '--verbose'),
      await login(home, 'other', refusing.url, secret, '--verbose', '--json'),
      await run(home, ['profiles', 'list', '-o', 'yaml']),
      await run(home, ['profiles', 'show', 'acme', '--json']),
      await run(home, ['whoami', '--verbose'], {env: {SVC_DEBUG: '1'}}),
      await login(home, 'third', refusing.url, secret, '--no-such-flag'),
    ]
    expect(said.map(({code}) => code)).toEqual([0, 4, 0, 0, 0, 2])
    for (const {out, err} of said) expect(out + err).not.toContain(secret)
    expect(fs.readFileSync(configFile(home), 'utf8')).not.toContain(secret)
    expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${secret}`)
  })
})

describe('A second svc login', () => {
  test('keeps the other settings and the current profile, and deletes the token of an earlier command', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    await login(home, 'first', service.url)
    const organization = '11111111-1111-1111-1111-111111111111'
    const token = createJwtFor(3600)
    const flags = ['--credential-command', `echo ${token}`, '--organization', organization, '--read-only']
    await run(home, buildLoginArgs('acme', service.url, ...flags))
    await run(home, ['whoami', '-p', 'acme'])
    expect(readSecrets(home)).toContain(token)
    const again = await run(home, ['login', '-p', 'acme', '--store', 'file'], {input: 'sk_new'})
    expect(again).toMatchObject({code: 0, err: expect.stringContaining('; you may read, and write nothing.') as string})
    expect(readStoredSettings(home).current).toBe('first')
    const kept = {baseUrl: service.url, environment: 'live', organization, readOnly: true}
    expect(readStoredSettings(home).profiles['acme']).toMatchObject(kept)
    expect(service.requests.at(-1)?.headers.authorization).toBe('Bearer sk_new')
    expect(readSecrets(home)).not.toContain(token)
  })
})

describe('svc login over a live profile', () => {
  // The address and the environment that the login names, and whether it needs --yes.
  test.each([
    ['the same', [], false],
    ['the same', ['--live'], false],
    ['the same', ['--sandbox'], true],
    ['another', ['--live'], true],
    ['another', ['--sandbox'], true],
  ])('at %s address with %j needs --yes: %j', async (address, environment, isAsked) => {
    const [service, other] = [await serveAnyKey(), await serveAnyKey()]
    const home = freshHome()
    await login(home, 'acme', service.url)
    const before = readStoredSettings(home)
    const baseUrl = address === 'another' ? other.url : service.url
    const args = ['login', '-p', 'acme', '--base-url', baseUrl, '--store', 'file', ...environment]
    const {code, err} = await run(home, args, {input: secret})
    expect([code, err.includes('--yes')]).toEqual(isAsked ? [2, true] : [0, false])
    if (isAsked) expect(readStoredSettings(home)).toEqual(before)
    expect(await run(home, [...args, '--yes'], {input: secret})).toMatchObject({code: 0})
    const expected = {baseUrl, environment: environment.includes('--sandbox') ? 'sandbox' : 'live'}
    expect(readStoredSettings(home).profiles['acme']).toMatchObject(expected)
  })
})

describe('svc login while another process changes the profile', () => {
  const [here, there] = ['http://127.0.0.1:1', 'http://127.0.0.1:2']
  // What the profile was, what it is once the credential is checked, what the login makes of it, and
  // whether that needs --yes by then.
  test.each<[was: [string, string] | undefined, is: [string, string], flag: string, isAsked: boolean]>([
    [undefined, ['live', 'same'], '--live', false],
    [undefined, ['live', 'same'], '--sandbox', true],
    [undefined, ['live', here], '--live', true],
    [['sandbox', 'same'], ['live', 'same'], '--sandbox', true],
    [['sandbox', 'same'], ['sandbox', there], '--sandbox', true],
    [['live', 'same'], ['sandbox', 'same'], '--live', false],
  ])('from %j to %j, with %s, needs --yes: %j', async (was, is, flag, isAsked) => {
    const home = freshHome()
    const store = ([environment, address]: [string, string]) => {
      const baseUrl = address === 'same' ? service.url : address
      const acme = {baseUrl, environment, credential: {kind: 'API_KEY'}}
      writeSettingsFile(configFile(home), {schemaVersion: 1, profiles: {acme}})
    }
    const service = await serve((_, response) => {
      store(is)
      reply(response, 200, {customers: [customer(1)], nextPageToken: null})
    })
    for (const yes of [[], ['--yes']]) {
      if (was) store(was)
      else fs.rmSync(configFile(home), {force: true})
      const args = ['login', '-p', 'acme', '--base-url', service.url, '--store', 'file', flag, ...yes]
      const {code, err} = await run(home, args, {input: secret})
      const isRefused = isAsked && yes.length === 0
      expect([code, err.includes('meanwhile')]).toEqual(isRefused ? [2, true] : [0, false])
      const {environment, baseUrl} = readStoredSettings(home).profiles['acme'] ?? {}
      const stored = isRefused ? [is[0], is[1] === 'same' ? service.url : is[1]] : [flag.slice(2), service.url]
      expect([environment, baseUrl]).toEqual(stored)
    }
  })
})

describe('svc login on a terminal', () => {
  test('asks for what is missing and again for a secret that is refused, and never shows one on the screen', async () => {
    const service = await serveOneKey()
    const home = freshHome()
    const screen = onTerminal(home, ['login', '-p', 'acme', '--store', 'file'], {cols: 200})
    for (const [question, typed] of [
      ['Base URL of the service', service.url],
      ['Is this live', ''],
      ['API key or token', 'sk_wrong'],
    ] as const) {
      await screen.waitFor(question)
      screen.type(`${typed}\r`)
    }
    await screen.waitFor('Type another one, or stop with Ctrl-C; nothing was stored.')
    expect(hasStoredFiles(home)).toBe(false)
    screen.type(`${secret}\r`)
    expect(await screen.ended).toBe(0)
    expect(screen.raw()).not.toMatch(/sk_wr|sk_live/)
    expect(readStoredSettings(home).profiles['acme']).toMatchObject({baseUrl: service.url, environment: 'live'})
  })
})

describe('svc logout', () => {
  test('removes the secret and keeps the profile with its limits; a login needs only the secret then', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    await login(home, 'acme', service.url)
    await run(home, ['profiles', 'set', 'acme', '--payment-max', 'USDC=5'])
    const countBefore = service.requests.length
    const {code, err} = await run(home, ['logout'])
    expect(code).toBe(0)
    expect(err).toContain('The secret itself stays valid until the service revokes it.')
    expect(service.requests).toHaveLength(countBefore)
    expect(readSecrets(home)).not.toContain(secret)
    const limits = {paymentMax: {USDC: '5'}}
    expect(readStoredSettings(home)).toMatchObject({current: 'acme', profiles: {acme: {baseUrl: service.url, limits}}})
    const after = await run(home, ['customers', 'list'])
    expect(after).toMatchObject({code: 4, out: '', err: expect.stringContaining('`svc login -p acme`') as string})
    expect(await run(home, ['logout', '--json'])).toMatchObject({code: 0})
    expect((await run(home, ['login', '-p', 'acme', '--store', 'file'], {input: secret})).code).toBe(0)
    expect(readStoredSettings(home).profiles['acme']).toMatchObject({limits})
  })

  test('forgets the tokens of a credential command, and says that the command stays', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    const token = createJwtFor(3600)
    await run(home, buildLoginArgs('acme', service.url, '--credential-command', `echo ${token}`))
    await run(home, ['customers', 'list'])
    expect(readSecrets(home)).toContain(token)
    expect(fs.readFileSync(configFile(home), 'utf8').replace(`echo ${token}`, '')).not.toContain(token)
    const {code, err} = await run(home, ['logout', '-p', 'acme'])
    expect([code, err]).toEqual([0, expect.stringContaining('Its credential command stays')])
    expect(readSecrets(home)).not.toContain(token)
    expect((await run(home, ['customers', 'list'])).code).toBe(0)
  })
})

test.each([
  ['logout', '-p', 'acme'],
  ['profiles', 'remove', 'acme'],
])('A keychain that cannot be reached keeps everything: svc %s', async (...args) => {
  const home = freshHome()
  const credential = {kind: 'API_KEY', storedIn: 'keychain'}
  const acme = {baseUrl: 'https://api.example.com', environment: 'live', credential}
  writeSettingsFile(configFile(home), {schemaVersion: 1, profiles: {acme}})
  const {code, err} = await run(home, args, {env: {DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere'}})
  expect({code, isOneLine: isOneLine(err)}).toEqual({code: 4, isOneLine: true})
  expect(readStoredSettings(home).profiles['acme']).toEqual(acme)
})
