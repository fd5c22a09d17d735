// The files of the profiles: private whatever the umask, never damaged or lost, and rejected if they are invalid.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {installCommands, runBash} from '../../support/shell.ts'
import {payment} from '../../support/payments.ts'
import {type Home, bin, freshHome, json, run} from '../../support/svc.ts'
import {canMount, runUnwritable} from '../../support/unwritable.ts'
import {
  configFile,
  credentialsFile,
  isOneLine,
  login,
  buildLoginArgs,
  getMode,
  serveAnyKey,
  writeSettingsFile,
  secret,
  readStoredSettings,
} from './logins.ts'

const folderOf = (home: Home) => path.dirname(configFile(home))

// A profile and its secret, written without `svc login`.
const settings = (more: object = {}) => ({
  schemaVersion: 1,
  current: 'acme',
  profiles: {
    acme: {baseUrl: 'https://api.example.com', environment: 'live', credential: {kind: 'API_KEY', storedIn: 'file'}},
  },
  ...more,
})
const secrets = {schemaVersion: 1, secrets: {acme: secret}, tokens: {}}

describe('The stored files', () => {
  test.each(['000', '0777'])('are 0600 in a folder of 0700 under umask %s', async (umask) => {
    const service = await serveAnyKey()
    const home = freshHome()
    const line = `umask ${umask}; echo ${secret} | svc ${buildLoginArgs('acme', service.url).join(' ')}`
    expect(await runBash(await installCommands(home), line)).toMatchObject({code: 0})
    expect(getMode(folderOf(home))).toBe('700')
    const files = fs.readdirSync(folderOf(home)).filter((name) => fs.statSync(path.join(folderOf(home), name)).isFile())
    expect(files).toEqual(expect.arrayContaining(['config.json', 'credentials.json']))
    for (const file of files) expect([file, getMode(path.join(folderOf(home), file))]).toEqual([file, '600'])
  })

  test('become 0600 if they had open modes before, and their folder keeps its mode', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    writeSettingsFile(configFile(home), settings(), 0o644)
    writeSettingsFile(credentialsFile(home), secrets, 0o644)
    fs.chmodSync(folderOf(home), 0o755)
    expect(await login(home, 'second', service.url)).toMatchObject({code: 0})
    expect([folderOf(home), configFile(home), credentialsFile(home)].map(getMode)).toEqual(['755', '600', '600'])
    expect(Object.keys(readStoredSettings(home).profiles)).toEqual(['acme', 'second'])
  })
})

const withProfile = (more: object) => settings({profiles: {acme: {...settings().profiles.acme, ...more}}})

const damaged: Record<string, unknown> = {
  'no JSON': 'this is not JSON {',
  'JSON that breaks off': JSON.stringify(settings()).slice(0, -20),
  nothing: '',
  'a list': '[]',
  null: 'null',
  'an object without its version': {profiles: {}},
  'a newer schema': settings({schemaVersion: 2, somethingNew: true}),
  'profiles that are a list': settings({profiles: []}),
  'a profile that is a number': settings({profiles: {acme: 5}}),
  'an address that is a number': withProfile({baseUrl: 7}),
  'an unknown environment': withProfile({environment: 'prod'}),
  'a mark that is a string': withProfile({readOnly: 'false'}),
  'a current profile that is a number': settings({current: 1}),
}

const readers = [['whoami'], ['profiles', 'list'], ['profiles', 'show'], ['customers', 'list']]
const writers = [
  ['profiles', 'use', 'sandbox'],
  ['profiles', 'remove', 'acme'],
]

// Every command that reads the file must reject it in one sentence that names it, and leave it unchanged.
async function expectRefusal(home: Home, file: string, commands: ReadonlyArray<readonly string[]>, input?: string) {
  const isFile = fs.statSync(file).isFile()
  const before = isFile ? fs.readFileSync(file) : undefined
  for (const args of commands) {
    const {code, out, err} = await run(home, args, input === undefined ? {} : {input})
    expect({args, code, out}).toEqual({args, code: 2, out: ''})
    expect(err).toContain(file)
    expect(isOneLine(err)).toBe(true)
  }
  if (before) expect(fs.readFileSync(file)).toEqual(before)
}

describe('A settings file with', () => {
  test.each(Object.entries(damaged))('%s is refused by every command and left as it is', async (_, content) => {
    const home = freshHome()
    writeSettingsFile(configFile(home), content)
    writeSettingsFile(credentialsFile(home), secrets)
    await expectRefusal(home, configFile(home), [...readers, ...writers])
    await expectRefusal(home, configFile(home), [buildLoginArgs('acme', 'https://127.0.0.1:9')], secret)
    expect(JSON.parse(fs.readFileSync(credentialsFile(home), 'utf8'))).toEqual(secrets)
  })

  test('null for a profile counts as without the profile', async () => {
    const home = freshHome()
    writeSettingsFile(configFile(home), settings({current: null, profiles: {...settings().profiles, gone: null}}))
    const {code, out} = await run(home, ['profiles', 'list', '--json'])
    expect(code).toBe(0)
    expect((JSON.parse(out) as {profiles: {name: string}[]}).profiles.map(({name}) => name)).toEqual([
      'acme',
      'sandbox',
    ])
  })
})

test.each([
  ['no JSON', '{{{'],
  ['a newer schema', {...secrets, schemaVersion: 99}],
  ['a secret that is a number', {...secrets, secrets: {acme: 5}}],
])('A secrets file with %s is rejected and left as it is, and so are the profiles', async (_, content) => {
  const service = await serveAnyKey()
  const home = freshHome()
  writeSettingsFile(configFile(home), settings())
  writeSettingsFile(credentialsFile(home), content)
  const profiles = fs.readFileSync(configFile(home))
  await expectRefusal(home, credentialsFile(home), [['whoami'], ['customers', 'list'], ['profiles', 'remove', 'acme']])
  await expectRefusal(home, credentialsFile(home), [buildLoginArgs('new', service.url)], secret)
  expect(fs.readFileSync(configFile(home))).toEqual(profiles)
})

