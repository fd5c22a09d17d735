// Which service a profile belongs to: an identity that stays when the address changes, and that a person can state.
import fs from 'node:fs'
import {describe, expect, test} from 'vitest'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {
  configFile,
  credentialsFile,
  isOneLine,
  login,
  readStoredSettings,
  secret,
  serveAnyKey,
  writeSettingsFile,
} from './logins.ts'

const set = (home: Home, ...flags: string[]) => run(home, ['profiles', 'set', 'acme', ...flags])
const readService = (home: Home) => readStoredSettings(home).profiles['acme']?.['service']
const readSecrets = (home: Home) => json(fs.readFileSync(credentialsFile(home), 'utf8'))['secrets']

// The same service under its other name.
const toOtherName = (url: string) => url.replace('127.0.0.1', 'localhost')

const acme = {
  baseUrl: 'https://api.example.com/',
  environment: 'sandbox',
  credential: {kind: 'COMMAND', command: 'echo k'},
}

async function logIn() {
  const [home, service] = [freshHome(), await serveAnyKey()]
  await login(home, 'acme', service.url)
  return {home, service, other: toOtherName(service.url)}
}

describe('The identity of a service', () => {
  test('is the normalized base URL for a profile that was stored without one', async () => {
    const home = freshHome()
    writeSettingsFile(configFile(home), {schemaVersion: 1, profiles: {acme}})
    const {out} = await run(home, ['profiles', 'show', 'acme', '--json'])
    expect(json(out)).toMatchObject({service: 'https://api.example.com'})
    expect((await set(home, '--base-url', 'https://api2.example.com/v1/', '--quiet')).code).toBe(0)
    expect(readStoredSettings(home).profiles['acme']).toEqual({
      ...acme,
      baseUrl: 'https://api2.example.com/v1',
      service: 'https://api.example.com',
    })
  })

  test('cannot be stated as what is no word, or belongs to the sandbox', async () => {
    const {home, service} = await logIn()
    for (const id of ['', 'two words', '-x', '~root', 'café', 'a\nb', 'a'.repeat(201), 'sandbox:/tmp/x#1']) {
      for (const {code, out, err} of [
        await set(home, `--service=${id}`),
        ...(id === '' ? [] : [await run(home, ['whoami'], {env: {...service.env, SVC_SERVICE: id}})]),
      ]) {
        expect([id, code, out]).toEqual([id, 2, ''])
        expect(err).toMatch(/cannot name a service|belongs to the embedded sandbox/)
        expect(isOneLine(err)).toBe(true)
      }
    }
    expect(readService(home)).toBe(service.url)
  })

  test('of the embedded sandbox is its own', async () => {
    const home = freshHome()
    for (const flags of [
      ['--service', 'x'],
      ['--base-url', 'https://api.example.com'],
    ]) {
      const {code, err} = await run(home, ['profiles', 'set', 'sandbox', ...flags])
      expect(code).toBe(2)
      expect(err).toContain('The embedded sandbox has an address and an identity of its own')
    }
    const env = {SVC_SERVICE: 'x'}
    const who = json((await run(home, ['whoami', '-p', 'sandbox', '--json'], {env})).out)
    expect(who['service']).toMatch(/^sandbox:\/.+sqlite#/)
  })
})

describe('svc profiles set --base-url', () => {
  test('keeps the identity and the settings, and removes the secret of an earlier address, if it is another one', async () => {
    const {home, service, other} = await logIn()
    await set(home, '--day-max', 'USDC=5', '--service', 'acme-prod', '--quiet')
    const before = readStoredSettings(home).profiles['acme'] ?? {}
    expect(await set(home, '--base-url', `${service.url}/`)).toMatchObject({code: 0, err: ''})
    expect(readSecrets(home)).toEqual({[`acme at ${service.url}`]: secret})
    const countBefore = service.requests.length
    const {code, err} = await set(home, '--base-url', `${other}/`)
    expect(code).toBe(0)
    expect(err).toBe(
      `The secret was accepted by ${service.url} and is not sent elsewhere, so it was removed: log in with \`svc login -p acme\`.\n`,
    )
    expect(readStoredSettings(home).profiles['acme']).toEqual({...before, baseUrl: other})
    expect(readSecrets(home)).toEqual({})
    expect(await run(home, ['whoami'])).toMatchObject({code: 4})
    expect(service.requests).toHaveLength(countBefore)
    const again = await run(home, ['login', '-p', 'acme', '--store', 'file'], {input: secret})
    expect(again).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^You are now profile "acme" at [^\n]+\n$/) as string,
    })
    expect(readSecrets(home)).toEqual({[`acme at ${other}`]: secret})
    expect(readStoredSettings(home).profiles['acme']).toEqual({...before, baseUrl: other})
  })

  test('says where the tokens of a credential command go', async () => {
    const home = freshHome()
    writeSettingsFile(configFile(home), {schemaVersion: 1, profiles: {acme}})
    const {err} = await set(home, '--base-url', 'https://api2.example.com')
    expect(err).toBe('Tokens of the credential command are now sent to https://api2.example.com.\n')
  })
})

