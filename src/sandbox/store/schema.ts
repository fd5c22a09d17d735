// The tables of a sandbox: those of the house itself, and those that each room brings.
import {customerTables} from '../customers/schema.ts'
import {faultTables} from '../faults/schema.ts'
import {formTables} from '../forms/schema.ts'
import {logTables} from '../log/schema.ts'
import {moneyTables} from '../money/schema.ts'
import {ruleTables} from '../rules/schema.ts'
import {webhookTables} from '../webhooks/schema.ts'
import type {TableGroup} from './table-group.ts'

// Marks a file as a sandbox, so that svc never writes into somebody else's database ("svcS" in ASCII).
export const applicationId = 0x73766353

// Times are milliseconds since 1970 on the virtual clock. What a list is sorted by must not be the row's own number
// (an integer primary key): SQLite would search an index by the first column alone, and a deep page would cost more.
const coreTables: TableGroup = {
  names: ['queue', 'organizations', 'sandbox'],
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
    -- In a copy: the instant of the virtual clock at which it was made.
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
    organizationId text not null collate nocase primary key,
    name text not null
  ) strict;
  `,
}

// Each room refers only to rooms before it.
const rooms: readonly TableGroup[] = [
  coreTables,
  customerTables,
  moneyTables,
  ruleTables,
  webhookTables,
  faultTables,
  logTables,
]

// Rooms that were built on later, each with a step of its own.
const roomsLater: readonly TableGroup[] = [formTables]

// A step, once released, is never changed: a later one follows it.
export const schemaSteps: readonly string[] = [
  rooms.map(({sql}) => sql).join('\n'),
  // How often the database began anew: by a reset, or by going back to a copy.
  'alter table sandbox add column beginnings integer not null default 0',
  ...roomsLater.map(({sql}) => sql),
]

export const schemaVersion = schemaSteps.length

// Every table, in an order in which they can be emptied.
export const tableNames = [...rooms, ...roomsLater].toReversed().flatMap(({names}) => names)
