// Parses the address of a PostgreSQL database as libpq's users write it, and rejects a password in it.
import {badSettings, badUsage} from '../../errors.ts'

export interface PostgresHost {
  // A name, an IP address, or the folder of a Unix socket. Empty for the default.
  host: string
  port: string
}

export interface PostgresAddress {
  // Where connections are tried, in this order.
  hosts: readonly PostgresHost[]
  user: string | undefined
  database: string | undefined
  parameters: Readonly<Partial<Record<Parameter, string>>>
  // The address as it can be shown: it never contains a password.
  text: string
}

const knownParameters = [
  'application_name',
  'connect_timeout',
  'passfile',
  'pool_max_conns',
  'pool_mode',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslrootcert',
] as const

type Parameter = (typeof knownParameters)[number]

const isKnown = (name: string): name is Parameter => (knownParameters as readonly string[]).includes(name)

const schemePattern = /^postgres(?:ql)?:\/\//i
const addressPattern = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?@]*)(?:\/([^?/]*))?(?:\?(.*))?$/is
const hostPattern = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/

export const isPostgresAddress = (text: string) => schemePattern.test(text)

const passwordHint =
  'Leave it out, and set PGPASSWORD, write it to ~/.pgpass (PGPASSFILE), or name a command that prints it'

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

// `from` says where the address was given: a flag, or a variable. The address is repeated in no message, since a password may
// be in any part of one that is written wrongly.
export function parsePostgresAddress(text: string, from: string): PostgresAddress {
  const reject = (reason: string, hint?: string) =>
    from.startsWith('--') ? badUsage(`${from} ${reason}`, hint) : badSettings(`${from} ${reason}`, hint)
  const [, userInfo = '', hostList = '', databaseText = '', query = ''] =
    addressPattern.exec(text) ?? failToParse(reject)
  if (userInfo.includes(':')) throw reject('contains a password', passwordHint)
  const parameters: Partial<Record<Parameter, string>> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    if (/password/i.test(name)) throw reject('contains a password', passwordHint)
    if (!isKnown(name)) {
      throw reject(
        `has a parameter that svc does not know: ${JSON.stringify(name)}`,
        `It knows ${knownParameters.join(', ')}`,
      )
    }
    parameters[name] = value
  }
  const user = decode(userInfo)
  const database = decode(databaseText)
  const hosts = hostList.split(',').map((each) => {
    const [, host = '', port = ''] = hostPattern.exec(each) ?? failToParse(reject)
    const decoded = decode(host.replace(/^\[(.*)\]$/, '$1'))
    if (decoded === undefined || (port !== '' && Number(port) > portMax)) return failToParse(reject)
    return {host: decoded, port}
  })
  if (user === undefined || database === undefined) return failToParse(reject)
  return {hosts, user: user || undefined, database: database || undefined, parameters, text: text.trim()}
}

const portMax = 65_535

function failToParse(reject: (reason: string, hint?: string) => Error): never {
  throw reject('is not an address of a PostgreSQL database', 'Write postgres://USER@HOST:PORT/DATABASE')
}
