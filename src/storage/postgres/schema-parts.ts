// The schema `svc` of a PostgreSQL database, in parts that are versioned one by one. Only `svc journal init` changes it.
import type {PostgresDatabase, Query} from './database.ts'
import {PostgresError} from './postgres-error.ts'

export interface SchemaPart {
  name: string
  // The statements that lead to each version, the first one from nothing.
  migrations: readonly string[]
  // The oldest version of this part whose svc can work with the newest: old and new workers run side by side during an upgrade.
  compatibleFrom: number
}

export interface PartVersion {
  part: string
  version: number
  compatibleFrom: number
}

// What is done to a part, in words for a person.
interface PartChange {
  part: string
  from: number
  to: number
}

const versionMin = 130_000

// A standby that receives commits later than they are confirmed lacks the last ones if it takes over.
const mayLoseCommits = `current_setting('synchronous_standby_names') = '' and (exists (select 1 from pg_stat_replication)
      or exists (select 1 from pg_replication_slots where slot_type = 'physical'))`

const describeServer = {
  text: `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
    current_setting('fsync') = 'on' and current_setting('full_page_writes') = 'on' as "isDurable",
    ${mayLoseCommits} as "isReplicatedLater",
    exists (select 1 from pg_namespace where nspname = 'svc') as "hasSchema",
    to_regclass('svc.versions') is not null as "hasVersions"`,
}

interface ServerDescription {
  version: number
  encoding: string
  isDurable: boolean
  isReplicatedLater: boolean
  hasSchema: boolean
  hasVersions: boolean
}

const selectVersions = {
  name: 'versions',
  text: 'select part, version, compatible_from as "compatibleFrom" from svc.versions order by part',
}

export const readVersions = (query: Query) => query<PartVersion>(selectVersions)

// Locked while it is changed, so that two who do it at once do it one after the other.
const lockSchema = {text: "select pg_advisory_xact_lock(hashtextextended('svc schema', 0))"}

const createVersions = `create table svc.versions (
  part text primary key,
  version integer not null,
  compatible_from integer not null,
  changed_at timestamptz not null default now()
)`

const writeVersion = {
  text: `insert into svc.versions (part, version, compatible_from) values ($1, $2, $3)
    on conflict (part) do update set version = $2, compatible_from = $3, changed_at = now()`,
}

export interface SchemaResult {
  changes: PartChange[]
  // Whether the server's own settings let a commit survive a crash.
  isDurable: boolean
  // Whether it has a standby that may lack the last commits.
  isReplicatedLater: boolean
}

export async function isReplicatedLater(query: Query): Promise<boolean> {
  const [server] = await query<{isLater: boolean}>({text: `select ${mayLoseCommits} as "isLater"`})
  return server?.isLater === true
}

export const replicationWarning =
  'The server has a standby without synchronous_standby_names: a failover can lose the last payments from the journal, which may then be paid again'

// Creates or migrates the parts; those that are newer than ours stay as they are. Needs the right to create a schema in the
// database, or a schema `svc` that belongs to the role.
export function initSchema(
  database: PostgresDatabase,
  parts: readonly SchemaPart[],
  {isDryRun = false} = {},
): Promise<SchemaResult> {
  const work = async (query: Query): Promise<SchemaResult> => {
    await query(lockSchema)
    const [server] = await query<ServerDescription & Record<string, unknown>>(describeServer)
    if (!server || server.version < versionMin) {
      throw new PostgresError('refused', `is older than PostgreSQL ${versionMin / 10_000}`)
    }
    if (server.encoding !== 'UTF8') {
      throw new PostgresError('refused', `has the encoding ${server.encoding}, but svc needs UTF8`)
    }
    const known = server.hasVersions ? await readVersions(query) : []
    const changes = parts.map(({name, migrations}) => ({
      part: name,
      from: known.find(({part}) => part === name)?.version ?? 0,
      to: migrations.length,
    }))
    const due = changes.filter(({from, to}) => from < to)
    const {isDurable, isReplicatedLater: isLater} = server
    const result = {changes: due, isDurable, isReplicatedLater: isLater}
    if (isDryRun || due.length === 0) return result
    if (!server.hasSchema) await query({text: 'create schema svc'})
    if (!server.hasVersions) await query({text: createVersions})
    for (const {part, from, to} of due) {
      const {migrations = [], compatibleFrom = to} = parts.find(({name}) => name === part) ?? {}
      for (const migration of migrations.slice(from)) await runScript(query, migration)
      await query(writeVersion, [part, to, compatibleFrom])
    }
    return result
  }
  return database.transact(work, {isRepeatable: true})
}

// A statement with values can be only one, so those of a migration are run one by one.
async function runScript(query: Query, script: string): Promise<void> {
  for (const text of script.split(/;\s*$/m)) if (text.trim() !== '') await query({text})
}

export type VersionProblem = 'missing' | 'older' | 'newer'

// Undefined if this svc can work with the part as it is.
export function findVersionProblem(
  {name, migrations}: SchemaPart,
  versions: readonly PartVersion[],
): VersionProblem | undefined {
  const found = versions.find(({part}) => part === name)
  if (!found) return 'missing'
  if (found.version < migrations.length) return 'older'
  return found.compatibleFrom > migrations.length ? 'newer' : undefined
}
