// The tables of faults and behaviours.
import type {TableGroup} from '../../store/table-group.ts'

export const faultTables: TableGroup = {
  namesInDeletionOrder: ['faults', 'behaviours'],
  sql: `
  create table behaviours (
    name text not null primary key,
    value text not null
  ) strict;

  create table faults (
    seq integer primary key,
    faultId text not null unique,
    method text not null,
    path text not null,
    kind text not null,
    times integer,
    after integer not null,
    probability real not null,
    status integer,
    retryAfterSeconds integer,
    delayMs integer not null,
    commitAfterMs integer,
    seen integer not null default 0,
    acted integer not null default 0,
    createdAt integer not null
  ) strict;
  `,
}
