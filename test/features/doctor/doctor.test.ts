// What doctor finds on this machine and at the service: every problem is a row and code 12, and the other checks still run.
import fs from 'node:fs'
import type http from 'node:http'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {closedAddress} from '../../client/raw-service.ts'
import {configFile, createJwtFor, credentialsFile, login, writeSettingsFile} from '../profiles/logins.ts'
import {reply, serve} from '../../support/service.ts'
import {type Home, freshHome, json} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {runDoctor} from './doctor-run.ts'

// A service with no customers, or one that answers in its own way.
const serveForDoctor = (answer?: (response: http.ServerResponse) => void) =>
  serve((_, response) => {
    answer?.(response)
    if (!response.writableEnded) reply(response, 200, {customers: []})
  })

type Found = [check: string, outcome: string, words?: string | RegExp]

interface Sick {
  prepare?: (home: Home) => void
  env?: Record<string, string>
  flags?: string[]
  answer?: (response: http.ServerResponse) => void
  // The first is what is wrong; all that is not named is ok.
  finds: [Found, ...Found[]]
}

const refuse = (status: number, error: string, message: string) => (response: http.ServerResponse) =>
  reply(response, status, {error, message, statusCode: status})
const skipped = (...checks: string[]) => checks.map((check): Found => [check, 'skipped'])
const service = ['reachable', 'clock', 'accepted']
const ofProfile = ['credential', 'policy', 'journal', 'notify', ...service]
const sandbox = ['-p', 'sandbox']
const noProfile = (words: string): [Found, ...Found[]] => [['profile', 'failed', words], ...skipped(...ofProfile)]
const withClock = (aheadMs: number) => (response: http.ServerResponse) =>
  void response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
const minute = 60_000

const sick: Record<string, Sick> = {
  // The settings have the limits of every profile, so without readable settings no profile can be used.
  'a damaged file of settings': {
    prepare: (home) => writeSettingsFile(configFile(home), '{"profiles": '),
    flags: sandbox,
    finds: [['settings', 'failed', 'is not valid JSON'], ['profile', 'failed'], ...skipped(...ofProfile)],
  },
  'secrets that cannot be read': {
    prepare: (home) => writeSettingsFile(credentialsFile(home), '[]'),
    flags: sandbox,
    finds: [['settings', 'failed', 'is damaged'], ...skipped('clock')],
  },
  'no profile': {env: {}, finds: noProfile('No profile is set up and none was named')},
  'an unknown profile': {env: {SVC_PROFILE: 'gone'}, finds: noProfile('There is no profile "gone"')},
  'a key and a token': {env: {SVC_API_KEY: 'k', SVC_ACCESS_TOKEN: 't'}, finds: noProfile('are both set')},
  'an expired token': {
    env: {SVC_BASE_URL: 'URL', SVC_ACCESS_TOKEN: createJwtFor(-60)},
    finds: [['credential', 'failed', /^The token of the environment expired at /], ...skipped('accepted')],
  },
  'a token that expires soon': {
    env: {SVC_BASE_URL: 'URL', SVC_ACCESS_TOKEN: createJwtFor(120)},
    finds: [['credential', 'warning']],
  },
  'a proxy that svc cannot use': {
    env: {SVC_BASE_URL: 'https://127.0.0.1:9', SVC_API_KEY: 'test-key', HTTPS_PROXY: 'socks5://127.0.0.1:9'},
    finds: [['reachable', 'failed', 'HTTPS_PROXY does not name a proxy'], ...skipped('clock', 'accepted')],
  },
  'a file that is not a sandbox': {
    prepare: ({folder}) => fs.writeFileSync(path.join(folder, 'notes'), 'these are no database', {mode: 0o600}),
    env: {SVC_SANDBOX_FILE: 'FOLDER/notes'},
    flags: sandbox,
    finds: [['sandbox', 'failed', 'is not a database'], ['policy', 'failed'], ...skipped(...service)],
  },
  'a service that cannot be reached': {
    env: {SVC_BASE_URL: closedAddress, SVC_API_KEY: 'test-key'},
    finds: [['reachable', 'failed', 'refused the connection'], ...skipped('clock', 'accepted')],
  },
  'a web page, even with status 200': {
    answer: (response) => reply(response, 200, '<html>Welcome</html>'),
    finds: [['reachable', 'failed', 'a web page instead of JSON'], ...skipped('accepted')],
  },
  'a service that fails, without another try': {
    answer: refuse(503, 'DOWN', 'Later.'),
    finds: [['reachable', 'failed', '503 DOWN'], ...skipped('accepted')],
  },
  'a refused credential, of a service that is reachable': {
    answer: refuse(401, 'UNAUTHORIZED', 'No such key test-key.'),
    finds: [['accepted', 'failed', 'refused the credential of the environment']],
  },
  'the address of another service': {answer: refuse(404, 'NOT_FOUND', ''), finds: [['accepted', 'failed']]},
  'a clock that is behind': {
    answer: withClock(2 * minute),
    finds: [['clock', 'warning', /is (2 min|1 min 5\d s) behind/]],
  },
  'a clock that is ahead': {
    answer: withClock(-2 * minute),
    finds: [['clock', 'warning', /is (2 min|1 min 5\d s) ahead of/]],
  },
  'a clock that is far behind': {
    answer: withClock(60 * minute),
    finds: [['clock', 'failed', /is (1 h|59 min 5\d s) behind/]],
  },
}

