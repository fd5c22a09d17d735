// Opens a pool of connections to the first host that accepts them and can be written to.
import type {ClientBase, ClientConfig, Pool, PoolConfig} from 'pg'
import {SvcError} from '../../errors.ts'
import {findPassword} from './password.ts'
import {PostgresError, getSqlState, toPostgresError} from './postgres-error.ts'
import type {PostgresSettings} from './settings.ts'
import {type TlsAttempt, listTlsAttempts} from './tls.ts'

// The limits of the server. A statement of svc takes milliseconds; these end one that waits for something broken.
const statementTimeoutMs = 20_000
const lockTimeoutMs = 10_000
// A process that was stopped inside a transaction keeps its locks until then.
const idleInTransactionMs = 30_000
// The server ends a statement before this; without an answer by then, the connection is broken.
const answerTimeoutMs = statementTimeoutMs + 5_000
const idleConnectionMs = 30_000
const keepAliveMs = 15_000

// A commit is durable when the server says so, whatever the default of the server is.
const prepareSession = `
  select set_config('statement_timeout', '${statementTimeoutMs}', false),
    set_config('lock_timeout', '${lockTimeoutMs}', false),
    set_config('idle_in_transaction_session_timeout', '${idleInTransactionMs}', false),
    set_config('search_path', 'pg_catalog', false),
    set_config('synchronous_commit', case when current_setting('synchronous_commit') in ('off', 'local') then 'on'
      else current_setting('synchronous_commit') end, false)`

// The same where a pooler gives each transaction another session. The isolation level can still be set after it.
const beginPrepared = `
  begin;
  set local statement_timeout = ${statementTimeoutMs};
  set local lock_timeout = ${lockTimeoutMs};
  set local idle_in_transaction_session_timeout = ${idleInTransactionMs};
  set local search_path = pg_catalog;
  set local synchronous_commit = on`

const readState = `pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as "isReadOnly"`

export const createBegin = ({isPooledByTransaction}: Pick<PostgresSettings, 'isPooledByTransaction'>): string =>
  isPooledByTransaction ? beginPrepared : 'begin'

// The pool waits for it, though its type does not say so.
const createPreparer =
  ({isPooledByTransaction}: PostgresSettings): ((client: ClientBase) => unknown) =>
  async (client) => {
    const text = isPooledByTransaction ? `select ${readState}` : `${prepareSession}, ${readState}`
    const {rows} = await client.query<{isReadOnly: boolean}>(text)
    if (rows[0]?.isReadOnly) {
      throw new PostgresError('unavailable', 'is read-only: it is a standby, or a failover is under way')
    }
  }

interface PgConnection {
  stream: {destroy(): void}
  on(event: 'error', listener: () => void): void
}

const getConnection = (client: ClientBase) => (client as unknown as {connection: PgConnection}).connection

// Ends the connection at once: one that answers no more would keep the process alive.
export const dropSocket = (client: ClientBase) => getConnection(client).stream.destroy()

// pg leaves the socket open if a session cannot begin on our side, such as for want of a password.
const createClientClass = (Client: typeof import('pg').Client) =>
  class extends Client {
    constructor(config?: ClientConfig) {
      super(config)
      getConnection(this).on('error', () => dropSocket(this))
    }
  }

const bigintType = 20

async function createPool(
  settings: PostgresSettings,
  {host, port}: {host: string; port: number},
  ssl: TlsAttempt,
): Promise<Pool> {
  const {default: pg} = await import('pg')
  const {user, database} = settings
  const config: PoolConfig = {
    host,
    port,
    user,
    database,
    ssl,
    application_name: settings.applicationName,
    // Called only if the server asks for one.
    password: async () => {
      const password = await findPassword({host, port, user, database}, settings.printPassword, settings.passwordFile)
      if (password) return password
      throw new PostgresError(
        'refused',
        `asks for the password of ${user}, and neither PGPASSWORD nor a password file has one`,
      )
    },
    max: settings.connectionsMax,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    idleTimeoutMillis: idleConnectionMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    allowExitOnIdle: true,
    onConnect: createPreparer(settings),
    Client: createClientClass(pg.Client),
    // Counts and times in milliseconds stay far below 2^53.
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        type === bigintType ? Number : (pg.types.getTypeParser(type, format) as (text: string) => unknown),
    },
  }
  const pool = new pg.Pool(config)
  // A connection that breaks fails the statement that is under way; an idle one is replaced when the next one is needed.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const noTlsMessage = 'The server does not support SSL connections'
const noEntryState = '28000'

// Whether the server might accept the same connection with TLS instead of without, or the other way round.
const isAboutTls = (error: unknown) =>
  getSqlState(error) === noEntryState || (error instanceof Error && error.message === noTlsMessage)

function describeRefusal(error: unknown): PostgresError {
  const known = toPostgresError(error, {isConnected: false})
  if (error instanceof Error && error.message === noTlsMessage) {
    return new PostgresError('refused', 'does not support TLS, which sslmode asks for', error)
  }
  // Node's codes for certificates that are not accepted, such as SELF_SIGNED_CERT_IN_CHAIN.
  if (error instanceof Error && 'code' in error && /CERT|TLS|SSL|ISSUER|SIGNATURE/.test(String(error.code))) {
    return new PostgresError('refused', `has a certificate that is not accepted (${String(error.code)})`, error)
  }
  return known ?? new PostgresError('unreachable', 'cannot be reached (the connection was refused)', error)
}

async function tryHost(settings: PostgresSettings, host: {host: string; port: number}): Promise<Pool> {
  const isSocket = host.host.startsWith('/')
  const attempts = isSocket ? [false as const] : listTlsAttempts(settings.tls)
  let failure: unknown
  for (const ssl of attempts) {
    const pool = await createPool(settings, host, ssl)
    try {
      const client = await pool.connect()
      client.release()
      return pool
    } catch (error) {
      await pool.end()
      if (error instanceof SvcError) throw error
      failure ??= error
      if (!isAboutTls(error)) {
        failure = error
        break
      }
    }
  }
  throw describeRefusal(failure)
}

// A refusal of one host is no reason not to try the next, but it is the one to report.
export async function openPool(settings: PostgresSettings): Promise<Pool> {
  let failure: PostgresError | undefined
  for (const host of settings.hosts) {
    try {
      return await tryHost(settings, host)
    } catch (error) {
      if (!(error instanceof PostgresError)) throw error
      if (failure?.problem !== 'refused') failure = error
    }
  }
  throw failure ?? new PostgresError('unreachable', 'cannot be reached (no host)')
}
