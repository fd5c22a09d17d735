// svc logout: forgets the credential of a profile and nothing else.
import fs from 'node:fs'
import {describe, expect, test} from 'vitest'
import {type Home, freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {
  buildLoginArgs,
  configFile,
  createJwtFor,
  credentialsFile,
  isOneLine,
  login,
  readStoredSettings,
  secret,
  serveAnyKey,
  writeSettingsFile,
} from './logins.ts'

const readSecrets = (home: Home) => fs.readFileSync(credentialsFile(home), 'utf8')

describe('svc logout', () => {
  test('removes the secret, keeps the profile with its limits, and says what remains', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    await login(home, 'acme', service.url)
    await run(home, ['profiles', 'set', 'acme', '--payment-max', 'USDC=5'])
    const requestsBefore = service.requests.length
    const screen = onTerminal(home, ['logout'])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('Forgot what was stored of the credential of "acme".')
    expect(screen.text().replaceAll(/\s+/g, ' ')).toContain('`svc login -p acme` logs in again')
    expect(screen.text().replaceAll(/\s+/g, ' ')).toContain(
      'The secret itself stays valid until the service revokes it.',
    )
    expect(service.requests).toHaveLength(requestsBefore)
    expect(readSecrets(home)).not.toContain(secret)
    expect(readStoredSettings(home)).toMatchObject({
      current: 'acme',
      profiles: {acme: {baseUrl: service.url, limits: {paymentMax: {USDC: '5'}}, credential: {kind: 'API_KEY'}}},
    })
    const after = await run(home, ['customers', 'list'])
    expect(after).toMatchObject({code: 4, out: ''})
    expect(after.err).toContain('`svc login -p acme`')
    // Once more changes nothing, and logging in again needs only the secret.
    const again = await run(home, ['logout', '--json'])
    expect(again).toMatchObject({code: 0, err: expect.stringContaining('Nobody was logged in') as string})
    expect(json(again.out)).toMatchObject({name: 'acme', credential: 'API_KEY'})
    expect((await run(home, ['login', '-p', 'acme', '--store', 'file'], {input: secret})).code).toBe(0)
    expect(readStoredSettings(home).profiles['acme']).toMatchObject({limits: {paymentMax: {USDC: '5'}}})
  })

  test('forgets the tokens of a credential command, and says that the command stays', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    const token = createJwtFor(3600)
    await run(home, buildLoginArgs('acme', service.url, '--credential-command', `echo ${token}`))
    await run(home, ['customers', 'list'])
    expect(readSecrets(home)).toContain(token)
    const {code, err} = await run(home, ['logout', '-p', 'acme'])
    expect(code).toBe(0)
    expect(err).toContain('Forgot what was stored of the credential of "acme".')
    expect(err).toContain('Its credential command stays')
    expect(readSecrets(home)).not.toContain(token)
    expect((await run(home, ['customers', 'list'])).code).toBe(0)
  })

  test('keeps everything if the keychain cannot be reached', async () => {
    const home = freshHome()
    const credential = {kind: 'API_KEY', storedIn: 'keychain'}
    const acme = {baseUrl: 'https://api.example.com', environment: 'live', credential}
    writeSettingsFile(configFile(home), {schemaVersion: 1, profiles: {acme}})
    const env = {DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere'}
    const {code, err} = await run(home, ['logout', '-p', 'acme'], {env})
    expect(code).toBe(4)
    expect(isOneLine(err)).toBe(true)
    expect(readStoredSettings(home).profiles['acme']).toEqual(acme)
  })

  test.each([
    ['the sandbox', ['-p', 'sandbox'], {}, 2, 'no credential to forget'],
    ['an unknown profile', ['-p', 'nobody'], {}, 2, 'There is no profile "nobody"'],
    ['nobody', [], {}, 4, 'No profile is set up'],
    ['the environment', [], {SVC_API_KEY: 'k', SVC_BASE_URL: 'https://api.example.com'}, 2, 'comes from SVC_API_KEY'],
  ])('refuses to log out %s', async (_, flags, env, code, problem) => {
    const refused = await run(freshHome(), ['logout', ...flags], {env})
    expect(refused).toMatchObject({code, out: ''})
    expect(refused.err).toContain(problem)
  })
})
