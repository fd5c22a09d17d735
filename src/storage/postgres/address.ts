// The address of a PostgreSQL database as libpq's users write it, completed by libpq's variables. It contains no password.
import os from 'node:os'
import {badSettings, badUsage} from '../../errors.ts'

export interface PostgresAddress {
  // The address as it was given, which can be shown.
  text: string
  // One complete address for each host, tried in this order.
  servers: readonly string[]
  // Whether a server without TLS is spoken to without it.
  prefersTls: boolean
  connectTimeoutMs: number
  connectionsMax: number
  // Whether a pooler gives each transaction another session, so that nothing is kept in one.
  isPooledByTransaction: boolean
}

interface Parameter {
  // The variable of libpq that completes the address.
  variable?: string
  default?: string
  allowed?: readonly [pattern: RegExp, words: string]
}

const count = [/^[1-9]\d{0,3}$/, 'a whole number from 1 to 9999'] as const
const tlsModes = [
  /^(disable|prefer|require|verify-ca|verify-full)$/,
  'disable, prefer, require, verify-ca or verify-full',
] as const

// The parameters that svc knows.
const known: Readonly<Record<string, Parameter>> = {
  application_name: {variable: 'PGAPPNAME'},
  connect_timeout: {variable: 'PGCONNECT_TIMEOUT', default: '10', allowed: count},
  // A server accepts 100 connections by default, and many processes share it.
  pool_max_conns: {default: '5', allowed: count},
  pool_mode: {default: 'session', allowed: [/^(session|transaction)$/, 'session or transaction']},
  sslcert: {variable: 'PGSSLCERT'},
  sslkey: {variable: 'PGSSLKEY'},
  // Without a root certificate of its own, verify-full trusts the authorities that Node does.
  sslmode: {variable: 'PGSSLMODE', default: 'prefer', allowed: tlsModes},
  sslrootcert: {variable: 'PGSSLROOTCERT'},
}

const portDefault = '5432'

const schemePattern = /^postgres(?:ql)?:\/\//i
const addressPattern = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?@]*)(?:\/([^?/]*))?(?:\?(.*))?$/is
const hostPattern = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/

export const isPostgresAddress = (text: string) => schemePattern.test(text)

const passwordHint =
  'Leave it out, and set PGPASSWORD, write it to ~/.pgpass (PGPASSFILE), or name a command that prints it'

// `from` says where the address was given: a flag, or a variable. The address is repeated in no message, since a password may
// be in any part of one that is written wrongly.
export function parsePostgresAddress(text: string, from: string): PostgresAddress {
  const reject = (reason: string, hint?: string) =>
    from.startsWith('--') ? badUsage(`${from} ${reason}`, hint) : badSettings(`${from} ${reason}`, hint)
  const [whole, userInfo = '', hostList = '', databaseText = '', query = ''] = addressPattern.exec(text.trim()) ?? []
  if (userInfo.includes(':')) throw reject('contains a password', passwordHint)
  const parameters = new URLSearchParams(query)
  for (const name of parameters.keys()) {
    if (/password/i.test(name)) throw reject('contains a password', passwordHint)
    if (!Object.hasOwn(known, name)) {
      const all = `It knows ${Object.keys(known).join(', ')}`
      throw reject(`has a parameter that svc does not know: ${JSON.stringify(name)}`, all)
    }
  }
  const read = (name: string): string => {
    const {variable = '', default: usual = '', allowed} = known[name] ?? {}
    const value = parameters.get(name) ?? (process.env[variable] || usual)
    if (allowed && !allowed[0].test(value)) throw reject(`has ${name} "${value}", but it must be ${allowed[1]}`)
    return value
  }
  for (const name of Object.keys(known)) {
    const value = read(name)
    if (value !== '') parameters.set(name, value)
  }
  if (read('sslmode') === 'verify-ca' && read('sslrootcert') === '') {
    throw reject('has sslmode "verify-ca", but names no root certificate', 'Name its file with sslrootcert')
  }
  const user = userInfo || encodeURIComponent(process.env['PGUSER'] || os.userInfo().username)
  const database = databaseText || encodeURIComponent(process.env['PGDATABASE'] || '') || user
  const servers = hostList.split(',').map((each) => {
    const [found, host = '', port = ''] = hostPattern.exec(each) ?? []
    const name = host || encodeURIComponent(process.env['PGHOST'] || 'localhost')
    const server = `postgres://${user}@${name}:${port || process.env['PGPORT'] || portDefault}/${database}?${String(parameters)}`
    if (
      whole === undefined ||
      found === undefined ||
      !URL.canParse(server) ||
      !canDecode(`${user}${name}${database}`)
    ) {
      throw reject('is not an address of a PostgreSQL database', 'Write postgres://USER@HOST:PORT/DATABASE')
    }
    return server
  })
  return {
    text: text.trim(),
    servers,
    prefersTls: read('sslmode') === 'prefer',
    connectTimeoutMs: Number(read('connect_timeout')) * 1000,
    connectionsMax: Number(read('pool_max_conns')),
    isPooledByTransaction: read('pool_mode') === 'transaction',
  }
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}
