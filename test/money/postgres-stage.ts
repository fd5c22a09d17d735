// A stage whose runs share a journal in PostgreSQL.
import type {Journal} from '../../src/payments/journal/journal.ts'
import {openJournalDatabase} from '../../src/payments/journal/postgres/open-postgres-journal.ts'
import {PostgresJournal} from '../../src/payments/journal/postgres/postgres-journal.ts'
import type {PostgresDatabase} from '../../src/storage/postgres/database.ts'
import {runSql} from '../support/postgres.ts'
import {type Row, type StageStore, serviceId} from './stage.ts'

const databases = new WeakMap<Journal, PostgresDatabase>()

function openStore(address: string): Journal {
  const opened = openJournalDatabase({text: address})
  const journal = new PostgresJournal(opened)
  databases.set(journal, opened)
  return journal
}

// The runs open the journal at `address`, which may be that of a proxy; the test looks into the database itself.
export const createPostgresStore = (database: string, {address = database}: {address?: string} = {}): StageStore => ({
  open: async () => openStore(address),
  abandon: async (journal) => databases.get(journal)?.close(),
  markProcessGone: async (run) => {
    await runSql(
      database,
      `update svc.payments set owner = jsonb_set(owner::jsonb, '{began}', '"gone"')::text where owner::jsonb ->> 'run' = '${run}'`,
    )
  },
  read: async (key) => {
    const own = `service_id = '${serviceId}' and key = '${key}'`
    const [payment] = await runSql(database, `select * from svc.payments where ${own}`)
    const history = await runSql(database, `select * from svc.history where ${own} order by chain, number`)
    const row = payment && (JSON.parse(String(payment['payment'])) as Row)
    return {row, dump: JSON.stringify([payment, history])}
  },
})
