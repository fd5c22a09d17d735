// The tables of payment accounts, the ledger, quotes and transactions.
import type {TableGroup} from '../../store/table-group.ts'

// Amounts are minor units stored as text, because some sums exceed SQLite's integers. Transactions have the numbers of
// their customer, organization and accounts, because ids would make their five indexes three times as large.
export const moneyTables: TableGroup = {
  namesInDeletionOrder: ['idempotencyKeys', 'transactions', 'quotes', 'balances', 'postings', 'accounts'],
  sql: `
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
  `,
}
