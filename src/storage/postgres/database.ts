// A PostgreSQL database: statements and transactions that survive broken connections, conflicts and failovers. What cannot be
// known is reported as such: a commit whose answer was lost is read back, and never guessed.
import {setTimeout as sleep} from 'node:timers/promises'
import type {Pool, PoolClient, QueryResult, QueryResultRow} from 'pg'
import type {PostgresAddress} from './address.ts'
import {type PrintPassword, createBegin, dropSocket, openPool} from './connect.ts'
import {PostgresError, endsConnection, isTemporary, toPostgresError} from './postgres-error.ts'

// A statement with a name is prepared once per connection.
export interface Statement {
  name?: string
  text: string
}

export type SqlValue = string | number | boolean | null | readonly string[]

// Runs a statement and returns its rows.
export type Query = <R extends QueryResultRow>(statement: Statement, values?: readonly SqlValue[]) => Promise<R[]>

// How a transaction whose commit was not answered is brought to an end.
export interface TransactOptions<T> {
  // Statements that are sent together with the begin, such as those that take locks.
  begin?: string | undefined
  // The work does the same when it is done twice, so it is repeated.
  isRepeatable?: boolean | undefined
  // Finds out whether the commit was written. If it was, returns what the work would have returned; if not, returns undefined,
  // and the work is repeated. It must wait for the lost transaction to end, such as by locking a row that it has written.
  readOutcome?: ((query: Query) => Promise<{written: T} | undefined>) | undefined
}

const retryMinMs = 20
const retryMaxMs = 1_000

export interface DatabaseOptions {
  // How long broken connections, conflicts and failovers are waited out.
  waitMs?: (() => number) | undefined
  printPassword?: PrintPassword | undefined
}

const waitDefaultMs = 15_000
// Tried within half a second.
const closedConnectionsMax = 5

// A prepared statement belongs to a session, which a pooler may give to somebody else.
const createQuery =
  (client: PoolClient, {isPooledByTransaction}: PostgresAddress): Query =>
  async ({name, text}, values = []) => {
    const isPrepared = name !== undefined && !isPooledByTransaction
    const {rows} = await client.query({...(isPrepared && {name: `svc_${name}`}), text, values: [...values]})
    return rows
  }

export class PostgresDatabase {
  readonly #address: PostgresAddress
  readonly #waitMs: () => number
  readonly #printPassword: PrintPassword | undefined
  #pool: Promise<Pool> | undefined
  // Pools that were given up because the connections of their host broke.
  #stalePools: Pool[] = []

  constructor(address: PostgresAddress, {waitMs = () => waitDefaultMs, printPassword}: DatabaseOptions = {}) {
    this.#address = address
    this.#waitMs = waitMs
    this.#printPassword = printPassword
  }

  // The address as it can be shown.
  get address(): string {
    return this.#address.text
  }

  // Waits for a server that is starting, but not for one that is not there. One that closes connections gets a few more.
  async connect(): Promise<void> {
    let closed = 0
    const connect = async () => (await this.#acquire()).client.release()
    await this.#retry(
      connect,
      ({problem}) => problem === 'unavailable' || (problem === 'lost' && ++closed <= closedConnectionsMax),
    )
  }

