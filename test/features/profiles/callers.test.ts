// Which caller is used: the precedence of the flag, the environment and the stored profiles; and the commands that manage profiles.
import fs from 'node:fs'
import {describe, expect, test} from 'vitest'
import {freshHome, json, run} from '../../support/svc.ts'
import {
  configFile,
  credentialsFile,
  login,
  readStoredSettings,
  secret,
  serveAnyKey,
  writeSettingsFile,
} from './logins.ts'

// The second profile is called like something that every object inherits.
async function loginTwice() {
  const [one, two] = [await serveAnyKey(), await serveAnyKey()]
  const home = freshHome()
  await login(home, 'acme', one.url)
  await login(home, 'constructor', two.url)
  one.requests.length = 0
  two.requests.length = 0
  return {home, one, two}
}

describe('The caller', () => {
  test.each([
    [
      'the profile that --profile names, before all others',
      ['-p', 'acme'],
      {SVC_PROFILE: 'constructor'},
      'acme',
      '--profile',
    ],
    ['the profile that SVC_PROFILE names', [], {SVC_PROFILE: 'constructor'}, 'constructor', 'SVC_PROFILE'],
    ['the environment before the current profile', [], {}, undefined, 'SVC_API_KEY'],
    ['the current profile', [], undefined, 'acme', 'current profile'],
  ])('is %s', async (_, flags, env, profile, chosenBy) => {
    const {home, one, two} = await loginTwice()
    const environment = await serveAnyKey()
    const {code, out} = await run(home, ['whoami', '--json', ...flags], env && {env: {...environment.env, ...env}})
    expect(code).toBe(0)
    const found = json(out)
    expect(found).toMatchObject({chosenBy, environment: 'live', source: profile ? 'profile' : 'environment'})
    expect(found['profile']).toBe(profile)
    const asked = {acme: one, constructor: two}[profile ?? ''] ?? environment
    expect([one, two, environment].filter(({requests}) => requests.length > 0)).toEqual([asked])
    const key = profile === undefined ? 'test-key' : secret
    expect(asked.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`)
  })

  test('needs no configuration folder if the environment has everything, and creates none', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    expect(await run(home, ['customers', 'list'], {env: service.env})).toMatchObject({code: 0})
    expect(fs.existsSync(home.env['SVC_CONFIG_DIR'] ?? '')).toBe(false)
  })

  test('is rejected if SVC_BASE_URL differs from the current profile, and accepted if it is the same', async () => {
    const {home, one} = await loginTwice()
    const {code, err} = await run(home, ['whoami'], {env: {SVC_BASE_URL: 'https://elsewhere.example.com'}})
    expect([code, err]).toEqual([2, expect.stringContaining('elsewhere.example.com')])
    expect(one.requests).toEqual([])
    expect(await run(home, ['whoami'], {env: {SVC_BASE_URL: `${one.url}/`}})).toMatchObject({code: 0})
  })

  test('is rejected if the current profile, its secret or the validity of its token is gone', async () => {
    const {home, one} = await loginTwice()
    const list = ['customers', 'list', '--json']
    const key = `acme at ${one.url}`
    const expired = `e30.${Buffer.from('{"exp":1}').toString('base64url')}.c2ln`
    for (const [secrets, words] of [
      [{}, 'svc login -p acme'],
      [{[key]: expired}, 'expired'],
    ] as const) {
      writeSettingsFile(credentialsFile(home), {schemaVersion: 1, secrets, tokens: {}})
      const profiles = readStoredSettings(home).profiles
      const credential = {kind: 'JWT', storedIn: 'file'}
      writeSettingsFile(configFile(home), {
        schemaVersion: 1,
        current: 'acme',
        profiles: {acme: {...profiles['acme'], credential}},
      })
      const {code, err} = await run(home, list)
      expect([code, err]).toEqual([4, expect.stringContaining(words)])
      expect(json(err)).toMatchObject({error: 'NO_CREDENTIAL', exitCode: 4})
    }
    writeSettingsFile(configFile(home), {schemaVersion: 1, current: 'gone', profiles: {}})
    expect(await run(home, list)).toMatchObject({code: 2, out: '', err: expect.stringContaining('gone') as string})
    expect(one.requests).toEqual([])
  })
})

test('svc profiles list, use, show and remove ask no service', async () => {
  const {home, one, two} = await loginTwice()
  const {out} = await run(home, ['profiles', 'list'])
  expect(out).toMatch(/^\* {2}acme +live[^]*^ {3}constructor +live[^]*^ {3}sandbox +sandbox/m)
  expect((await run(home, ['profiles', 'list'], {env: one.env})).err).toBe(
    'No profile is in use here: SVC_API_KEY is set.\n',
  )
  const used = await run(home, ['profiles', 'use', 'constructor'], {env: {SVC_PROFILE: 'acme'}})
  expect(used).toMatchObject({code: 0, err: 'In this shell, SVC_PROFILE still comes first.\n'})
  expect(json((await run(home, ['profiles', 'show', '--json'])).out)).toMatchObject({
    name: 'constructor',
    current: true,
  })
  expect(json((await run(home, ['profiles', 'show', 'acme', '--json'])).out)).toMatchObject({current: false})
  const removed = await run(home, ['profiles', 'remove', 'constructor'])
  expect(removed).toMatchObject({
    code: 0,
    err: expect.stringContaining('"constructor" was the current profile') as string,
  })
  expect(readStoredSettings(home)).not.toHaveProperty('current')
  expect(Object.keys(readStoredSettings(home).profiles)).toEqual(['acme'])
  const {secrets} = json(fs.readFileSync(credentialsFile(home), 'utf8'))
  expect(secrets).toEqual({[`acme at ${one.url}`]: secret})
  expect(await run(home, ['customers', 'list'])).toMatchObject({code: 4, out: ''})
  expect(await run(home, ['profiles', 'show'])).toMatchObject({code: 4, out: ''})
  expect([...one.requests, ...two.requests]).toEqual([])
})
