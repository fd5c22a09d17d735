// The table of the request log.
import type {TableGroup} from '../../store/table-group.ts'

// Request and reply are redacted JSON. On a frozen clock the duration is 0, so that the same requests give the same rows.
export const logTables: TableGroup = {
  namesInDeletionOrder: ['requests'],
  sql: `
  create table requests (
    seq integer primary key,
    at integer not null,
    method text not null,
    path text not null,
    status integer not null,
    durationMs real not null,
    request text,
    reply text,
    fault text
  ) strict;
  `,
}
