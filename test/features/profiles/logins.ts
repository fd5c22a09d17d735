// Shared by the tests of profiles: a service that accepts one key, a login from a script, tokens, and the stored files.
import fs from 'node:fs'
import path from 'node:path'
import {customer, reply, serve} from '../../support/service.ts'
import {type Home, run} from '../../support/svc.ts'

export const secret = 'sk_live_4f9d1c7e2b'

// A service with one customer that accepts one key and refuses all others.
export const serveOneKey = (known = secret) =>
  serve(({headers}, response) => {
    if (headers.authorization === `Bearer ${known}`) return reply(response, 200, {customers: [customer(1)]})
    reply(response, 401, {error: 'UNAUTHORIZED', message: 'No such key.', statusCode: 401})
  })

// A service that accepts every key.
export const serveAnyKey = () =>
  serve((_, response) => reply(response, 200, {customers: [customer(1)], nextPageToken: null}))

export const buildLoginArgs = (name: string, url: string, ...more: string[]) => [
  'login',
  '-p',
  name,
  '--base-url',
  url,
  '--live',
  '--store',
  'file',
  ...more,
]

export const login = (home: Home, name: string, url: string, input = secret, ...more: string[]) =>
  run(home, buildLoginArgs(name, url, ...more), {input})

export const configFile = (home: Home) => path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'config.json')
export const credentialsFile = (home: Home) => path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'credentials.json')

export const readStoredSettings = (home: Home) =>
  JSON.parse(fs.readFileSync(configFile(home), 'utf8')) as {
    current?: string
    profiles: Record<string, Record<string, unknown>>
  }

export const hasStoredFiles = (home: Home) => fs.existsSync(configFile(home)) || fs.existsSync(credentialsFile(home))

// Writes a settings file directly, as a person or another version would.
export function writeSettingsFile(file: string, content: unknown, mode = 0o600): void {
  fs.mkdirSync(path.dirname(file), {recursive: true})
  fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), {mode})
}

export const getMode = (file: string) => (fs.statSync(file).mode & 0o777).toString(8)

const encodePart = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

// A token with an expiry; its signature is never checked.
export const createJwt = (claims: Record<string, unknown>) =>
  `${encodePart({alg: 'none'})}.${encodePart(claims)}.c2lnbmF0dXJl`
export const createJwtFor = (seconds: number) => createJwt({exp: Math.floor(Date.now() / 1000) + seconds})

// One or two sentences on one line, after the name of svc and without a stack trace.
export const isOneLine = (err: string) => /^svc: .+\.\n$/.test(err) && !/\n\s+at /.test(err)
