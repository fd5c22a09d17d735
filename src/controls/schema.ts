// The table of approvals in the schema `svc`, for profiles whose journal is in PostgreSQL.
import type {SchemaPart} from '../storage/postgres/schema-parts.ts'

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
