// svc login: a credential is checked before it is stored, and only the service ever sees it.
import fs from 'node:fs'
import {describe, expect, test} from 'vitest'
import {customer, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {
  serveOneKey,
  configFile,
  credentialsFile,
  isOneLine,
  hasStoredFiles,
  createJwtFor,
  login,
  buildLoginArgs,
  serveAnyKey,
  secret,
  readStoredSettings,
} from './logins.ts'

const organization = '11111111-1111-1111-1111-111111111111'

describe('svc login from a script', () => {
  test('checks the secret on standard input with one request, stores it, and the next command uses it', async () => {
    const service = await serveOneKey()
    const home = freshHome()
    const ended = await login(home, 'acme', service.url, `${secret}\n`)
    expect(ended).toMatchObject({code: 0})
    expect(service.requests.map(({method, path}) => `${method} ${path}`)).toEqual(['GET /customers'])
    expect(readStoredSettings(home)).toEqual({
      schemaVersion: 1,
      current: 'acme',
      profiles: {
        acme: {
          baseUrl: service.url,
          service: service.url,
          environment: 'live',
          credential: {kind: 'API_KEY', storedIn: 'file'},
        },
      },
    })
    const who = await run(home, ['whoami', '--json'])
    expect(json(who.out)).toMatchObject({profile: 'acme', source: 'profile', environment: 'live', baseUrl: service.url})
  })

  test('prints with --json what it stored, without the secret', async () => {
    const service = await serveOneKey()
    const {code, out} = await login(freshHome(), 'acme', service.url, secret, '--json')
    expect(code).toBe(0)
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
  })

  test('says who you are now and what you may do', async () => {
    const service = await serveOneKey()
    const home = freshHome()
    const {err} = await login(home, 'acme', service.url)
    expect(err).toBe(
      `You are now profile "acme" at ${service.url} (live), organization ${customer(1).organizationId}; you may read and write; what moves real money needs a yes.\n`,
    )
    expect((await login(home, 'acme', service.url, secret, '--read-only')).err).toContain(
      '; you may read, and write nothing.',
    )
  })

  test('prints nothing with --quiet', async () => {
    const service = await serveOneKey()
    expect(await login(freshHome(), 'acme', service.url, secret, '--quiet')).toEqual({code: 0, out: '', err: ''})
  })

  test('ends with 4 if the service refuses the secret, and stores nothing', async () => {
    const service = await serveOneKey()
    const home = freshHome()
    const {code, out, err} = await login(home, 'acme', service.url, 'sk_wrong')
    expect({code, out}).toEqual({code: 4, out: ''})
    expect(isOneLine(err)).toBe(true)
    expect(hasStoredFiles(home)).toBe(false)
  })

  test('asks a person whose secret is refused for another one, and for nothing else', async () => {
    const service = await serveOneKey()
    const home = freshHome()
    const screen = onTerminal(home, buildLoginArgs('acme', service.url), {cols: 200})
    await screen.waitFor('API key or token')
    screen.type('sk_wrong\r')
    await screen.waitFor('Type another one, or stop with Ctrl-C; nothing was stored.')
    expect(hasStoredFiles(home)).toBe(false)
    screen.type(`${secret}\r`)
    expect(await screen.ended).toBe(0)
    expect(readStoredSettings(home)).toMatchObject({current: 'acme'})
  })

  test('ends with 6 if nothing listens at the address, and stores nothing', async () => {
    const home = freshHome()
    const {code, err} = await login(home, 'acme', 'http://127.0.0.1:9', secret, '--timeout', '1s')
    expect(code).toBe(6)
    expect(isOneLine(err)).toBe(true)
    expect(hasStoredFiles(home)).toBe(false)
  })

  test.each([
    ['a web page', '<!doctype html><title>Hello</title>'],
    ['JSON that is no list of customers', '{"ok":true}'],
    ['half of a reply', '{"customers": ['],
  ])('ends with 6 if the address answers with %s, and stores nothing', async (_, body) => {
    const service = await serve((_asked, response) => reply(response, 200, body))
    const home = freshHome()
    const {code, err} = await login(home, 'acme', service.url)
    expect(code).toBe(6)
    expect(isOneLine(err)).toBe(true)
    expect(hasStoredFiles(home)).toBe(false)
  })

  test('names every missing flag at once', async () => {
    const home = freshHome()
    const {code, out, err} = await run(home, ['login'], {input: secret})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain('--base-url')
    expect(err).toContain('--live or --sandbox')
    expect(isOneLine(err)).toBe(true)
    expect(hasStoredFiles(home)).toBe(false)
  })

  test.each([
    ['nothing', ''],
    ['blanks alone', ' \n\t\n'],
    ['two lines', 'sk_one\nsk_two'],
    ['an escape sequence', 'sk_\u001B[31mred'],
    ['a character beyond ASCII', 'sk_schlüssel'],
    ['a NUL', 'sk_\0x'],
  ])('rejects a secret that is %s, sends nothing and does not repeat it', async (_, input) => {
    const service = await serveAnyKey()
    const home = freshHome()
    const {code, out, err} = await login(home, 'acme', service.url, input)
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(isOneLine(err)).toBe(true)
    expect(err).not.toContain('sk_')
    expect(service.requests).toEqual([])
    expect(hasStoredFiles(home)).toBe(false)
  })

  test.each([
    ['plain HTTP beyond loopback', 'http://api.example.com', /HTTPS/],
    ['a host that only begins like loopback', 'http://127.0.0.1.example.com', /HTTPS/],
    ['a user name and password', 'https://ada:hunter2@api.example.com', /password/],
    ['a password where no address is', 'ftp://ada:hunter2@api.example.com', /not an http/],
    ['a query', 'https://api.example.com/?a=b', /query/],
    ['a fragment', 'https://api.example.com/#a', /fragment/],
    ['no address', 'api dot example', /not an http/],
    ['nothing', ' ', /not an http/],
  ])('rejects a base URL with %s and repeats no password', async (_, url, why) => {
    const home = freshHome()
    const {code, err} = await login(home, 'acme', url)
    expect(code).toBe(2)
    expect(err).toMatch(why)
    expect(err).not.toContain('hunter2')
    expect(isOneLine(err)).toBe(true)
    expect(hasStoredFiles(home)).toBe(false)
  })

  test.each(['sandbox', '__proto__', '../../etc/passwd', 'a b', '', 'ä', '.hidden', 'x'.repeat(65), 'a\u001B[2Jb'])(
    'rejects the name %j',
    async (name) => {
      const service = await serveAnyKey()
      const home = freshHome()
      const {code, err} = await login(home, name, service.url)
      expect(code).toBe(2)
      expect(isOneLine(err)).toBe(true)
      expect(err).not.toContain('\u001B')
      expect(hasStoredFiles(home)).toBe(false)
    },
  )

  test.each(['constructor', 'toString', 'hasOwnProperty'])(
    'accepts the name %s, a property of every object, like any other',
    async (name) => {
      const service = await serveAnyKey()
      const home = freshHome()
      const command = `echo ${createJwtFor(3600)}`
      expect(await run(home, buildLoginArgs(name, service.url, '--credential-command', command))).toMatchObject({
        code: 0,
      })
      expect(await run(home, ['whoami', '-p', name])).toMatchObject({code: 0})
      expect(await run(home, ['profiles', 'remove', name])).toMatchObject({code: 0})
    },
  )

  test('rejects an expired token before anything is sent', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    const {code, err} = await login(home, 'acme', service.url, createJwtFor(-60))
    expect(code).toBe(4)
    expect(err).toContain('expired')
    expect(service.requests).toEqual([])
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

  test('accepts no secret as an argument', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    const {code} = await run(home, [...buildLoginArgs('acme', service.url), secret])
    expect(code).toBe(2)
    expect(service.requests).toEqual([])
  })
})

describe('A second svc login', () => {
  test('keeps the other settings and the current profile', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    await login(home, 'first', service.url)
    await login(home, 'acme', service.url, secret, '--organization', organization, '--read-only')
    const again = await run(home, ['login', '-p', 'acme', '--store', 'file'], {input: 'sk_new'})
    expect(again).toMatchObject({code: 0})
    expect(readStoredSettings(home).current).toBe('first')
    expect(readStoredSettings(home).profiles['acme']).toMatchObject({
      baseUrl: service.url,
      environment: 'live',
      organization,
      readOnly: true,
    })
    expect(service.requests.at(-1)?.headers.authorization).toBe('Bearer sk_new')
  })

  test('moves to another address only with --yes', async () => {
    const [from, to] = [await serveAnyKey(), await serveAnyKey()]
    const home = freshHome()
    await login(home, 'acme', from.url)
    const before = fs.readFileSync(configFile(home))
    const {code, err} = await login(home, 'acme', to.url)
    expect(code).toBe(2)
    expect(err).toContain('--yes')
    expect(to.requests).toEqual([])
    expect(fs.readFileSync(configFile(home))).toEqual(before)
    expect(await login(home, 'acme', to.url, secret, '--yes')).toMatchObject({code: 0})
    expect(readStoredSettings(home).profiles['acme']).toMatchObject({baseUrl: to.url})
  })

  test('deletes the token of an earlier credential command', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    const token = createJwtFor(3600)
    await run(home, buildLoginArgs('acme', service.url, '--credential-command', `echo ${token}`))
    await run(home, ['whoami'])
    expect(fs.readFileSync(credentialsFile(home), 'utf8')).toContain(token)
    await login(home, 'acme', service.url)
    expect(fs.readFileSync(credentialsFile(home), 'utf8')).not.toContain(token)
  })
})