describe('A settings file that cannot be read', () => {
  test('because it is a folder, or a link to itself or to nothing, is named and left as it is', async () => {
    const home = freshHome()
    fs.mkdirSync(configFile(home), {recursive: true})
    await expectRefusal(home, configFile(home), [...readers, ...writers])
    expect(fs.statSync(configFile(home)).isDirectory()).toBe(true)
    fs.rmdirSync(configFile(home))
    for (const target of [configFile(home), path.join(home.folder, 'gone')]) {
      fs.symlinkSync(target, configFile(home))
      const {code, err} = await run(home, ['profiles', 'use', 'sandbox'])
      expect([code, err]).toEqual([2, expect.stringContaining(configFile(home))])
      expect([fs.lstatSync(configFile(home)).isSymbolicLink(), fs.existsSync(target)]).toEqual([true, false])
      fs.rmSync(configFile(home))
    }
  })

  test.each(['a file', '/proc/nope', '/dev/null/svc'])(
    'because its folder is %s is said in one sentence',
    async (name) => {
      const home = freshHome()
      const folder = path.resolve(home.folder, name)
      if (name === 'a file') fs.writeFileSync(folder, '')
      const {code, err} = await run(home, ['profiles', 'use', 'sandbox'], {env: {SVC_CONFIG_DIR: folder}})
      expect({code, isOneLine: isOneLine(err)}).toEqual({code: 2, isOneLine: true})
      expect(err).toContain(folder)
    },
  )
})

describe.skipIf(!canMount)('A full disk is named by a command that', () => {
  test.each([
    ['changes which profile is used', ['profiles', 'use', 'sandbox']],
    ['changes a limit', ['profiles', 'set', 'sandbox', '--payment-max', 'USDC=1']],
    ['removes a profile', ['profiles', 'remove', 'acme']],
    ['makes the sandbox', ['sandbox', 'clock', 'freeze']],
    ['makes the journal', [...payment('rent', '5'), '-p', 'sandbox'], 'box.sqlite'],
  ])('%s', async (_, args, sandboxFile?: string) => {
    const home = freshHome()
    writeSettingsFile(configFile(home), settings())
    const env = {...(sandboxFile && {SVC_SANDBOX_FILE: path.join(home.folder, sandboxFile)})}
    const {code, out, err} = await runUnwritable('full disk', home, folderOf(home), [...args, '--json'], env)
    expect({code, out}).toEqual({code: 2, out: ''})
    const {message, hint} = json(err)
    expect([message, hint]).toEqual([expect.stringContaining('the disk is full'), expect.stringContaining('Make room')])
  })
})

describe('Concurrent logins', () => {
  test('ten at once with ten names all succeed', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    const names = Array.from({length: 10}, (_, index) => `p${index}`)
    const ended = await Promise.all(names.map((name) => login(home, name, service.url, `sk_${name}`)))
    expect(ended.map(({code}) => code)).toEqual(names.map(() => 0))
    expect(Object.keys(readStoredSettings(home).profiles).toSorted()).toEqual(names)
    const stored = JSON.parse(fs.readFileSync(credentialsFile(home), 'utf8')) as {secrets: Record<string, string>}
    expect(stored.secrets).toEqual(Object.fromEntries(names.map((name) => [`${name} at ${service.url}`, `sk_${name}`])))
  })

  test('lose nothing that svc profiles set changes at the same time, nor it of theirs', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    await login(home, 'acme', service.url)
    const organization = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
    const ended = await Promise.all([
      run(home, ['profiles', 'set', 'acme', '--payment-max', 'USDC=5']),
      login(home, 'acme', service.url, `${secret}2`, '--organization', organization),
      run(home, ['profiles', 'set', 'acme', '--read-only']),
      run(home, ['logout', '-p', 'acme']),
    ])
    expect(ended.map(({code}) => code)).toEqual([0, 0, 0, 0])
    const limits = {paymentMax: {USDC: '5'}}
    expect(readStoredSettings(home).profiles['acme']).toMatchObject({organization, limits, readOnly: true})
  })

  test('one that is killed at any moment leaves complete files with the earlier profiles', async () => {
    const service = await serveAnyKey()
    const home = freshHome()
    await login(home, 'first', service.url)
    const {profiles} = readStoredSettings(home)
    for (let round = 0; round < 12; round++) {
      const child = spawn(process.execPath, [bin, ...buildLoginArgs(`victim${round}`, service.url)], {env: home.env})
      child.stdin.on('error', () => {})
      child.stdin.end(secret)
      const ended = new Promise((resolve) => child.on('close', resolve))
      // svc writes after the service has answered, so most kills happen then.
      const countBefore = service.requests.length
      while (service.requests.length === countBefore && child.exitCode === null)
        await new Promise((next) => setTimeout(next, 1))
      await new Promise((next) => setTimeout(next, round * 6))
      child.kill('SIGKILL')
      await ended
      expect(readStoredSettings(home).profiles['first']).toEqual(profiles['first'])
      expect(JSON.parse(fs.readFileSync(credentialsFile(home), 'utf8'))).toMatchObject({
        secrets: {[`first at ${service.url}`]: secret},
      })
    }
    expect(await login(home, 'last', service.url)).toMatchObject({code: 0})
    expect(readStoredSettings(home).profiles).toHaveProperty('last')
  })
})
