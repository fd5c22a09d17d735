// Journals in both stores whose history is archived, and what somebody who can write the store does to them.
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {archiveHistory} from '../../../src/payments/audit/archive-journal.ts'
import {verifyJournal} from '../../../src/payments/audit/verify-journal.ts'
import {openJournal, withChainReader} from '../../../src/payments/journal/open-journal.ts'
import {runSql} from '../../support/postgres.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {clearJournal} from '../journal/stores.ts'
import {fillJournal} from './chained-journal.ts'

export interface TestJournal {
  address: {text: string}
  run: (sql: string) => Promise<unknown>
  // The names of its tables and columns.
  history: string
  payments: string
  number: string
  serviceId: string
  transactionId: string
}

export async function createFileJournal(): Promise<TestJournal> {
  const file = path.join(temporaryFolder(), 'journal.sqlite')
  return {
    address: {text: file},
    run: async (sql) => {
      const database = new DatabaseSync(file)
      database.exec(sql)
      database.close()
    },
    history: 'history',
    payments: 'payments',
    number: 'seq',
    serviceId: 'serviceId',
    transactionId: 'transactionId',
  }
}

export async function createDatabaseJournal(address: string): Promise<TestJournal> {
  await clearJournal(address)
  return {
    address: {text: address},
    run: (sql) => runSql(address, sql),
    history: 'svc.history',
    payments: 'svc.payments',
    number: 'number',
    serviceId: 'service_id',
    transactionId: 'transaction_id',
  }
}

export async function fill({address}: TestJournal, rounds = 2): Promise<void> {
  const journal = await openJournal(address)
  await fillJournal(journal, rounds)
  await journal.close()
}

export const newFile = (name = 'archive.jsonl') => path.join(temporaryFolder(), name)

// Everything that has ended by now.
export const soon = () => Date.now() + 60_000

export const prune = async ({address}: TestJournal, file = newFile()) =>
  archiveHistory(address, {file, svc: 'test', beforeMs: soon(), pruning: {confirm: async () => true, why: 'a test'}})

export const verify = ({address}: TestJournal, options: Parameters<typeof verifyJournal>[1] = {}) =>
  withChainReader(address, (reader) => verifyJournal(reader, options))
