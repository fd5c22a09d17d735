// A PostgreSQL database whose connections break: nothing is lost, nothing is written twice, and nothing is guessed.
import {describe, expect, it, onTestFinished} from 'vitest'
import {parsePostgresAddress} from '../../../src/storage/postgres/address.ts'
import {PostgresDatabase, type Query} from '../../../src/storage/postgres/database.ts'
import {closedAddress} from '../../client/raw-service.ts'
import {runSql, usePostgres} from '../../support/postgres.ts'
import {PostgresProxy, cuttingFaults} from '../../support/postgres-proxy.ts'

const {host: closedHost} = new URL(closedAddress)

const getAddress = usePostgres(async (address) => {
  await runSql(address, 'create table notes (id text primary key, text text, counter int not null default 0)')
})

function open(address: string, waitMs = 15_000): PostgresDatabase {
  const database = new PostgresDatabase(parsePostgresAddress(address, 'SVC_JOURNAL'), {
    waitMs: () => waitMs,
  })
  onTestFinished(() => database.close())
  return database
}

const insert = (id: string) => (query: Query) =>
  query({name: 'insert_note', text: 'insert into public.notes (id) values ($1)'}, [id])

const increment = {name: 'increment', text: 'update public.notes set counter = counter + 1, text = $2 where id = $1'}

const readCounter = async (id: string) =>
  (await runSql(getAddress(), `select counter from notes where id = '${id}'`))[0]?.['counter']

// Whether the increment that wrote this text is there. The row stays locked by a transaction that is still under way.
const readOutcome = (id: string, text: string) => async (query: Query) => {
  const [row] = await query<{text: string | null}>({text: 'select text from public.notes where id = $1 for update'}, [
    id,
  ])
  return row?.text === text ? {written: 'found'} : undefined
}

describe('a connection that breaks', () => {
  async function openBehind(plan: (proxy: PostgresProxy) => void) {
    const proxy = await PostgresProxy.start(getAddress())
    const database = open(proxy.address)
    await database.connect()
    plan(proxy)
    return {database, proxy}
  }

  it.each(cuttingFaults)('at a read (%s) is made anew, and the read is repeated', async (fault) => {
    const {database, proxy} = await openBehind((each) => each.plan(fault, /select 7/))
    expect(await database.read({text: 'select 7 as seven'})).toEqual([{seven: 7}])
    expect(proxy.pendingFaults).toBe(0)
  })

  it.each(cuttingFaults)('inside a transaction (%s) leaves nothing behind, and the work is repeated', async (fault) => {
    const {database} = await openBehind((each) => each.plan(fault, /insert into/))
    let runs = 0
    await database.transact((query) => {
      runs++
      return insert(`inside ${fault}`)(query)
    }, {})
    expect(runs).toBe(2)
    expect(await readCounter(`inside ${fault}`)).toBe(0)
  })

  it.each(cuttingFaults)('at a commit (%s) is read back, and the work is done once', async (fault) => {
    const id = `commit ${fault}`
    await runSql(getAddress(), `insert into notes (id) values ('${id}')`)
    const {database, proxy} = await openBehind((each) => each.plan(fault, /^commit$/))
    const work = async (query: Query) => {
      await query(increment, [id, 'mine'])
      return 'done'
    }
    const result = await database.transact(work, {readOutcome: readOutcome(id, 'mine')})
    expect(result).toBe(fault === 'cutBefore' ? 'done' : 'found')
    await proxy.settled()
    expect(await readCounter(id)).toBe(1)
  })

  it('at a commit that nobody can read back is reported as unknown', async () => {
    const proxy = await PostgresProxy.start(getAddress())
    const database = open(proxy.address)
    proxy.plan('cutAfter', /^commit$/)
    await expect(database.transact(insert('nobody'), {})).rejects.toMatchObject({problem: 'unknownCommit'})
  })

  it('at a commit, after which the server stays away, is reported as unknown', async () => {
    const proxy = await PostgresProxy.start(getAddress())
    const database = open(proxy.address, 200)
    proxy.plan('cutAfter', (sql) => {
      if (sql !== 'commit') return false
      setImmediate(() => proxy.down())
      return true
    })
    const outcome = async () => undefined
    await expect(database.transact(insert('away'), {readOutcome: outcome})).rejects.toMatchObject({
      problem: 'unknownCommit',
    })
  })
})

