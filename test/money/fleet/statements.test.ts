// How many statements a file and a batch take, counted at the database: what is asked for each row
// alone takes hours over a network.
import {beforeEach, expect, it, onTestFinished} from 'vitest'
import {storeBatch} from '../../../src/fleet/submit.ts'
import {openBoss} from '../../../src/fleet/queue.ts'
import {finishBatch} from '../../../src/fleet/sweep.ts'
import {PostgresJournal} from '../../../src/payments/journal/postgres/postgres-journal.ts'
import {createServerClock} from '../../../src/payments/protocol/clock.ts'
import {type FileRules, checkFile} from '../../../src/payouts/file/check-file.ts'
import type {PayoutRow} from '../../../src/payouts/file/rows.ts'
import type {OpenRun} from '../../../src/payouts/run/run.ts'
import {parsePostgresAddress} from '../../../src/storage/postgres/address.ts'
import {PostgresDatabase, type Query} from '../../../src/storage/postgres/database.ts'
import {useFleet} from '../../support/fleet.ts'
import {content} from '../connect.ts'

const {getAddress} = useFleet()

class CountedDatabase extends PostgresDatabase {
  readonly texts: string[] = []

  override read: PostgresDatabase['read'] = (statement, values) => {
    this.texts.push(statement.text)
    return super.read(statement, values)
  }

  override transact: PostgresDatabase['transact'] = (work, options) =>
    super.transact((query) => {
      const counted: Query = (statement, values) => {
        this.texts.push(statement.text)
        return query(statement, values)
      }
      return work(counted)
    }, options)
}

const createRow = (line: number): PayoutRow => ({line, key: `row-${line}`, content, limits: {}, isGuaranteed: false})

let database: CountedDatabase
beforeEach(() => {
  database = new CountedDatabase(parsePostgresAddress(getAddress(), 'The journal'))
  onTestFinished(() => database.close())
})

it('a file of 1,000 rows is checked with a few statements', async () => {
  const rows = Array.from({length: 1_000}, (_, index) => createRow(index + 2))
  const context = {journal: new PostgresJournal(database), clock: createServerClock(), controls: {}}
  const run = {context, serviceId: 's', rows, problems: [], told: new Map()} as unknown as OpenRun
  const rules = {caller: {}, traits: {}, file: 'payroll.csv', isDryRun: true, notice() {}} as unknown as FileRules
  expect((await checkFile(run, rules)).refusal).toBeUndefined()
  expect(database.texts.length).toBeLessThan(10)
})

it('the rows of a batch are looked at once at its end, however many workers end it', async () => {
  const boss = await openBoss(database)
  onTestFinished(() => boss.stop({graceful: false}))
  const rows = [{row: createRow(2), result: undefined}]
  const {batch} = await storeBatch(boss, database, {serviceId: 's', name: 'payroll.csv', digest: 'd', rows})
  await database.transact(
    (query) =>
      query({text: `update svc.batch_rows set heard = '{"state": "REJECTED"}' where batch_id = $1`}, [batch.id]),
    {isRepeatable: true},
  )
  database.texts.length = 0
  await Promise.all([1, 2, 3, 4].map(() => finishBatch(boss, database, batch.id)))
  expect(database.texts.filter((text) => text.includes('svc.batch_rows'))).toHaveLength(1)
})
