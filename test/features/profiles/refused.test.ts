// What cannot be a login, a caller or a credential: refused in one sentence that repeats no secret, before anything is sent or stored.
import {expect, test} from 'vitest'
import {freshHome, run} from '../../support/svc.ts'
import {
  buildLoginArgs,
  configFile,
  createJwtFor,
  hasStoredFiles,
  isOneLine,
  secret,
  serveAnyKey,
  writeSettingsFile,
} from './logins.ts'

interface Refused {
  args?: string[]
  env?: Record<string, string>
  input?: string
  // A profile acme with this credential command is the current one.
  command?: string
  code?: number
  words: string | RegExp
}

const address = {SVC_BASE_URL: 'https://api.example.com'}
const asCommand = (command: string, words: string, code = 4): Refused => ({command, words, code})
const asSecret = (input: string): Refused => ({
  args: buildLoginArgs('acme', 'URL'),
  input,
  words: /standard input|credential/i,
})
const asUrl = (url: string, words: RegExp): Refused => ({args: buildLoginArgs('acme', url), input: secret, words})
const asName = (name: string): Refused => ({args: buildLoginArgs(name, 'URL'), input: secret, words: /name/})
const logOut = (flags: string[], words: string, code = 2, env = {}): Refused => ({
  args: ['logout', ...flags],
  words,
  code,
  env,
})

const refused: Record<string, Refused> = {
  'a key without an address': {env: {SVC_API_KEY: secret}, words: 'SVC_BASE_URL'},
  'a token without an address': {env: {SVC_ACCESS_TOKEN: secret}, words: 'SVC_BASE_URL'},
  'a key and a token': {env: {...address, SVC_API_KEY: secret, SVC_ACCESS_TOKEN: 'b'}, words: 'SVC_ACCESS_TOKEN'},
  'a key of blanks': {env: {...address, SVC_API_KEY: '  '}, words: 'SVC_API_KEY'},
  'a key with a line break': {env: {...address, SVC_API_KEY: `${secret}\nx`}, words: 'SVC_API_KEY'},
  'an address in the clear': {
    env: {SVC_API_KEY: secret, SVC_BASE_URL: 'http://api.example.com'},
    words: 'SVC_BASE_URL',
  },
  'an expired token in the environment': {
    env: {SVC_BASE_URL: 'URL', SVC_ACCESS_TOKEN: createJwtFor(-5)},
    code: 4,
    words: 'expired',
  },
  'no profile': {code: 4, words: /-p sandbox.*svc login/},
  'a profile that is almost called sandbox': {args: ['customers', 'list', '-p', 'Sandbox'], words: 'sandbox'},
  'an unknown profile to use': {args: ['profiles', 'use', 'nobody'], words: 'sandbox'},
  'an unknown profile to show': {args: ['profiles', 'show', 'nobody'], words: 'sandbox'},
  'a live profile to svc sandbox': {args: ['sandbox', 'status', '-p', 'acme'], command: 'echo k', words: 'acts on'},
  'the sandbox to remove': {args: ['profiles', 'remove', 'sandbox'], words: 'sandbox'},

  'a login without flags': {args: ['login'], input: secret, words: /--base-url.*--live or --sandbox/},
  'a secret as an argument': {args: [...buildLoginArgs('acme', 'URL'), secret], words: 'takes no arguments'},
  'an expired token at login': {
    args: buildLoginArgs('acme', 'URL'),
    input: createJwtFor(-60),
    code: 4,
    words: 'expired',
  },
  'a command that fails at login': {
    args: buildLoginArgs('acme', 'URL', '--credential-command', 'exit 3'),
    code: 4,
    words: 'ended with code 3',
  },
  'no secret': asSecret(''),
  'a secret of blanks': asSecret(' \n\t\n'),
  'a secret of two lines': asSecret('sk_one\nsk_two'),
  'a secret with an escape sequence': asSecret('sk_\u001B[31mred'),
  'a secret beyond ASCII': asSecret('sk_schlüssel'),
  'a secret with a NUL': asSecret('sk_\0x'),
  'plain HTTP beyond loopback': asUrl('http://api.example.com', /HTTPS/),
  'plain HTTP to a name that only begins like localhost': asUrl('http://localhost.example.com', /HTTPS/),
  'plain HTTP to every address': asUrl('http://0.0.0.0:1', /HTTPS/),
  'a host that only begins like loopback': asUrl('http://127.0.0.1.example.com', /HTTPS/),
  'an address with a password': asUrl('https://ada:hunter2@api.example.com', /password/),
  'a password where no address is': asUrl('ftp://ada:hunter2@api.example.com', /not an http/),
  'an address with a query': asUrl('https://api.example.com/?a=b', /query/),
  'an address with a fragment': asUrl('https://api.example.com/#a', /fragment/),
  'no address': asUrl('api dot example', /not an http/),
  'a blank address': asUrl(' ', /not an http/),
  ...Object.fromEntries(
    ['sandbox', '__proto__', '../../etc/passwd', 'a b', '', 'ä', '.hidden', 'x'.repeat(65), 'a\u001B[2Jb'].map(
      (name) => [`a profile called ${JSON.stringify(name)}`, asName(name)],
    ),
  ),

  'a logout of the sandbox': logOut(['-p', 'sandbox'], 'no credential to forget'),
  'a logout of an unknown profile': logOut(['-p', 'nobody'], 'There is no profile "nobody"'),
  'a logout of nobody': logOut([], 'No profile is set up', 4),
  'a logout of the environment': logOut([], 'comes from SVC_API_KEY', 2, {...address, SVC_API_KEY: 'k'}),

  'an expired token of a command': asCommand(`echo ${createJwtFor(-5)}`, 'expired'),
  'a command that fails': asCommand('echo sk_half; exit 7', 'ended with code 7'),
  'a command that is not there': asCommand('no-such-command-anywhere 2>/dev/null', 'ended with code 127'),
  'a command that is killed': asCommand('kill -9 $$', 'SIGKILL'),
  'a command that prints nothing': asCommand('true', 'is empty', 2),
  'a command that prints two lines': asCommand('echo sk_a; echo sk_b', 'no credential has', 2),
  'a command that prints binary': asCommand(String.raw`printf 'sk_\001\377'`, 'no credential has', 2),
  'a command that prints too much': asCommand(
    "head -c 2000000 /dev/zero | tr '\\0' a 2>/dev/null",
    'more than a token',
  ),
  'a command that cannot be started': asCommand('echo \0', 'could not be started'),
}

test.each(Object.entries(refused))('%s is refused', async (_, {args = ['customers', 'list'], ...row}) => {
  const service = await serveAnyKey()
  const home = freshHome()
  if (row.command !== undefined) {
    const acme = {baseUrl: service.url, environment: 'live', credential: {kind: 'COMMAND', command: row.command}}
    writeSettingsFile(configFile(home), {schemaVersion: 1, current: 'acme', profiles: {acme}})
  }
  const fill = (text: string) => text.replace('URL', service.url)
  const env = Object.fromEntries(Object.entries(row.env ?? {}).map(([name, value]) => [name, fill(value)]))
  const {code, out, err} = await run(home, args.map(fill), {env, ...(row.input !== undefined && {input: row.input})})
  expect({code, out}).toEqual({code: row.code ?? 2, out: ''})
  expect(err).toMatch(row.words)
  expect(isOneLine(err)).toBe(true)
  for (const text of ['sk_', 'hunter2', '\u001B', 'eyJ']) expect(err).not.toContain(text)
  expect(service.requests).toEqual([])
  if (row.command === undefined) expect(hasStoredFiles(home)).toBe(false)
})
