// Adds completed transactions of the past year to the database of a sandbox, for measuring long lists. They are copies of those in
// the demo data, with ids and times of their own, and are not posted to the ledger.
import {DatabaseSync, type SQLInputValue} from 'node:sqlite'
import {deriveDigest, toUuid} from '../../src/sandbox/store/ids.ts'
import {toTimestamp} from '../../src/sandbox/time/clock.ts'
import {dayMs} from '../../src/values/time.ts'

const spanMs = 365 * dayMs

type Row = Record<string, SQLInputValue> & {reply: string}

export function addTransactions(file: string, count: number): void {
  const database = new DatabaseSync(file)
  const samples = database
    .prepare("select * from transactions where transactionStatus = 'COMPLETED' order by seq")
    .all() as Row[]
  const [sample] = samples
  if (!sample) throw new Error(`${file} has no completed transaction to copy`)
  const columns = Object.keys(sample)
  const insert = database.prepare(
    `insert into transactions (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  const {seq} = database.prepare('select max(seq) as seq from transactions').get() as {seq: number}
  const start = Date.now() - spanMs
  database.exec('begin immediate')
  for (let index = 0; index < count; index++) {
    const copied = samples[index % samples.length] ?? sample
    const transactionId = toUuid(deriveDigest('bench', index))
    const createdAt = Math.floor(start + (spanMs * index) / count)
    const times = {createdAt: toTimestamp(createdAt), updatedAt: toTimestamp(createdAt)}
    const reply = JSON.stringify({...JSON.parse(copied.reply), transactionId, ...times})
    insert.run(...Object.values({...copied, seq: seq + index + 1, transactionId, createdAt, reply}))
  }
  database.exec('commit')
  database.close()
}
