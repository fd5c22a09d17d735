// Which caller is used: the precedence of the flag, the environment and the stored profiles, and what is rejected.
import {describe, expect, test} from 'vitest'
import type {Service} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {
  configFile,
  credentialsFile,
  isOneLine,
  login,
  serveAnyKey,
  writeSettingsFile,
  secret,
  readStoredSettings,
} from './logins.ts'
import fs from 'node:fs'

const bearer = (service: Service) => service.requests.at(-1)?.headers.authorization

describe('The caller', () => {
  test('is the profile that --profile names, before a credential in the environment', async () => {
    const [storedService, environment] = [await serveAnyKey(), await serveAnyKey()]
    const home = freshHome()
    await login(home, 'acme', storedService.url)
    const {code, out} = await run(home, ['whoami', '-p', 'acme', '--json'], {env: environment.env})
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({profile: 'acme', source: 'profile'})
    expect(environment.requests).toEqual([])
  })

  test('is the profile that SVC_PROFILE names, and --profile beats it', async () => {
    const [one, two] = [await serveAnyKey(), await serveAnyKey()]
    const home = freshHome()
    await login(home, 'one', one.url)
    await login(home, 'two', two.url)
    const byVariable = await run(home, ['whoami', '--json'], {env: {SVC_PROFILE: 'two'}})
    expect(json(byVariable.out)).toMatchObject({profile: 'two'})
    const byFlag = await run(home, ['whoami', '--json', '-p', 'one'], {env: {SVC_PROFILE: 'two'}})
    expect(json(byFlag.out)).toMatchObject({profile: 'one'})
  })

  test('is the environment before the current profile, and counts as live', async () => {
    const [storedService, environment] = [await serveAnyKey(), await serveAnyKey()]
    const home = freshHome()
    await login(home, 'acme', storedService.url)
    const countBefore = storedService.requests.length
    const {out} = await run(home, ['whoami', '--json'], {env: environment.env})
    expect(json(out)).toMatchObject({source: 'environment', environment: 'live', baseUrl: environment.url})
    expect(bearer(environment)).toBe('Bearer test-key')
    expect(storedService.requests).toHaveLength(countBefore)
  })

  test('is described in whoami as in status, of which it is the short form', async () => {
    const home = freshHome()
    const {caller} = json((await run(home, ['status', '-p', 'sandbox', '--json'])).out)
    expect(json((await run(home, ['whoami', '-p', 'sandbox', '--json'])).out)).toMatchObject(caller as object)
  })

  test('needs no configuration folder if the environment has everything, and creates none', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    expect(await run(home, ['customers', 'list'], {env: service.env})).toMatchObject({code: 0})
    expect(fs.existsSync(home.env['SVC_CONFIG_DIR'] ?? '')).toBe(false)
  })

  test.each([
    ['a key without an address', {SVC_API_KEY: secret}, 'SVC_BASE_URL'],
    ['a token without an address', {SVC_ACCESS_TOKEN: secret}, 'SVC_BASE_URL'],
    [
      'a key and a token',
      {SVC_API_KEY: secret, SVC_ACCESS_TOKEN: 'b', SVC_BASE_URL: 'https://api.example.com'},
      'SVC_ACCESS_TOKEN',
    ],
    ['a key of blanks', {SVC_API_KEY: '  ', SVC_BASE_URL: 'https://api.example.com'}, 'SVC_API_KEY'],
    ['a key with a line break', {SVC_API_KEY: `${secret}\nx`, SVC_BASE_URL: 'https://api.example.com'}, 'SVC_API_KEY'],
    ['an address in the clear', {SVC_API_KEY: secret, SVC_BASE_URL: 'http://api.example.com'}, 'SVC_BASE_URL'],
  ])('is rejected with 2 if the environment has %s', async (_, env, named) => {
    const {code, out, err} = await run(freshHome(), ['customers', 'list'], {env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain(named)
    expect(err).not.toContain(secret)
    expect(isOneLine(err)).toBe(true)
  })

  test('is rejected if SVC_BASE_URL differs from the current profile, and accepted if it is the same', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    await login(home, 'acme', service.url)
    const countBefore = service.requests.length
    const {code, err} = await run(home, ['whoami'], {env: {SVC_BASE_URL: 'https://elsewhere.example.com'}})
    expect(code).toBe(2)
    expect(err).toContain('elsewhere.example.com')
    expect(service.requests).toHaveLength(countBefore)
    expect(await run(home, ['whoami'], {env: {SVC_BASE_URL: `${service.url}/`}})).toMatchObject({code: 0})
  })

  test('is rejected if the current profile does not exist', async () => {
    const home = freshHome()
    writeSettingsFile(configFile(home), {schemaVersion: 1, current: 'gone', profiles: {}})
    const {code, out, err} = await run(home, ['customers', 'list'])
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain('"gone"')
  })

  test('is rejected with 4 if its secret is missing from the file', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    await login(home, 'acme', service.url)
    writeSettingsFile(credentialsFile(home), {schemaVersion: 1, secrets: {}, tokens: {}})
    const {code, err} = await run(home, ['customers', 'list'])
    expect(code).toBe(4)
    expect(err).toContain('svc login -p acme')
  })

  test('is missing in a script without a profile: code 4, no output, and one sentence with both remedies', async () => {
    for (const args of [['customers', 'list'], ['whoami'], ['api', 'GET', '/customers']]) {
      const {code, out, err} = await run(freshHome(), args)
      expect({code, out}).toEqual({code: 4, out: ''})
      expect(err).toContain('-p sandbox')
      expect(err).toContain('svc login')
      expect(isOneLine(err)).toBe(true)
    }
    const {err} = await run(freshHome(), ['customers', 'list', '--json'])
    expect(json(err)).toMatchObject({error: 'NO_CREDENTIAL', exitCode: 4})
  })

  test('is never guessed from an unknown name', async () => {
    const {code, err} = await run(freshHome(), ['customers', 'list', '-p', 'Sandbox'])
    expect(code).toBe(2)
    expect(err).toContain('sandbox')
  })
})