describe('svc doctor', () => {
  useVirtualTime()

  it.each(Object.entries(sick))('finds %s', async (_, {prepare, env, flags = [], answer, finds}) => {
    const home = freshHome()
    prepare?.(home)
    const {url, env: own, requests} = await serveForDoctor(answer)
    const filled = Object.entries(env ?? (flags.length > 0 ? {} : own)).map(([name, value]) => [
      name,
      value.replace('URL', url).replace('FOLDER', home.folder),
    ])
    const {code, err, out, healthy, notOk, row} = await runDoctor(
      home,
      Object.fromEntries(filled) as Record<string, string>,
      ...flags,
    )
    expect({code, healthy}).toEqual({code: 12, healthy: false})
    expect(json(err)).toMatchObject({error: 'UNHEALTHY', exitCode: 12})
    expect(notOk).toEqual(Object.fromEntries(finds))
    const [check, , words = ''] = finds[0]
    expect(row(check).found).toMatch(words)
    expect(row(check)).toHaveProperty('next')
    expect(out).not.toMatch(/test-key|eyJ/)
    expect(requests.length).toBeLessThanOrEqual(1)
    // A credential that cannot be used is not sent, and the clocks are still compared.
    if (check === 'credential' && notOk['credential'] === 'failed') {
      expect(requests.map(({headers}) => headers.authorization)).toEqual(['Bearer none'])
    }
  })

  it.each(['--request-timeout', '--timeout'])(
    'waits once for a service that is silent, as long as %s says',
    async (flag) => {
      const silent = await serve(() => {})
      const startedMs = performance.now()
      const {code, row} = await runDoctor(freshHome(), silent.env, flag, '1s')
      expect(code).toBe(12)
      expect(row('reachable').next).toContain(`allow more with ${flag}`)
      expect(silent.requests).toHaveLength(1)
      // Far below the 30 s that a request may take, and far above what a loaded machine needs.
      expect(performance.now() - startedMs).toBeLessThan(15_000)
    },
  )

  it.each([
    ['no date', (response: http.ServerResponse) => void (response.sendDate = false)],
    ['a date that is none', (response: http.ServerResponse) => void response.setHeader('date', 'soon')],
  ])('compares no clocks if the service sends %s', async (_, answer) => {
    const {code, notOk} = await runDoctor(freshHome(), (await serveForDoctor(answer)).env)
    expect({code, notOk}).toEqual({code: 0, notOk: {clock: 'skipped'}})
  })

  it('names where a credential is stored or comes from, never the credential, and sends only reads', async () => {
    const well = await serveForDoctor()
    const home = freshHome()
    const token = createJwtFor(120)
    const file = path.join(home.folder, 'token')
    fs.writeFileSync(file, token)
    await login(home, 'acme', well.url, 'sk_live_very_secret')
    await login(home, 'other', well.url, '', '--credential-command', `cat ${file}`)
    for (const [name, found] of [
      ['acme', `An API key in ${credentialsFile(home)}`],
      ['other', expect.stringMatching(/^A JWT from the credential command, valid until /) as string],
    ] as const) {
      const {code, healthy, out, err, row} = await runDoctor(home, {}, '-p', name)
      expect({code, healthy, err}).toEqual({code: 0, healthy: true, err: ''})
      expect(row('profile').found).toBe(`Profile "${name}", live`)
      expect(row('credential').found).toEqual(found)
      for (const secret of [token, 'very_secret']) expect(out).not.toContain(secret)
    }
    expect(new Set(well.requests.map(({method}) => method))).toEqual(new Set(['GET']))
    fs.rmSync(file)
    fs.rmSync(credentialsFile(home))
    const {row} = await runDoctor(home, {}, '-p', 'other')
    expect(row('credential').found).toBe('The credential command of profile "other" ended with code 1')
  })
})

it('svc doctor shows on a terminal what it waits for, and can be stopped', async () => {
  const silent = await serve(() => {})
  const screen = onPty(freshHome(), ['doctor'], {env: silent.env})
  await screen.waitFor('Checking reachable…')
  screen.type('\u0003')
  expect(await screen.ended).toBe(130)
})
