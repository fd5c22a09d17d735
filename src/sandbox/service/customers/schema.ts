// The table that stores customers.
import type {TableGroup} from '../../store/table-group.ts'

export const customerTables: TableGroup = {
  namesInDeletionOrder: ['customers'],
  sql: `
  create table customers (
    seq integer not null unique,
    customerId text not null collate nocase unique,
    organizationId text not null collate nocase references organizations (organizationId),
    customerType text not null,
    customerStatus text not null,
    name text not null,
    statedName text,
    email text not null,
    createdAt integer not null,
    updatedAt integer not null,
    formToken text not null unique,
    reviewCount integer not null default 0,
    issues text not null default '[]',
    data text not null default '{}'
  ) strict;
  create index customersByAge on customers (createdAt, seq);
  create index customersByOrganization on customers (organizationId, createdAt, seq);
  create index customersByStatus on customers (customerStatus);
  `,
}
