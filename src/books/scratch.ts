// A database that exists only while the books are written, so that they can be sorted and joined in little memory. SQLite keeps it
// in a file without a name, which nobody else can open and which is gone when svc ends.
import {SqliteConnection} from '../storage/sqlite.ts'

const unnamed = ''

const schema = `
pragma journal_mode = off;
pragma synchronous = off;
pragma cache_size = -32768;
create table transactions (
  id text primary key,
  correlationId text not null,
  quoteId text not null,
  createdMs integer,
  isOwned integer not null default 0,
  body text
) strict, without rowid;
create index transactionsByCorrelation on transactions (correlationId) where correlationId <> '';
create index transactionsByQuote on transactions (quoteId) where quoteId <> '';
create table completed (
  atMs integer not null,
  id text not null,
  sourceAccount text not null,
  sourceCurrency text not null,
  destinationAccount text not null,
  destinationCurrency text not null,
  body text not null,
  primary key (atMs, id)
) strict, without rowid;
create table omitted (
  kind text not null,
  atMs integer not null,
  key text not null,
  id text not null,
  body text not null,
  primary key (kind, atMs, key, id)
) strict, without rowid;
`

export function openScratch(): SqliteConnection {
  const connection = new SqliteConnection(unnamed, 0)
  connection.database.exec(schema)
  // One transaction that is never committed: nothing has to outlive the process, and each commit would write to the file.
  connection.database.exec('begin')
  return connection
}
