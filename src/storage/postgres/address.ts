// The address of a PostgreSQL database as libpq's users write it, completed by libpq's variables. It contains no password.
import os from 'node:os'
import {badSettings, badUsage} from '../../errors.ts'

export interface PostgresAddress {
  // The address as it was given, which can be shown.
  text: string
  // One complete address for each host, tried in this order.
  servers: readonly string[]
  tlsMode: TlsMode
  connectTimeoutMs: number
  connectionsMax: number
  // Whether a pooler gives each transaction another session, so that nothing is kept in one.
  isPooledByTransaction: boolean
}

const tlsModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type TlsMode = (typeof tlsModes)[number]

// The parameters that svc knows. The empty ones have no variable.
const variables: Readonly<Record<string, string>> = {
  application_name: 'PGAPPNAME',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  pool_max_conns: '',
  pool_mode: '',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
}

const connectTimeoutDefaultS = '10'
// A server accepts 100 connections by default, and many processes share it.
const connectionsMaxDefault = '5'
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
    if (variables[name] === undefined) {
      const known = `It knows ${Object.keys(variables).join(', ')}`
      throw reject(`has a parameter that svc does not know: ${JSON.stringify(name)}`, known)
    }
  }
  for (const [name, variable] of Object.entries(variables)) {
    const value = process.env[variable]
    if (value && !parameters.has(name)) parameters.set(name, value)
  }
  const parseCount = (name: string, value: string) => {
    if (/^[1-9]\d{0,3}$/.test(value)) return Number(value)
    throw reject(`has ${name} "${value}", but it must be a whole number from 1 to 9999`)
  }
  const poolMode = parameters.get('pool_mode') ?? 'session'
  if (poolMode !== 'session' && poolMode !== 'transaction') {
    throw reject(`has pool_mode "${poolMode}", but it must be session or transaction`)
  }
  const tlsMode = chooseTlsMode(parameters, reject)
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
    tlsMode,
    connectTimeoutMs: parseCount('connect_timeout', parameters.get('connect_timeout') ?? connectTimeoutDefaultS) * 1000,
    connectionsMax: parseCount('pool_max_conns', parameters.get('pool_max_conns') ?? connectionsMaxDefault),
    isPooledByTransaction: poolMode === 'transaction',
  }
}

// The mode that the address has from now on. Without a file of its own, verify-full trusts the authorities that Node does, which
// libpq calls "system".
function chooseTlsMode(parameters: URLSearchParams, reject: (reason: string, hint?: string) => Error): TlsMode {
  const isSystem = parameters.get('sslrootcert') === 'system'
  const text = parameters.get('sslmode') ?? (isSystem ? 'verify-full' : 'prefer')
  const mode = tlsModes.find((each) => each === text)
  if (!mode) throw reject(`has sslmode "${text}", which svc does not know`, `Use one of ${tlsModes.join(', ')}`)
  if (isSystem && mode !== 'verify-full') {
    throw reject(`has sslmode "${mode}", which is too weak for sslrootcert=system`, 'Use sslmode=verify-full')
  }
  if (isSystem) parameters.delete('sslrootcert')
  if (mode === 'verify-ca' && !parameters.has('sslrootcert')) {
    throw reject('has sslmode "verify-ca", but names no root certificate', 'Name its file with sslrootcert')
  }
  parameters.set('sslmode', mode)
  return mode
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}