  // One statement that writes nothing.
  read<R extends QueryResultRow>(statement: Statement, values?: readonly SqlValue[]): Promise<R[]> {
    if (this.#address.isPooledByTransaction)
      return this.transact((query) => query<R>(statement, values), {isRepeatable: true})
    return this.#retry(() => this.#useClient((query) => query<R>(statement, values)))
  }

  // Writes all of the work or none of it. If the work throws, nothing is written. It may run more than once.
  transact<T>(work: (query: Query) => Promise<T>, options: TransactOptions<T>): Promise<T> {
    const begin = createBegin(this.#address)
    return this.#settle(options, (markSent) =>
      this.#useClient(async (query, client) => {
        let result: T
        try {
          await client.query(options.begin === undefined ? begin : `${begin}; ${options.begin}`)
          result = await work(query)
        } catch (error) {
          await query({text: 'rollback'}).catch(() => {})
          throw error
        }
        markSent()
        const {command} = await client.query('commit')
        // The work has ignored the failure of a statement.
        if (command !== 'COMMIT') throw new PostgresError('other', 'has written nothing, since a statement failed')
        return result
      }),
    )
  }

  // Runs SQL of another library, which may have several statements and a transaction of its own. It is never repeated.
  async runScript(text: string, values: readonly SqlValue[] = []): Promise<{rows: QueryResultRow[]}> {
    return this.#useClient(async (query, client) => {
      try {
        const result = (await client.query(text, [...values])) as QueryResult | QueryResult[]
        return {rows: Array.isArray(result) ? result.flatMap(({rows}) => rows as QueryResultRow[]) : result.rows}
      } catch (error) {
        // A script that failed inside its own transaction must not leave it open on a shared connection.
        await query({text: 'rollback'}).catch(() => {})
        throw error
      }
    })
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined)
    this.#pool = undefined
    const stale = this.#stalePools
    this.#stalePools = []
    await Promise.all([...(pool ? [pool] : []), ...stale].map((each) => each.end().catch(() => {})))
  }

  // Repeats the attempt until it is known to be written or not, or the wait is over.
  async #settle<T>(
    {isRepeatable = false, readOutcome}: TransactOptions<T>,
    attempt: (markSent: () => void) => Promise<T>,
  ): Promise<T> {
    let isUnknown = false
    const run = async () => {
      if (isUnknown && readOutcome) {
        const outcome = await this.#useClient(async (query, client) => {
          await client.query(createBegin(this.#address))
          try {
            return await readOutcome(query)
          } finally {
            await query({text: 'rollback'}).catch(() => {})
          }
        })
        if (outcome) return outcome.written
        isUnknown = false
      }
      let isSent = false
      try {
        return await attempt(() => (isSent = true))
      } catch (error) {
        const failure = toPostgresError(error, {isConnected: true})
        // An answer of the server says that nothing was written. Only a broken connection leaves it open.
        if (isSent && failure?.problem === 'lost') {
          isUnknown = true
          if (!isRepeatable && !readOutcome) throw createUnknownCommit(error)
        }
        throw error
      }
    }
    try {
      return await this.#retry(run)
    } catch (error) {
      if (isUnknown && !isRepeatable && error instanceof PostgresError) throw createUnknownCommit(error)
      throw error
    }
  }

  async #retry<T>(attempt: () => Promise<T>, mayRetry = isTemporary): Promise<T> {
    const endsAt = performance.now() + this.#waitMs()
    for (let pauseMs = retryMinMs; ; pauseMs = Math.min(pauseMs * 2, retryMaxMs)) {
      try {
        return await attempt()
      } catch (error) {
        const failure = toPostgresError(error, {isConnected: true})
        if (!failure) throw error
        // Processes that met in a conflict do not meet again at the same moment.
        const nextMs = pauseMs * (0.5 + Math.random() / 2)
        if (!mayRetry(failure) || performance.now() + nextMs > endsAt) throw failure
        await sleep(nextMs)
      }
    }
  }

  async #useClient<T>(work: (query: Query, client: PoolClient) => Promise<T>): Promise<T> {
    const {client, pool} = await this.#acquire()
    let result: T
    try {
      result = await work(createQuery(client, this.#address), client)
    } catch (error) {
      const failure = toPostgresError(error, {isConnected: true})
      if (failure && endsConnection(failure)) {
        client.release(true)
        dropSocket(client)
        this.#giveUp(pool)
      } else client.release()
      throw error
    }
    client.release()
    return result
  }

  async #acquire(): Promise<{client: PoolClient; pool: Pool}> {
    const opening = (this.#pool ??= openPool(this.#address, this.#printPassword))
    let pool: Pool | undefined
    try {
      pool = await opening
      return {client: await pool.connect(), pool}
    } catch (error) {
      if (pool) this.#giveUp(pool)
      else if (this.#pool === opening) this.#pool = undefined
      throw toPostgresError(error, {isConnected: false}) ?? error
    }
  }

  // The next statement connects anew, perhaps to another host. Statements that are under way on the old pool end by themselves.
  #giveUp(pool: Pool): void {
    if (this.#stalePools.includes(pool)) return
    this.#stalePools = [...this.#stalePools.filter(({totalCount, waitingCount}) => totalCount + waitingCount > 0), pool]
    this.#pool = undefined
  }
}

const createUnknownCommit = (cause: unknown) =>
  new PostgresError('unknownCommit', 'broke the connection before it confirmed a write', cause)
