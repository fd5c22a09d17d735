// The tables of a sandbox.
import type {SqliteFormat} from '../../storage/sqlite.ts'

// A table only refers to tables before it.
const schema = `
  -- Times are milliseconds since 1970 on the virtual clock. A list must not be sorted by the row's own number (an integer
  -- primary key): SQLite would search the index by its first column alone, and a deep page would cost more than the first.
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
  create index queueToRun on queue (due, seq) where kind <> 'webhook.attempt';

  -- Tasks that threw an error, and were skipped.
  create table failedTasks (
    seq integer primary key,
    kind text not null,
    due integer not null,
    message text not null
  ) strict;

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
    toStatus text not null,
    -- What else is known of the change: issues, corrected fields by their names, and whether a control made it.
    note text not null default '{}'
  ) strict;
  create index statusChangesByCustomer on statusChanges (customerId, seq);

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

  -- Amounts are minor units stored as text, because some sums exceed SQLite's integers. Transactions have the numbers of
  -- their customer, organization and accounts, because ids would make their five indexes three times as large.
  create table accounts (
    seq integer not null unique,
    accountId text not null collate nocase unique,
    customerId text not null collate nocase references customers (customerId),
    paymentAccountType text not null,
    paymentAccountStatus text not null,
    nickname text not null,
    method text,
    currency text,
    createdAt integer not null,
    formToken text unique,
    details text not null
  ) strict;
  create index accountsByCustomer on accounts (customerId, createdAt, seq);

  -- Entries are a JSON array of [holder, currency, amount, balance]. The balance after each entry allows new entries to be
  -- checked without reading the ledger from the start: the last posting of a balance is stored with it.
  create table postings (
    posting integer primary key,
    postedAt integer not null,
    cause text not null,
    entries text not null
  ) strict;

  create table balances (
    holder text not null,
    currency text not null,
    amount text not null,
    lastPosting integer not null,
    primary key (holder, currency)
  ) strict, without rowid;

  create table quotes (
    quoteId text not null primary key,
    createdAt integer not null,
    expiresAt integer not null,
    transactionId text,
    terms text not null
  ) strict;

  create table transactions (
    -- The rows are in this order.
    seq integer not null,
    transactionId text not null unique,
    customerSeq integer not null,
    organizationSeq integer not null,
    sourceAccountSeq integer not null,
    destinationAccountSeq integer not null,
    transactionStatus text not null,
    createdAt integer not null,
    history text not null,
    reply text not null
  ) strict;
  create index transactionsByAge on transactions (createdAt, seq);
  create index transactionsByCustomer on transactions (customerSeq, createdAt, seq);
  create index transactionsByOrganization on transactions (organizationSeq, createdAt, seq);
  create index transactionsBySource on transactions (sourceAccountSeq, createdAt, seq);
  create index transactionsByDestination on transactions (destinationAccountSeq, createdAt, seq);
  -- Transactions are looked up by status only while they wait for money.
  create index transactionsAwaiting on transactions (sourceAccountSeq, seq)
    where transactionStatus = 'AWAITING_TRANSFER';

  create table idempotencyKeys (
    seq integer primary key,
    idempotencyKey text not null,
    bodyDigest text not null,
    answeredAt integer not null,
    answer text not null,
    unique (idempotencyKey, bodyDigest)
  ) strict;

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

  -- An endpoint with an owner belongs to the process that made it, which removes
  -- it again. A waiting attempt is a row in the queue, which everything else skips.
  create index attemptsByEndpoint on queue (payload ->> 'endpointId', due, seq) where kind = 'webhook.attempt';
  create index attemptsByDelivery on queue (payload ->> 'deliveryId') where kind = 'webhook.attempt';

  create table webhookEndpoints (
    seq integer primary key,
    endpointId text not null unique,
    url text not null,
    secret text not null,
    isEnabled integer not null default 1,
    copies integer not null,
    owner text,
    createdAt integer not null
  ) strict;

  create table webhookEvents (
    eventId text not null primary key,
    type text not null,
    customerId text not null,
    createdAt integer not null,
    body text not null
  ) strict;

  create table webhookDeliveries (
    seq integer primary key,
    deliveryId text not null unique,
    eventId text not null references webhookEvents (eventId),
    endpointId text not null references webhookEndpoints (endpointId),
    status text not null default 'PENDING',
    attempts integer not null default 0,
    lastOutcome text,
    lastAttemptAt integer,
    isResend integer not null default 0,
    createdAt integer not null
  ) strict;
  create index deliveriesByEndpoint on webhookDeliveries (endpointId, seq);
  create index deliveriesByEvent on webhookDeliveries (eventId, seq);

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

  -- Request and reply are redacted JSON. On a frozen clock the duration is 0, so that the same requests give the same rows.
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
`

export const sandboxFormat: SqliteFormat = {
  // "svcS" in ASCII.
  applicationId: 0x73766353,
  schemaVersion: 15,
  schema,
  description: 'a sandbox',
}

// Every table, in an order in which they can be emptied.
export const tableNames = [...schema.matchAll(/create table (\w+)/g)].map(([, name = '']) => name).toReversed()
