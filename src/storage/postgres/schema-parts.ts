// The schema `svc` of a PostgreSQL database, in parts with a version each. Only `svc journal init` creates it. A part of another
// version is rejected, not migrated, as a file is.
import type {PostgresDatabase, Query} from './database.ts'
import {PostgresError} from './postgres-error.ts'

export interface SchemaPart {
  name: string
  version: number
  schema: string
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

const selectVersions = {name: 'versions', text: 'select part, version from svc.versions'}

const readVersions = async (query: Query): Promise<Map<string, number>> => {
  const rows = await query<{part: string; version: number}>(selectVersions)
  return new Map(rows.map(({part, version}) => [part, version]))
}

// Locked while it is changed, so that two who do it at once do it one after the other.
const lockSchema = {text: "select pg_advisory_xact_lock(hashtextextended('svc schema', 0))"}

const createVersions = `create table svc.versions (
  part text primary key,
  version integer not null,
  created_at timestamptz not null default now()
)`

const writeVersion = {text: 'insert into svc.versions (part, version) values ($1, $2)'}

export interface SchemaResult {
  // The parts that are created: their version before, which is none, and after.
  changes: Array<{part: string; from: number; to: number}>
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

// Creates the parts that are missing. Needs the right to create a schema in the database, or a schema `svc` that belongs to the role.
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
    const known = server.hasVersions ? await readVersions(query) : new Map<string, number>()
    const missing = parts.filter(({name}) => !known.has(name))
    const {isDurable, isReplicatedLater: isLater} = server
    const changes = missing.map(({name, version}) => ({part: name, from: 0, to: version}))
    const result = {changes, isDurable, isReplicatedLater: isLater}
    if (isDryRun || missing.length === 0) return result
    if (!server.hasSchema) await query({text: 'create schema svc'})
    if (!server.hasVersions) await query({text: createVersions})
    for (const {name, version, schema} of missing) {
      // A statement with values can be only one, so those of a part are run one by one.
      for (const text of schema.split(/;\s*$/m)) if (text.trim() !== '') await query({text})
      await query(writeVersion, [name, version])
    }
    return result
  }
  return database.transact(work, {isRepeatable: true})
}

export type VersionProblem = 'missing' | 'other'

// Undefined if this svc can work with the part as it is.
export async function findVersionProblem(
  database: PostgresDatabase,
  {name, version}: SchemaPart,
): Promise<VersionProblem | undefined> {
  const found = (await database.transact(readVersions, {isRepeatable: true})).get(name)
  if (found === undefined) return 'missing'
  return found === version ? undefined : 'other'
}
