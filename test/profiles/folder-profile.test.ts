// The profile of a folder: where .svc.json is looked for, what it beats, and what is refused.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, test} from 'vitest'
import {type Home, freshHome, json, run} from '../support/svc.ts'
import {isOneLine, writeSettingsFile, configFile} from './logins.ts'

const acme = {baseUrl: 'https://api.example.com', environment: 'live', credential: {kind: 'API_KEY', storedIn: 'file'}}

function createFolder(home: Home, ...names: string[]): string {
  const folder = path.join(home.folder, ...names)
  fs.mkdirSync(folder, {recursive: true})
  return folder
}

const choose = (folder: string, content: unknown) =>
  fs.writeFileSync(path.join(folder, '.svc.json'), typeof content === 'string' ? content : JSON.stringify(content))

function homeWithProfiles(): Home {
  const home = freshHome()
  writeSettingsFile(configFile(home), {schemaVersion: 1, current: 'acme', profiles: {acme}})
  return home
}

describe('A folder with .svc.json', () => {
  test('chooses the profile in it and below it, before the current one, and whoami says so', async () => {
    const home = homeWithProfiles()
    const shop = createFolder(home, 'work', 'shop')
    choose(path.dirname(shop), {profile: 'sandbox'})
    const file = path.join(fs.realpathSync(path.dirname(shop)), '.svc.json')
    const {code, out} = await run(home, ['whoami', '--json'], {cwd: shop})
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({profile: 'sandbox', source: 'profile', chosenBy: file})
    const listed = await run(home, ['profiles', 'list'], {cwd: shop})
    expect(listed.err).toBe(`"sandbox" is in use here, chosen by ${file}.\n`)
    expect(listed.out).toMatch(/^ +acme +live/m)
    expect(listed.out).toMatch(/^\* +sandbox +sandbox/m)
    const shown = await run(home, ['profiles', 'show', '--columns', 'name'], {cwd: shop})
    expect(shown.out).toContain('sandbox')
    const used = await run(home, ['profiles', 'use', 'acme'], {cwd: shop})
    expect(used.err).toBe(`In this folder and shell, ${file} still comes first.\n`)
    const doctor = await run(home, ['doctor'], {cwd: shop})
    expect(doctor.out).toContain(`Profile "sandbox", sandbox, chosen by ${file}`)
    // The nearest file decides.
    choose(shop, {profile: 'acme'})
    expect(json((await run(home, ['profiles', 'show', '--json'], {cwd: shop})).out)['name']).toBe('acme')
  })

  test('is beaten by --profile, SVC_PROFILE and a credential in the environment, whatever it holds', async () => {
    const home = homeWithProfiles()
    choose(home.folder, {apiKey: 'sk_live_4f9d1c7e2b'})
    const byFlag = await run(home, ['whoami', '-p', 'sandbox', '--json'])
    expect(json(byFlag.out)).toMatchObject({profile: 'sandbox', chosenBy: '--profile'})
    const byVariable = await run(home, ['whoami', '--json'], {env: {SVC_PROFILE: 'sandbox'}})
    expect(json(byVariable.out)).toMatchObject({profile: 'sandbox', chosenBy: 'SVC_PROFILE'})
    const env = {SVC_API_KEY: 'test-key', SVC_BASE_URL: 'http://127.0.0.1:9'}
    const listed = await run(home, ['profiles', 'list'], {env})
    expect(listed.err).toBe('No profile is in use here: SVC_API_KEY is set.\n')
  })

  test('is looked for up to the home folder and not above it', async () => {
    const home = freshHome()
    const inner: Home = {folder: createFolder(home, 'inner'), env: {...home.env, HOME: path.join(home.folder, 'inner')}}
    choose(home.folder, {profile: 'sandbox'})
    expect(await run(inner, ['whoami'])).toMatchObject({code: 4, out: ''})
    const outside = createFolder(home, 'outside', 'deep')
    expect(await run(inner, ['whoami', '--quiet'], {cwd: outside})).toMatchObject({code: 0})
  })

  const isNot = 'is not {"profile": "NAME"}'

  test.each([
    ['an address', {profile: 'sandbox', baseUrl: 'https://evil.example.com'}, isNot],
    ['a key', {apiKey: 'sk_live_4f9d1c7e2b', profile: 'sandbox'}, isNot],
    ['a key as a name', {profile: 'sandbox', sk_live_4f9d1c7e2b: ''}, isNot],
    ['an inherited name', '{"profile": "sandbox", "__proto__": {}}', isNot],
    ['a profile twice', '{"profile": "acme", "profile": "sandbox"}', isNot],
    ['no profile', {}, isNot],
    ['an empty name', {profile: ''}, isNot],
    ['another type', {profile: ['sandbox']}, isNot],
    ['a list', '["sandbox"]', isNot],
    ['null', 'null', isNot],
    ['no JSON', 'profile: sandbox', isNot],
    ['too much', `{"profile": "sandbox"${' '.repeat(5000)}}`, 'is larger than 4096 bytes'],
    ['an unknown profile', {profile: 'nobody'}, 'names the profile "nobody", which does not exist'],
    ['the name of what every object has', {profile: 'constructor'}, 'which does not exist'],
  ])('is refused with 2 if it holds %s, and nothing is sent', async (_, content, problem) => {
    const home = homeWithProfiles()
    choose(home.folder, content)
    const {code, out, err} = await run(home, ['customers', 'list'])
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(isOneLine(err)).toBe(true)
    expect(err).toContain(problem)
    expect(err).not.toContain('sk_live')
    // A person can still see the profiles, and is told why.
    const listed = await run(home, ['profiles', 'list'])
    expect(listed.code).toBe(0)
    expect(listed.err).toContain(problem)
  })

  test('is refused if it is a link, a pipe, a folder, unreadable in its place, or writable by everybody', async () => {
    const home = homeWithProfiles()
    const file = path.join(home.folder, '.svc.json')
    const refuse = async (problem: string) => {
      const {code, err} = await run(home, ['customers', 'list'])
      expect({code, err}).toEqual({code: 2, err: expect.stringContaining(problem) as string})
      fs.rmSync(file, {recursive: true})
    }
    fs.writeFileSync(path.join(home.folder, 'real.json'), '{"profile": "sandbox"}')
    fs.symlinkSync('real.json', file)
    await refuse('is not a regular file')
    execFileSync('mkfifo', [file])
    await refuse('is not a regular file')
    fs.mkdirSync(file)
    await refuse('is not a regular file')
    choose(home.folder, {profile: 'sandbox'})
    fs.chmodSync(file, 0o666)
    await refuse('can be written by every user')
  })

  test.runIf(process.getuid?.() === 0)('is refused if it belongs to another user', async () => {
    const home = homeWithProfiles()
    choose(home.folder, {profile: 'sandbox'})
    fs.chownSync(path.join(home.folder, '.svc.json'), 1234, 1234)
    const {code, err} = await run(home, ['customers', 'list'])
    expect({code, err}).toEqual({code: 2, err: expect.stringContaining('belongs to another user') as string})
  })
})
