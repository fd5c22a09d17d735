// Rows for commands with a long journal in PostgreSQL. The CPU time of its server counts as well.
import fs from 'node:fs'
import path from 'node:path'
import {Client} from 'pg'
import {databaseChains} from '../../src/payments/journal/chain.ts'
import {PostgresServer} from '../../test/support/postgres-server.ts'
import {
  type JournalCommand,
  type OpenedJournal,
  betweenMs,
  createGrowthRow,
  journalCommands,
  journalSizes,
  openJournal,
  rejectedOneIn,
} from './journal.ts'
import {readServerCpuMs} from './process-cpu.ts'
import type {Bench, Row} from './row.ts'
import {runSvc} from './run-svc.ts'

const growthMax = 1.5
const rowsPerBatch = 1_000

// Autovacuum would work at times of its own; the journals are vacuumed when they are filled.
const serverSettings = ['autovacuum = off', 'max_wal_size = 8GB', 'maintenance_work_mem = 256MB']

async function runStatements(address: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({connectionString: address})
  await client.connect()
  try {
    for (const sql of statements) await client.query(sql)
  } finally {
    await client.end()
  }
}

// Indexes are made faster when the rows are there.
const dropIndexes = `
  create temporary table dropped as
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
    where i.indrelid in ('svc.payments'::regclass, 'svc.history'::regclass) and not i.indisprimary;
  do $$ declare name text; begin
    for name in select d.name from dropped d loop execute 'drop index ' || name; end loop;
  end $$`

const createIndexes = `
  do $$ declare definition text; begin
    for definition in select d.definition from dropped d loop execute definition; end loop;
  end $$`

// Copies of one payment, with its history, under other keys and at earlier times. Their lines go on from the heads of the chains;
// the hashes are those of the model. The payments are the rows of batches, too.
const fill = (address: string, count: number) =>
  runStatements(
    address,
    dropIndexes,
    `insert into svc.payments (service_id, key, state, currency, amount, destination, transaction_id, spent_at, created_at,
       updated_at, payment, epoch, write_id)
     select p.service_id, 'copy-' || i, case when i % ${rejectedOneIn} = 0 then 'REJECTED' else p.state end, p.currency, p.amount,
       p.destination, case when i % ${rejectedOneIn} = 0 then null else 'tx-' || i end, p.spent_at - i * ${betweenMs}::bigint,
       p.created_at - i * ${betweenMs}::bigint, p.updated_at - i * ${betweenMs}::bigint,
       (p.payment::jsonb || jsonb_build_object('key', 'copy-' || i, 'transactionId', 'tx-' || i,
         'madeAt', p.spent_at - i * ${betweenMs}::bigint,
         'state', case when i % ${rejectedOneIn} = 0 then 'REJECTED' else p.state end))::text, p.epoch, p.write_id
     from (select * from svc.payments limit 1) p, generate_series(1, ${count}) i`,
    `create temporary table model as
       select h.*, row_number() over (order by h.number) as line, count(*) over () as lines from svc.history h where h.key <> ''`,
    `insert into svc.history (chain, number, service_id, key, at, what, detail, evidence, payment, hash)
     select c.chain, c.number + (i / ${databaseChains}) * h.lines + h.line, h.service_id, 'copy-' || i,
       h.at - i * ${betweenMs}::bigint, h.what, h.detail, h.evidence, h.payment, h.hash
     from generate_series(1, ${count}) i join svc.chains c on c.chain = 1 + i % ${databaseChains} cross join model h`,
    `update svc.chains c set number = last.number
     from (select chain, max(number) as number from svc.history group by chain) last where last.chain = c.chain`,
    `insert into svc.batches (id, service_id, name, digest, state, row_count, created_at, ended_at)
     select 'b' || n, p.service_id, 'payroll-' || n, 'digest-' || n, 'DONE', ${rowsPerBatch}, now() - n * interval '10 days',
       now() - n * interval '10 days' from (select * from svc.payments limit 1) p, generate_series(1, ${count} / ${rowsPerBatch}) n`,
    `insert into svc.batch_rows (batch_id, line, key, content, limits, is_guaranteed, state)
     select b.id, i, b.name || '-' || i, p.payment::jsonb -> 'content', '{}', false, case when i % ${rejectedOneIn} = 0 then 'REJECTED' else 'CREATED' end
     from (select * from svc.payments limit 1) p, svc.batches b, generate_series(1, ${rowsPerBatch}) i`,
    'insert into svc.batch_counts select batch_id, state, count(*) from svc.batch_rows group by 1, 2',
    createIndexes,
    'vacuum analyze',
    'checkpoint',
  )

const shareJournals = ({share, folder: parent}: Bench): Promise<OpenedJournal[]> =>
  share('journals in PostgreSQL', async () => {
    const folder = fs.mkdtempSync(path.join(parent, 'postgres-'))
    // The server runs as another user, who has to reach its own folder in this one.
    for (const each of [parent, folder]) fs.chmodSync(each, 0o755)
    const postgres = new PostgresServer(path.join(folder, 'server'), {fsync: true, settings: serverSettings})
    await postgres.create()
    await postgres.start()
    const initialize = async (env: NodeJS.ProcessEnv) => void (await runSvc(env, ['journal', 'init', '--quiet']))
    const opened: OpenedJournal[] = []
    for (const count of journalSizes) {
      await runStatements(postgres.getAddress(), `create database of_${count}`)
      const place = {address: postgres.getAddress(`of_${count}`), count}
      const journal = await openJournal(folder, place, initialize, fill)
      opened.push({...journal, readServerMs: () => readServerCpuMs(postgres.pid)})
    }
    const close = async () => {
      for (const {server} of opened) server.process.kill()
      await postgres.stop()
    }
    return {value: opened, close}
  })

const statusCommands: readonly JournalCommand[] = [
  {row: 'journal-status', name: 'payouts status', args: () => ['payouts', 'status', '--json']},
  {row: 'journal-batch', name: 'payouts status BATCH', args: () => ['payouts', 'status', 'payroll-1', '--json']},
]

export const postgresRows: readonly Row[] = [...journalCommands, ...statusCommands].map((command) =>
  createGrowthRow(
    {...command, row: command.row.replace('journal-', 'fleet-')},
    {title: `svc ${command.name}, 1,000,000 payments in PostgreSQL`, atMost: growthMax, openJournals: shareJournals},
  ),
)