test('svc login with another base URL moves the profile to another service, with an identity of its own, and says so', async () => {
  const {home, service, other} = await logIn()
  const organization = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
  await login(home, 'acme', service.url, secret, '--organization', organization)
  await set(home, '--service', 'acme-prod', '--resend', 'yes', '--quiet')
  expect(readStoredSettings(home).profiles['acme']).toMatchObject({organization, resend: 'yes'})
  const refused = await login(home, 'acme', other)
  expect(refused.code).toBe(2)
  expect(refused.err).toContain(`\`svc profiles set acme --base-url ${other}\` first if it is the same service`)
  expect(readService(home)).toBe('acme-prod')
  const moved = await login(home, 'acme', other, secret, '--yes')
  expect(moved.code).toBe(0)
  expect(moved.err).toContain(
    `Payment keys of "acme" now belong to ${other}. If it is the same service as before, run \`svc profiles set acme --service acme-prod\`.`,
  )
  expect(readService(home)).toBe(other)
  // That keys are honoured was said of the other service, and the organization is one of its own.
  expect(moved.err).toContain('name the new one with --organization')
  expect(readStoredSettings(home).profiles['acme']).not.toHaveProperty('resend')
  expect(readStoredSettings(home).profiles['acme']).not.toHaveProperty('organization')
})

describe('SVC_SERVICE', () => {
  test('states the identity for a caller without a profile', async () => {
    const [home, service] = [freshHome(), await serveAnyKey()]
    const plain = await run(home, ['whoami', '--json'], {env: service.env})
    expect(json(plain.out)).toMatchObject({service: service.url})
    const stated = await run(home, ['whoami', '--json'], {env: {...service.env, SVC_SERVICE: 'acme-prod'}})
    expect(json(stated.out)).toMatchObject({service: 'acme-prod'})
  })

  test('is rejected if the profile belongs to another service, named or current', async () => {
    const {home, service} = await logIn()
    const countBefore = service.requests.length
    for (const args of [['whoami'], ['whoami', '-p', 'acme']]) {
      const {code, err} = await run(home, args, {env: {SVC_SERVICE: "it's"}})
      expect(code).toBe(2)
      expect(err).toBe(
        `svc: SVC_SERVICE names the service it's, but the profile "acme" belongs to ${service.url}. Unset it, or run \`svc profiles set acme --service 'it'\\''s'\` if the profile means the same service.\n`,
      )
    }
    expect(service.requests).toHaveLength(countBefore)
    const same = await run(home, ['whoami', '--json'], {env: {SVC_SERVICE: service.url}})
    expect(json(same.out)).toMatchObject({service: service.url})
  })
})
