// The table of automation rules.
import type {TableGroup} from '../store/table-group.ts'

export const ruleTables: TableGroup = {
  names: ['rules'],
  sql: `
  create table rules (
    seq integer not null unique,
    ruleId text not null unique,
    customerId text not null collate nocase references customers (customerId),
    sourcePaymentAccountId text not null collate nocase,
    name text not null,
    -- As they were sent: currencies as labels.
    transactionTemplate text not null,
    triggerType text not null,
    trigger text not null,
    createdAt integer not null,
    -- Whether a threshold can fire: it has fired when this is 0, until the balance has been below it again.
    isArmed integer not null default 1,
    firedCount integer not null default 0,
    lastFiredAt integer,
    -- Why the last firing made no transaction.
    lastRefusal text
  ) strict;
  create index rulesByCustomer on rules (customerId, createdAt, seq);
  create index rulesBySource on rules (sourcePaymentAccountId, triggerType, seq);
  `,
}
