// The table of the requests that were asked and answered.
import type {TableGroup} from '../store/table-group.ts'

// Request and reply are JSON without anything personal in it. On a clock that stands still a request takes no time, so
// that the same requests leave the same rows.
export const logTables: TableGroup = {
  names: ['requests'],
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
