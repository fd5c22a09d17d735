// The tables of a sandbox, as the steps that bring a database from each version to the next.

// Marks a file as a sandbox, so that svc never writes into somebody else's database ("svcS" in ASCII).
export const applicationId = 0x73766353

// Times are milliseconds since 1970 on the virtual clock. What a list is sorted by must not be the row's own number
// (an integer primary key): SQLite would search an index by the first column alone, and a deep page would cost more.
// A step, once released, is never changed: a later one follows it.
export const schemaSteps: readonly string[] = [
  `
  create table sandbox (
    onlyRow integer primary key check (onlyRow = 1),
    seed text not null,
    seedGiven integer not null,
    apiKey text not null,
    idCount integer not null default 0,
    demoCustomerCount integer not null default 0,
    offsetMs integer not null default 0,
    frozenAt integer
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
]

export const schemaVersion = schemaSteps.length

// Every table, those that refer to others first, so that emptying them in this order breaks no reference.
export const tables = ['queue', 'customers', 'organizations', 'sandbox'] as const
