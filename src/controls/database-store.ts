// Keeps approvals in the database of the journal, where every host of a fleet finds them.
import {createHash} from 'node:crypto'
import {SvcError} from '../errors.ts'
import type {PostgresDatabase} from '../storage/postgres/database.ts'
import {type SchemaPart, findVersionProblem, readVersions} from '../storage/postgres/schema-parts.ts'
import {
  type ApprovalStore,
  type StoredApproval,
  approvalBytesMax,
  approvalsMax,
  tooManyApprovals,
} from './approval-store.ts'
import type {ApprovalSubject} from './statement.ts'

const place = 'the database of the journal'

// A row that is too large is not read; its text is empty.
const selectSmall = (column: string) =>
  `case when octet_length(${column}) <= ${approvalBytesMax} then ${column} else '' end`

const notPrepared = () =>
  new SvcError({
    error: 'NOT_INITIALIZED',
    kind: 'usage',
    message: 'The database of the journal has no table of approvals that this svc can use',
    hint: 'Create it with `svc journal init`',
  })

export async function openDatabaseStore(
  database: PostgresDatabase,
  {serviceId, kind, digest}: ApprovalSubject,
): Promise<ApprovalStore> {
  if (findVersionProblem(approvalsPart, await database.transact(readVersions, {isRepeatable: true})))
    throw notPrepared()
  return {
    place,
    async list() {
      const text = `select id, ${selectSmall('statement')} as text, ${selectSmall('signature')} as signature from svc.approvals
        where service_id = $1 and kind = $2 and digest = $3 order by created_at, id limit ${approvalsMax + 1}`
      const found = await database.read<StoredApproval & Record<string, unknown>>({text}, [serviceId, kind, digest])
      if (found.length > approvalsMax) throw tooManyApprovals(place, 'approvals of this')
      return found
    },
    async add({text, signature}) {
      const id = createHash('sha256').update(text).update(signature).digest('hex').slice(0, 24)
      const insert = `insert into svc.approvals (id, service_id, kind, digest, statement, signature)
        values ($1, $2, $3, $4, $5, $6) on conflict (id) do nothing`
      await database.transact((query) => query({text: insert}, [id, serviceId, kind, digest, text, signature]), {
        isRepeatable: true,
      })
    },
  }
}

// The table of approvals in the schema `svc`, for profiles whose journal is in PostgreSQL.
const first = `
create table svc.approvals (
  id text collate "C" primary key,
  service_id text collate "C" not null,
  kind text collate "C" not null,
  digest text collate "C" not null,
  statement text not null,
  signature text not null,
  created_at timestamptz not null default now()
);
create index approvals_by_subject on svc.approvals (service_id, kind, digest);
`

export const approvalsPart: SchemaPart = {name: 'approvals', migrations: [first], compatibleFrom: 1}
