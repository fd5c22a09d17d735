// What doctor finds on this machine: every problem is a row and code 12, and the other checks still run.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {freshHome} from '../support/svc.ts'
import {configFile, credentialsFile, createJwtFor, login, writeSettingsFile} from '../profiles/logins.ts'
import {serveForDoctor, runDoctor} from './doctor-run.ts'

describe('doctor on settings', () => {
  // The settings have the limits of every profile, so without readable settings no profile can be used.
  it('reports a damaged file, leaves it as it is, and uses no profile', async () => {
    const home = freshHome()
    writeSettingsFile(configFile(home), '{"profiles": ')
    const {code, row, notOk} = await runDoctor(home, {}, '-p', 'sandbox')
    expect(code).toBe(12)
    expect(notOk).toMatchObject({settings: 'failed', profile: 'failed', reachable: 'skipped'})
    expect(row('settings').found).toContain('is not valid JSON')
    expect(fs.readFileSync(configFile(home), 'utf8')).toBe('{"profiles": ')
  })

  it('reports a file that a newer svc wrote', async () => {
    const home = freshHome()
    writeSettingsFile(configFile(home), {schemaVersion: 99, profiles: {}})
    expect((await runDoctor(home, {}, '-p', 'sandbox')).row('settings')).toMatchObject({
      outcome: 'failed',
      next: 'Update svc; the file was left as it is',
    })
  })

  it('reports secrets that cannot be read', async () => {
    const home = freshHome()
    writeSettingsFile(credentialsFile(home), '[]')
    expect((await runDoctor(home, {}, '-p', 'sandbox')).row('settings').found).toContain('is damaged')
  })
})

describe('doctor on the profile', () => {
  it('reports that there is none, and runs the checks that need none', async () => {
    const {code, row, healthy} = await runDoctor(freshHome())
    expect({code, healthy}).toEqual({code: 12, healthy: false})
    expect(row('profile')).toMatchObject({outcome: 'failed', found: 'No profile is set up and none was named'})
    expect(row('settings').outcome).toBe('ok')
    expect(row('accepted').outcome).toBe('skipped')
  })

  it.each([
    [{SVC_PROFILE: 'gone'}, 'There is no profile "gone"'],
    [{SVC_API_KEY: 'k', SVC_ACCESS_TOKEN: 't'}, 'are both set'],
    [{SVC_API_KEY: 'k', SVC_BASE_URL: 'http://api.example.com'}, 'is not HTTPS'],
    [{SVC_API_KEY: 'k'}, 'SVC_BASE_URL is not'],
  ])('reports %j', async (env, found) => {
    const {code, row} = await runDoctor(freshHome(), env)
    expect(code).toBe(12)
    expect(row('profile').outcome).toBe('failed')
    expect(row('profile').found).toContain(found)
  })

  it('names the profile and where its credential is stored, never the credential', async () => {
    const home = freshHome()
    const service = await serveForDoctor()
    await login(home, 'acme', service.url, 'sk_live_very_secret')
    const {code, out, err, row} = await runDoctor(home)
    expect(code).toBe(0)
    expect(row('profile').found).toBe('Profile "acme", live')
    expect(row('credential').found).toBe(`An API key in ${credentialsFile(home)}`)
    expect(out + err).not.toContain('very_secret')
  })
})

describe('doctor on a credential', () => {
  it('reports an expired token, and still compares the clocks', async () => {
    const service = await serveForDoctor()
    const env = {SVC_BASE_URL: service.url, SVC_ACCESS_TOKEN: createJwtFor(-60)}
    const {code, row, notOk} = await runDoctor(freshHome(), env)
    expect(code).toBe(12)
    expect(row('credential').found).toMatch(/^The token of the environment expired at /)
    expect(row('clock').outcome).toBe('ok')
    expect(notOk).toMatchObject({credential: 'failed', accepted: 'skipped'})
    expect(service.requests.map(({headers}) => headers.authorization)).toEqual(['Bearer none'])
  })

  it('warns about one that expires soon', async () => {
    const service = await serveForDoctor()
    const {code, notOk} = await runDoctor(freshHome(), {SVC_BASE_URL: service.url, SVC_ACCESS_TOKEN: createJwtFor(120)})
    expect({code, notOk}).toEqual({code: 12, notOk: {credential: 'warning'}})
  })

  it('runs a credential command, which renews what it prints', async () => {
    const home = freshHome()
    const service = await serveForDoctor()
    const token = createJwtFor(120)
    await login(home, 'acme', service.url, '', '--credential-command', `echo ${token}`)
    const {code, out, row} = await runDoctor(home)
    expect(code).toBe(0)
    expect(row('credential').found).toMatch(/^A JWT from the credential command, valid until /)
    expect(out).not.toContain(token)
  })

  it('reports a command that fails', async () => {
    const home = freshHome()
    const service = await serveForDoctor()
    const file = path.join(home.folder, 'token')
    fs.writeFileSync(file, 'opaque-token')
    await login(home, 'acme', service.url, '', '--credential-command', `cat ${file}`)
    fs.rmSync(file)
    const {code, row} = await runDoctor(home)
    expect(code).toBe(12)
    expect(row('credential')).toMatchObject({
      outcome: 'failed',
      found: 'The credential command of profile "acme" ended with code 1',
    })
  })
})

describe('doctor on the network', () => {
  const https = {SVC_BASE_URL: 'https://127.0.0.1:9', SVC_API_KEY: 'test-key'}

  it('reports what the client refuses to use', async () => {
    const {code, row} = await runDoctor(freshHome(), {...https, HTTPS_PROXY: 'socks5://127.0.0.1:9'})
    expect(code).toBe(12)
    expect(row('reachable').found).toContain('HTTPS_PROXY does not name a proxy that svc can use')
  })
})

describe('doctor on the sandbox', () => {
  it('reports a file that is not a sandbox', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'notes.txt')
    fs.writeFileSync(file, 'these are notes, and no database', {mode: 0o600})
    const {code, row} = await runDoctor(home, {SVC_SANDBOX_FILE: file}, '-p', 'sandbox')
    expect(code).toBe(12)
    expect(row('sandbox').found).toContain('is not a database')
    expect(row('reachable').outcome).toBe('skipped')
  })
})
