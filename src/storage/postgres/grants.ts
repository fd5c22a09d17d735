// What the roles of the database may do with each table of svc. `svc journal init --worker ROLE` grants it, and docs/postgres.md shows
// it. What was approved and what happened is only added to, so that no worker can take it back.
import {badUsage} from '../../errors.ts'
import type {PostgresDatabase, Query} from './database.ts'

type Verb = 'select' | 'insert' | 'update' | 'delete'

// The owner, who runs `svc journal init`, needs no grants. The worker runs everything else.
export const workerGrants: Readonly<Record<string, readonly Verb[]>> = {
  versions: ['select'],
  history: ['select', 'insert'],
  approvals: ['select', 'insert'],
  // The last line of each chain of the history.
  chains: ['select', 'update'],
  spending: ['select', 'insert', 'update'],
  payments: ['select', 'insert', 'update'],
  // What reads of customers' lists have proved.
  list_proofs: ['select', 'insert', 'update'],
  unrecorded: ['select', 'insert'],
  batches: ['select', 'insert', 'update'],
  batch_rows: ['select', 'insert', 'update'],
}

const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`

// The queue is pg-boss's, which moves and removes jobs. Its schema gets tables while it is used.
const queueVerbs = 'select, insert, update, delete'

const listTables = {
  text: `select tablename as "table", schemaname as "schema" from pg_tables where schemaname in ('svc', 'svc_jobs')`,
}

const readRole = {
  text: `select rolsuper or pg_has_role(oid, (select nspowner from pg_namespace where nspname = 'svc'), 'member') as "ownsAll"
    from pg_roles where rolname = $1`,
}

// One that owns the tables, or is a superuser, may do everything whatever it is granted.
async function checkRole(query: Query, name: string): Promise<void> {
  const [found] = await query<{ownsAll: boolean}>(readRole, [name])
  if (!found)
    throw badUsage(`The database has no role ${name}`, `Create it with \`create role ${quoteName(name)} login\``)
  if (!found.ownsAll) return
  throw badUsage(`The role ${name} owns the tables or is a superuser, so grants cannot limit it`, 'Name another role')
}

function renderGrants(name: string, tables: ReadonlySet<string>, hasQueue: boolean): string[] {
  const to = quoteName(name)
  const grants = Object.entries(workerGrants).filter(([table]) => tables.has(table))
  return [
    // Also what was granted before, by hand or by default.
    `revoke all on all tables in schema svc from ${to}`,
    `alter default privileges in schema svc revoke all on tables from ${to}`,
    `grant usage on schema svc to ${to}`,
    ...grants.map(([table, verbs]) => `grant ${verbs.join(', ')} on svc.${table} to ${to}`),
    ...(hasQueue
      ? [
          `grant usage on schema svc_jobs to ${to}`,
          `grant ${queueVerbs} on all tables in schema svc_jobs to ${to}`,
          `alter default privileges in schema svc_jobs grant ${queueVerbs} on tables to ${to}`,
        ]
      : []),
  ]
}

// Gives the role what it needs, and takes everything else from it. A table without a line in the list is not granted.
export function grantTables(database: PostgresDatabase, name: string): Promise<void> {
  return database.transact(
    async (query) => {
      await checkRole(query, name)
      const found = await query<{table: string; schema: string}>(listTables)
      const tables = new Set(found.filter(({schema}) => schema === 'svc').map(({table}) => table))
      const hasQueue = found.some(({schema}) => schema === 'svc_jobs')
      for (const text of renderGrants(name, tables, hasQueue)) await query({text})
    },
    {isRepeatable: true},
  )
}
