// A stage whose runs share a journal in PostgreSQL.
import {openPostgresJournal} from '../../src/payments/journal/postgres/open-postgres-journal.ts'
import {runSql} from '../support/postgres.ts'
import {type Row, type StageStore, serviceId} from './stage.ts'

// The runs open the journal at `address`, which may be that of a proxy; the test looks into the database itself.
export const createPostgresStore = (database: string, address = database): StageStore => ({
  open: () => openPostgresJournal({text: address}),
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
