// Looks many times a second at what the sessions of a PostgreSQL server wait for while they work.
import {Client} from 'pg'

const lookEveryMs = 50

const waitsText = `
  select coalesce(wait_event_type || ' ' || wait_event, 'running') as name, count(*)::integer as count
  from pg_stat_activity where backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid() group by 1`

// How often a session was seen to wait for each thing, or to run.
export type Waits = Map<string, number>

// Watches the server while the work goes on.
export async function watchWaits<Value>(
  address: string,
  work: () => Promise<Value>,
): Promise<{value: Value; waits: Waits}> {
  const client = new Client({connectionString: address})
  await client.connect()
  const waits: Waits = new Map()
  let looking = Promise.resolve()
  const look = async () => {
    const {rows} = await client.query<{name: string; count: number}>(waitsText)
    for (const {name, count} of rows) waits.set(name, (waits.get(name) ?? 0) + count)
  }
  const timer = setInterval(() => void (looking = looking.then(look, () => {})), lookEveryMs)
  try {
    return {value: await work(), waits}
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