describe('a transaction', () => {
  it('writes nothing if its work throws, and passes the error on', async () => {
    const database = open(getAddress())
    const work = async (query: Query) => {
      await insert('thrown')(query)
      throw new Error('too much')
    }
    await expect(database.transact(work, {})).rejects.toThrow('too much')
    expect(await readCounter('thrown')).toBeUndefined()
  })

  it('is not reported as written if its work ignored a failure', async () => {
    const database = open(getAddress())
    const work = async (query: Query) => {
      await insert('ignored')(query)
      await query({text: 'select 1/0'}).catch(() => {})
    }
    await expect(database.transact(work, {})).rejects.toMatchObject({problem: 'other'})
    expect(await readCounter('ignored')).toBeUndefined()
  })

  it('that conflicts with another is repeated', async () => {
    await runSql(getAddress(), "insert into notes (id) values ('shared')")
    const databases = [open(getAddress()), open(getAddress())]
    const text = 'set transaction isolation level serializable'
    await Promise.all(
      databases.map((database) =>
        database.transact(async (query) => {
          await query({text})
          const [row] = await query<{counter: number}>({text: "select counter from public.notes where id = 'shared'"})
          await query({text: 'select pg_sleep(0.05)'})
          await query({text: "update public.notes set counter = $1 where id = 'shared'"}, [(row?.counter ?? 0) + 1])
        }, {}),
      ),
    )
    expect(await readCounter('shared')).toBe(2)
  })
})

describe('a server that is not there', () => {
  it('is reported at once when the first connection is made', async () => {
    const address = new URL(getAddress())
    address.host = closedHost
    await expect(open(address.href).connect()).rejects.toMatchObject({
      problem: 'unreachable',
      reason: 'cannot be reached (ECONNREFUSED)',
    })
  })

  it('is waited for by a statement, and another host of the address is tried', async () => {
    const there = await PostgresProxy.start(getAddress())
    const address = there.address.replace('@', `@${closedHost},`)
    expect(await open(address).read({text: 'select 1 as one'})).toEqual([{one: 1}])
  })

  it('and closes the first connections before a session begins is tried again', async () => {
    const proxy = await PostgresProxy.start(getAddress())
    proxy.plan('cutBefore', /synchronous_commit/, 3)
    await open(proxy.address).connect()
    expect(proxy.pendingFaults).toBe(0)
    proxy.down()
    await expect(open(proxy.address).connect()).rejects.toThrow('cannot be reached (the connection was closed)')
  })

  it('comes back within the wait', async () => {
    const proxy = await PostgresProxy.start(getAddress())
    const database = open(proxy.address)
    await database.connect()
    proxy.down()
    setTimeout(() => proxy.up(), 100)
    expect(await database.read({text: 'select 1 as one'})).toEqual([{one: 1}])
  })
})

it('a session makes commits durable and has limits, whatever the defaults of the server are', async () => {
  const [{name} = {name: ''}] = await runSql(getAddress(), 'select current_database() as name')
  await runSql(getAddress(), `alter database ${String(name)} set synchronous_commit = off`)
  const settings = ['synchronous_commit', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
  const text = `select ${settings.map((each) => `current_setting('${each}') as ${each}`).join(', ')}`
  expect(await open(getAddress()).read({text})).toEqual([
    {
      synchronous_commit: 'on',
      statement_timeout: '20s',
      lock_timeout: '10s',
      idle_in_transaction_session_timeout: '30s',
    },
  ])
})
