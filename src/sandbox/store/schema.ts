// The schema of a sandbox: its own tables, and those of each module.
import {customerTables} from '../service/customers/schema.ts'
import {faultTables} from '../service/faults/schema.ts'
import {formTables} from '../forms/schema.ts'
import {logTables} from '../service/log/schema.ts'
import {moneyTables} from '../service/money/schema.ts'
import {ruleTables} from '../service/rules/schema.ts'
import {webhookTables} from '../service/webhooks/schema.ts'
import type {SqliteFormat} from '../../storage/sqlite.ts'
import type {TableGroup} from './table-group.ts'

// Times are milliseconds since 1970 on the virtual clock. A list must not be sorted by the row's own number (an integer
// primary key): SQLite would search the index by its first column alone, and a deep page would cost more than the first.
const coreTables: TableGroup = {
  namesInDeletionOrder: ['statusChanges', 'queue', 'organizations', 'sandbox'],
  sql: `
  create table sandbox (
    onlyRow integer primary key check (onlyRow = 1),
    seed text not null,
    seedGiven integer not null,
    apiKey text not null,
    idCount integer not null default 0,
    demoCustomerCount integer not null default 0,
    offsetMs integer not null default 0,
    frozenAt integer,
    -- Counts the resets and the restored snapshots.
    generation integer not null default 0,
    -- In a snapshot: the instant of the virtual clock at which it was made.
    savedAt integer
  ) strict;

  create table queue (
    seq integer primary key,
    due integer not null,
    kind text not null,
    payload text not null
  ) strict;
  create index queueByDue on queue (due, seq);

  create table organizations (
    seq integer primary key,
    organizationId text not null collate nocase unique,
    name text not null
  ) strict;

  -- When customers changed their status, for the console. The interface has no history. Transactions have theirs in their rows.
  create table statusChanges (
    seq integer primary key,
    -- In lower case, so that the index needs no collation.
    customerId text not null,
    changedAt integer not null,
    fromStatus text not null,
    toStatus text not null
  ) strict;
  create index statusChangesByCustomer on statusChanges (customerId, seq);
  `,
}

// A group only refers to tables of the groups before it.
const tableGroups: readonly TableGroup[] = [
  coreTables,
  customerTables,
  moneyTables,
  ruleTables,
  webhookTables,
  faultTables,
  logTables,
  formTables,
]

export const sandboxFormat: SqliteFormat = {
  // "svcS" in ASCII.
  applicationId: 0x73766353,
  schemaVersion: 9,
  schema: tableGroups.map(({sql}) => sql).join('\n'),
  description: 'a sandbox',
}

// Every table, in an order in which they can be emptied.
export const tableNames = tableGroups.toReversed().flatMap(({namesInDeletionOrder: names}) => names)
