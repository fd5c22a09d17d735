// The stores in which a journal can be, for tests that hold for each of them.
import path from 'node:path'
import {onTestFinished} from 'vitest'
import {chainStart} from '../../../src/payments/journal/tables.ts'
import type {Journal} from '../../../src/payments/journal/journal.ts'
import {journalPart} from '../../../src/payments/journal/postgres/postgres-journal.ts'
import {openJournalDatabase, openPostgresJournal} from '../../../src/payments/journal/postgres/open-postgres-journal.ts'
import {type Finding, verifyJournal} from '../../../src/payments/audit/verify-journal.ts'
import {openSqliteJournal, withChainReader} from '../../../src/payments/journal/open-journal.ts'
import {initSchema} from '../../../src/storage/postgres/schema-parts.ts'
import {runSql, usePostgres} from '../../support/postgres.ts'
import {temporaryFolder} from '../../support/svc.ts'

interface OpenStore {
  // The journal of a host. Called again, another host opens the same store.
  open(): Promise<Journal>
  // The time on the clock of the store.
  now(): Promise<number>
  // Lets the leases grow older, as if the time had passed.
  ageLeases(ms: number): Promise<void>
  // What is wrong with the journal, if anything.
  verify(): Promise<Finding | undefined>
}

const findWrong = async (text: string) => (await withChainReader({text}, (reader) => verifyJournal(reader))).finding

export interface TestStore {
  name: string
  // An empty store for one test.
  create(): Promise<OpenStore>
}

const closing = <T extends {close(): Promise<void>}>(journal: T): T => {
  onTestFinished(() => journal.close())
  return journal
}

const sqlite: TestStore = {
  name: 'SQLite',
  create: async () => {
    const file = path.join(temporaryFolder(), 'journal.sqlite')
    let ms = Date.now()
    return {
      open: async () => closing(openSqliteJournal(file, {now: () => ms})),
      now: async () => ms,
      ageLeases: async (agedMs) => void (ms += agedMs),
      verify: () => findWrong(file),
    }
  },
}

// Creates the tables of the journal in a database.
export async function prepareDatabase(address: string): Promise<void> {
  const database = openJournalDatabase({text: address})
  try {
    await initSchema(database, [journalPart])
  } finally {
    await database.close()
  }
}

// Removes all payments, so that a test finds the journal as if it was just created.
export const clearJournal = (address: string) =>
  runSql(
    address,
    'truncate svc.payments, svc.history, svc.spending, svc.list_proofs, svc.unrecorded',
    `update svc.chains set number = 0, hash = '${chainStart}'`,
  )

const createPostgres = (getAddress: () => string): TestStore => ({
  name: 'PostgreSQL',
  create: async () => {
    await clearJournal(getAddress())
    return {
      open: async () => closing(await openPostgresJournal({text: getAddress()})),
      now: async () => {
        const [row] = await runSql(
          getAddress(),
          'select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
        )
        return Number(row?.['ms'])
      },
      ageLeases: async (ms) => {
        await runSql(getAddress(), `update svc.payments set renewed_at = renewed_at - ${ms}`)
      },
      verify: () => findWrong(getAddress()),
    }
  },
})

// Call it once in a test file, and pass the result to describe.each.
export const useStores = (): TestStore[] => [sqlite, createPostgres(usePostgres(prepareDatabase))]