describe('svc login on a terminal', () => {
  test('asks for what is missing, and never shows the secret on the screen', async () => {
    const service = await serveOneKey()
    const home = freshHome()
    const screen = onTerminal(home, ['login', '-p', 'acme', '--store', 'file'])
    await screen.waitFor('Base URL of the service')
    screen.type(`${service.url}\r`)
    await screen.waitFor('Is this live')
    screen.type('\r')
    await screen.waitFor('API key or token')
    screen.type(secret)
    screen.type('\r')
    expect(await screen.ended).toBe(0)
    expect(screen.raw()).not.toContain(secret)
    expect(screen.raw()).not.toContain(secret.slice(0, 6))
    expect(readStoredSettings(home).profiles['acme']).toMatchObject({baseUrl: service.url, environment: 'live'})
  })

  test('ends with 130 on Ctrl-C at the secret, stores nothing and restores the cursor', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    const screen = onTerminal(home, buildLoginArgs('acme', service.url))
    await screen.waitFor('API key or token')
    screen.type('sk_half')
    screen.type('\u0003')
    expect(await screen.ended).toBe(130)
    expect(screen.raw()).not.toContain('sk_half')
    expect(screen.raw().lastIndexOf('\u001B[?25h')).toBeGreaterThanOrEqual(screen.raw().lastIndexOf('\u001B[?25l'))
    expect(hasStoredFiles(home)).toBe(false)
    expect(service.requests).toEqual([])
  })

  test('asks nothing with --no-input and names the secret as missing', async () => {
    const screen = onTerminal(freshHome(), ['login', '--no-input'], {cols: 200})
    expect(await screen.ended).toBe(2)
    expect(screen.text()).toMatch(/--base-url.*--live or --sandbox.*standard input/)
  })
})
