// The table that stores automation rules.
import type {TableGroup} from '../../store/table-group.ts'

export const ruleTables: TableGroup = {
  namesInDeletionOrder: ['rules'],
  sql: `
  create table rules (
    seq integer not null unique,
    ruleId text not null unique,
    customerId text not null collate nocase references customers (customerId),
    sourcePaymentAccountId text not null collate nocase,
    name text not null,
    -- As requested, with currencies as labels.
    transactionTemplate text not null,
    triggerType text not null,
    trigger text not null,
    createdAt integer not null,
    -- Whether a threshold can fire. It is 0 after it fired, until the balance has fallen below the threshold.
    isArmed integer not null default 1,
    firedCount integer not null default 0,
    lastFiredAt integer,
    -- Why the last firing created no transaction.
    lastRefusal text
  ) strict;
  create index rulesByCustomer on rules (customerId, createdAt, seq);
  create index rulesBySource on rules (sourcePaymentAccountId, triggerType, seq);
  `,
}