describe('svc profiles', () => {
  const twoProfiles = async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    await login(home, 'acme', service.url)
    await login(home, 'play', service.url)
    return {home, service}
  }

  test('list shows all profiles including the sandbox, with a star at the current one', async () => {
    const {home} = await twoProfiles()
    const {code, out} = await run(home, ['profiles', 'list'])
    expect(code).toBe(0)
    expect(out).toMatch(/^\* {2}acme +live/m)
    expect(out).toMatch(/^ {3}play +live/m)
    expect(out).toMatch(/^ {3}sandbox +sandbox/m)
    const asJson = await run(home, ['profiles', 'list', '--json'])
    expect(json(asJson.out)['profiles']).toHaveLength(3)
  })

  test('use changes the current profile, and rejects an unknown name', async () => {
    const {home} = await twoProfiles()
    expect(await run(home, ['profiles', 'use', 'play'])).toMatchObject({code: 0})
    expect(readStoredSettings(home).current).toBe('play')
    expect(await run(home, ['profiles', 'use', 'sandbox', '--json'])).toMatchObject({code: 0})
    expect(readStoredSettings(home).current).toBe('sandbox')
    const {code, out, err} = await run(home, ['profiles', 'use', 'nobody'])
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain('acme, play, sandbox')
    expect(readStoredSettings(home).current).toBe('sandbox')
  })

  test('show prints the current profile or a named one, without a request', async () => {
    const {home, service} = await twoProfiles()
    const countBefore = service.requests.length
    expect(json((await run(home, ['profiles', 'show', '--json'])).out)).toMatchObject({name: 'acme', current: true})
    expect(json((await run(home, ['profiles', 'show', 'play', '--json'])).out)).toMatchObject({current: false})
    expect((await run(home, ['profiles', 'show'])).out).toMatch(/^NAME +acme$/m)
    expect(await run(home, ['profiles', 'show', 'nobody'])).toMatchObject({code: 2, out: ''})
    expect(await run(freshHome(), ['profiles', 'show'])).toMatchObject({code: 4, out: ''})
    expect(service.requests).toHaveLength(countBefore)
  })

  test('remove deletes the profile and its secret, and says that there is no current profile any more', async () => {
    const {home} = await twoProfiles()
    const {code, err} = await run(home, ['profiles', 'remove', 'acme'])
    expect(code).toBe(0)
    expect(err).toContain('"acme" was the current profile')
    expect(readStoredSettings(home)).not.toHaveProperty('current')
    expect(Object.keys(readStoredSettings(home).profiles)).toEqual(['play'])
    expect(json(fs.readFileSync(credentialsFile(home), 'utf8'))['secrets']).toEqual({
      [`play at ${String(readStoredSettings(home).profiles['play']?.baseUrl)}`]: secret,
    })
    expect(await run(home, ['customers', 'list'])).toMatchObject({code: 4, out: ''})
    expect(await run(home, ['profiles', 'remove', 'acme'])).toMatchObject({code: 2, out: ''})
    expect(await run(home, ['profiles', 'remove', 'sandbox'])).toMatchObject({code: 2, out: ''})
  })

  test('remove reports in one sentence that the keychain cannot be reached, and keeps the profile', async () => {
    const home = freshHome()
    const credential = {kind: 'API_KEY', storedIn: 'keychain'}
    const acme = {baseUrl: 'https://api.example.com', environment: 'live', credential}
    writeSettingsFile(configFile(home), {schemaVersion: 1, profiles: {acme}})
    const {code, err} = await run(home, ['profiles', 'remove', 'acme'], {
      env: {DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere'},
    })
    expect(code).toBe(4)
    expect(isOneLine(err)).toBe(true)
    expect(readStoredSettings(home).profiles).toHaveProperty('acme')
  })
})

describe('svc whoami', () => {
  test('checks the sandbox, and needs no login for it', async () => {
    const {code, out} = await run(freshHome(), ['whoami', '-p', 'sandbox', '--json'])
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({
      profile: 'sandbox',
      environment: 'sandbox',
      readOnly: false,
      organizationOf: 'customer',
      may: 'read and write, without real money',
    })
  })

  test('says what the profile may do: its caps, its destinations and whether it writes at all', async () => {
    const home = freshHome()
    const limits = [
      '--payment-max',
      'USDC=500',
      '--day-max',
      'USDC=2000',
      '--allow',
      'account-1',
      '--allow',
      'account-2',
    ]
    await run(home, ['profiles', 'set', 'sandbox', ...limits, '--quiet'])
    const {out} = await run(home, ['whoami', '-p', 'sandbox'])
    expect(out).toMatch(/^MAY +read and write, without real money; it pays within its limits$/m)
    expect(out).toMatch(/^PAYMENT MAX +500 USDC$/m)
    expect(out).toMatch(/^DAY MAX +2000 USDC$/m)
    expect(out).toMatch(/^PAYS ONLY TO +account-1\n +account-2$/m)
    expect(out).toMatch(/^ORGANIZATION +[\da-f-]{36} \(of the first customer listed\)$/m)
    await run(home, ['profiles', 'set', 'sandbox', '--read-only', '--quiet'])
    const readOnly = json((await run(home, ['whoami', '-p', 'sandbox', '--json'])).out)
    expect(readOnly).toMatchObject({
      may: 'read, and write nothing',
      limits: {paymentMax: {USDC: '500'}, dayMax: {USDC: '2000'}, destinations: ['account-1', 'account-2']},
    })
  })
})
