// Looks many times a second at what the sessions of a PostgreSQL server wait for while they work, and counts what they write.
import {Client} from 'pg'

const lookEveryMs = 50

const waitsText = `
  select coalesce(wait_event_type || ' ' || wait_event, 'running') as name, count(*)::integer as count
  from pg_stat_activity where backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid() group by 1`

const writtenText = `
  select pg_snapshot_xmax(pg_current_snapshot())::text::int as transactions,
    (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float as bytes`

// How often a session was seen to wait for each thing, or to run.
export type Waits = Map<string, number>

// Transactions that wrote something, and what they wrote to the log.
interface Written {
  transactions: number
  bytes: number
}

async function readWritten(client: Client): Promise<Written> {
  const {rows} = await client.query<Written>(writtenText)
  return rows[0] ?? {transactions: Number.NaN, bytes: Number.NaN}
}

// Watches the server while the work goes on.
export async function watchWaits<Value>(
  address: string,
  work: () => Promise<Value>,
): Promise<{value: Value; waits: Waits; written: Written}> {
  const client = new Client({connectionString: address})
  await client.connect()
  const before = await readWritten(client)
  const waits: Waits = new Map()
  let looking = Promise.resolve()
  const look = async () => {
    const {rows} = await client.query<{name: string; count: number}>(waitsText)
    for (const {name, count} of rows) waits.set(name, (waits.get(name) ?? 0) + count)
  }
  const timer = setInterval(() => void (looking = looking.then(look, () => {})), lookEveryMs)
  try {
    const value = await work()
    clearInterval(timer)
    await looking
    const after = await readWritten(client)
    const written = {transactions: after.transactions - before.transactions, bytes: after.bytes - before.bytes}
    return {value, waits, written}
  } finally {
    clearInterval(timer)
    await looking
    await client.end()
  }
}

const shownMin = 0.02

// For example: running 61 %, IO WALSync 22 %.
export function describeWaits(waits: Waits): string {
  const all = [...waits.values()].reduce((total, count) => total + count, 0)
  return [...waits]
    .toSorted(([, one], [, other]) => other - one)
    .filter(([, count]) => count >= all * shownMin)
    .map(([name, count]) => `${name} ${Math.round((count / all) * 100)} %`)
    .join(', ')
}
