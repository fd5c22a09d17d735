// The tables of the journal in PostgreSQL.
import type {SchemaPart} from '../../../storage/postgres/schema-parts.ts'
import {policySubject} from '../../../controls/decisions.ts'
import {databaseChains, fileChain} from '../chain.ts'
import {createSchema} from '../tables.ts'
import {lineOrder} from './postgres-journal.ts'

export const allChains = Array.from({length: databaseChains + 1}, (_, index) => fileChain + index)

// Text is compared byte by byte, as SQLite does. `write_id` tells which write a row has from, for a commit whose answer was lost.
// Hosts lock the row of a chain while they append to it, so rows have room to be updated in place.
const tables = createSchema(
  {
    prefix: 'svc.',
    types: {text: 'text collate "C"', integer: 'bigint'},
    writeId: 'write_id text not null, ',
    options: {payments: 'with (fillfactor = 80)', history: '', chains: 'with (fillfactor = 10)'},
    include: 'include (amount, state, key)',
    lineOrder,
  },
  allChains,
)

// The owner of the journal is not bound by the policies. Everybody else may read and add to the history, but not change it, nor add
// versions of a policy.
const policies = `
alter table svc.history enable row level security;
create policy history_read on svc.history for select using (true);
create policy history_add on svc.history for insert
  with check (not (service_id = '${policySubject.serviceId}' and key = '${policySubject.key}'));
`

export const journalPart: SchemaPart = {name: 'journal', version: 1, schema: tables + policies}
