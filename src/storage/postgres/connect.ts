// Opens a pool of connections to the first host of an address that accepts them and can be written to.
import type {ClientBase, ClientConfig, Pool, PoolConfig} from 'pg'
import {SvcError, badSettings, getSystemCode} from '../../errors.ts'
import type {PostgresAddress} from './address.ts'
import {PostgresError, getSqlState, standbyReason, toPostgresError} from './postgres-error.ts'

// Runs a command and returns what it prints.
export type PrintPassword = () => Promise<string>

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

export const createBegin = ({isPooledByTransaction}: Pick<PostgresAddress, 'isPooledByTransaction'>): string =>
  isPooledByTransaction ? beginPrepared : 'begin'

// The pool waits for it, though its type does not say so.
const createPreparer =
  ({isPooledByTransaction}: PostgresAddress): ((client: ClientBase) => unknown) =>
  async (client) => {
    const text = isPooledByTransaction ? `select ${readState}` : `${prepareSession}, ${readState}`
    const {rows} = await client.query<{isReadOnly: boolean}>(text)
    if (rows[0]?.isReadOnly) throw new PostgresError('unavailable', standbyReason)
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

// PGPASSWORD, what a command prints, or a password file. Called only if the server asks.
async function findPassword(session: ClientConfig, printPassword: PrintPassword | undefined): Promise<string> {
  const variable = process.env['PGPASSWORD']
  if (variable) return variable
  if (printPassword) return (await printPassword()).replace(/\r?\n$/, '')
  const {default: pgpass} = await import('pgpass')
  // It would print a warning about a file that others can read, which it ignores; the error below says so.
  pgpass.warnTo(undefined)
  const found = await new Promise<string | undefined>((resolve) => pgpass(session, resolve))
  if (found !== undefined) return found
  throw new PostgresError(
    'refused',
    `asks for the password of ${session.user}, and neither PGPASSWORD nor a password file that only you can read has one`,
  )
}

const bigintType = 20

async function createPool(address: PostgresAddress, session: ClientConfig, password: PrintPassword): Promise<Pool> {
  const {default: pg} = await import('pg')
  const config: PoolConfig = {
    ...session,
    application_name: session.application_name ?? 'svc',
    password,
    max: address.connectionsMax,
    connectionTimeoutMillis: address.connectTimeoutMs,
    query_timeout: answerTimeoutMs,
    idleTimeoutMillis: idleConnectionMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    allowExitOnIdle: true,
    onConnect: createPreparer(address),
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

// The certificates that the address names are read here.
async function readServer(server: string): Promise<ClientConfig> {
  const {parse, toClientConfig} = await import('pg-connection-string')
  try {
    return toClientConfig(parse(server, {useLibpqCompat: true}))
  } catch (error) {
    const code = getSystemCode(error)
    if (!(error instanceof Error) || code === undefined) throw error
    throw badSettings(`A certificate file of the database cannot be read (${error.message})`, undefined, error)
  }
}

const noTlsMessage = 'The server does not support SSL connections'
const noEntryState = '28000'

// Whether the server might accept the same connection without TLS.
const isAboutTls = (error: unknown) =>
  getSqlState(error) === noEntryState || (error instanceof Error && error.message === noTlsMessage)

function describeRefusal(error: unknown): PostgresError {
  if (error instanceof Error && error.message === noTlsMessage) {
    return new PostgresError('refused', 'does not support TLS, which sslmode asks for', error)
  }
  // Node's codes for certificates that are not accepted, such as SELF_SIGNED_CERT_IN_CHAIN.
  if (error instanceof Error && 'code' in error && /CERT|TLS|SSL|ISSUER|SIGNATURE/.test(String(error.code))) {
    return new PostgresError('refused', `has a certificate that is not accepted (${String(error.code)})`, error)
  }
  return (
    toPostgresError(error, {isConnected: false}) ??
    new PostgresError('unreachable', 'cannot be reached (the connection was refused)', error)
  )
}

async function tryServer(address: PostgresAddress, server: string, printPassword?: PrintPassword): Promise<Pool> {
  const session = await readServer(server)
  const isSocket = session.host?.startsWith('/') === true
  const attempts = isSocket ? [false] : [session.ssl, ...(address.prefersTls ? [false] : [])]
  let failure: unknown
  for (const ssl of attempts) {
    const pool = await createPool(address, {...session, ssl}, () => findPassword(session, printPassword))
    try {
      const client = await pool.connect()
      client.release()
      return pool
    } catch (error) {
      await pool.end()
      if (error instanceof SvcError) throw error
      failure ??= error
      if (isAboutTls(error)) continue
      failure = error
      break
    }
  }
  throw describeRefusal(failure)
}

// A refusal of one host is no reason not to try the next, but it is the one to report.
export async function openPool(address: PostgresAddress, printPassword?: PrintPassword): Promise<Pool> {
  let failure: PostgresError | undefined
  for (const server of address.servers) {
    try {
      return await tryServer(address, server, printPassword)
    } catch (error) {
      if (!(error instanceof PostgresError)) throw error
      if (failure?.problem !== 'refused') failure = error
    }
  }
  throw failure ?? new PostgresError('unreachable', 'cannot be reached (no host)')
}
