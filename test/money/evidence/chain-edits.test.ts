// Attacks on the stored journal: whatever single value is changed, and whatever row is removed or inserted, is found.
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {Client} from 'pg'
import {describe, expect, it} from 'vitest'
import {type JournalVerification, verifyJournal} from '../../../src/payments/audit/verify-journal.ts'
import {openSqliteJournal, withChainReader} from '../../../src/payments/journal/open-journal.ts'
import {openJournalDatabase, openPostgresJournal} from '../../../src/payments/journal/postgres/open-postgres-journal.ts'
import {createChainReader} from '../../../src/payments/journal/postgres/postgres-journal.ts'
import {usePostgres} from '../../support/postgres.ts'
import {seed} from '../../support/seed.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {prepareDatabase} from '../stores/stores.ts'
import {createGenerator} from '../../support/random.ts'
import {fillJournal} from './chained-journal.ts'

type Value = string | number | null
type Row = Record<string, Value>

// The rows of a journal as somebody who can write the store changes them.
interface Attacker {
  verify(): Promise<JournalVerification>
  run(sql: string, values?: readonly Value[]): Promise<Row[]>
  end(): Promise<void>
  // What stands before the names of its tables.
  prefix: string
}

// By which a row is named, and the columns that the chain covers: those of the lease are not among them.
const tables: ReadonlyArray<{name: string; ids: readonly string[]; columns: readonly string[]}> = [
  {
    name: 'history',
    ids: ['chain', 'number'],
    columns: ['chain', 'number', 'service_id', 'key', 'at', 'what', 'detail', 'payment', 'hash'],
  },
  {
    name: 'payments',
    ids: ['service_id', 'key'],
    columns: [
      'service_id',
      'key',
      'state',
      'currency',
      'amount',
      'destination',
      'transaction_id',
      'spent_at',
      'content_digest',
      'ended',
      'created_at',
      'updated_at',
      'payment',
    ],
  },
  {name: 'chains', ids: ['chain'], columns: ['chain', 'number', 'hash']},
  {
    name: 'spending',
    ids: ['service_id', 'currency', 'day', 'chain'],
    columns: ['service_id', 'currency', 'day', 'chain', 'amount', 'unknown'],
  },
]

const getAddress = usePostgres(prepareDatabase)

async function openFile(): Promise<Attacker> {
  const file = path.join(temporaryFolder(), 'journal.sqlite')
  const journal = openSqliteJournal(file)
  await fillJournal(journal)
  await journal.close()
  const database = new DatabaseSync(file)
  database.exec('pragma synchronous = off')
  return {
    verify: () => withChainReader({text: file}, (reader) => verifyJournal(reader)),
    run: async (sql, values = []) => database.prepare(sql.replaceAll(/\$\d+/g, '?')).all(...values) as Row[],
    end: async () => database.close(),
    prefix: '',
  }
}

async function openDatabase(): Promise<Attacker> {
  const address = getAddress()
  const journal = await openPostgresJournal({text: address})
  await fillJournal(journal)
  await journal.close()
  const client = new Client({connectionString: address})
  await client.connect()
  // Connected once, since there are hundreds of changes.
  const database = openJournalDatabase({text: address})
  const reader = createChainReader((statement, values) => database.read(statement, values))
  return {
    verify: () => verifyJournal(reader),
    run: async (sql, values = []) => (await client.query(sql, [...values])).rows as Row[],
    end: async () => {
      await client.end()
      await database.close()
    },
    prefix: 'svc.',
  }
}

const numberColumns = /^(chain|number|at|spent_at|created_at|updated_at|day|unknown)$/

// Another value for a column: one character or one number differs, or it is there where there was none.
function change(column: string, value: Value, next: () => number): Value {
  const isNumber = numberColumns.test(column)
  if (value === null) return isNumber ? Math.floor(next() * 1e9) : next() < 0.5 ? '' : 'x'
  if (isNumber) {
    const number = Number(value)
    return next() < 0.7 ? number + (next() < 0.5 ? 1 : -1) : number + Math.ceil(next() * 1e6)
  }
  const text = String(value)
  const at = Math.floor(next() * text.length)
  const other = text[at] === 'z' ? 'y' : 'z'
  const edits = [
    `${text.slice(0, at)}${other}${text.slice(at + 1)}`,
    `${text.slice(0, at)}${other}${text.slice(at)}`,
    `${text} `,
    ...(text.length > 0 ? [text.slice(0, at) + text.slice(at + 1)] : []),
  ]
  return edits[Math.floor(next() * edits.length)] ?? `${text}z`
}

const bind = (ids: readonly string[], first: number) =>
  ids.map((id, index) => `${id} = $${index + first}`).join(' and ')

describe.each([
  {name: 'a file', open: openFile, columnsPerRow: Number.POSITIVE_INFINITY},
  // A round trip for each: every row once, by turns in every column.
  {name: 'PostgreSQL', open: openDatabase, columnsPerRow: 4},
])('a journal in $name', ({open, columnsPerRow}) => {
  it(`is found to be changed, at every position, in every column (seed ${seed})`, async () => {
    const attacker = await open()
    const next = createGenerator(seed)
    try {
      const whole = await attacker.verify()
      expect(whole).toMatchObject({decisions: 5, payments: 5})
      expect(whole.finding).toBeUndefined()
      const missed: string[] = []
      let changes = 0
      for (const {name, ids, columns} of tables) {
        const table = `${attacker.prefix}${name}`
        const rows = await attacker.run(`select ${columns.join(', ')} from ${table}`)
        expect(rows.length).toBeGreaterThan(0)
        for (const [index, row] of rows.entries()) {
          const chosen = columns.filter(
            (_, column) =>
              columnsPerRow > columns.length || (column - index) % Math.ceil(columns.length / columnsPerRow) === 0,
          )
          for (const column of chosen) {
            const edited = change(column, row[column] ?? null, next)
            const after = {...row, [column]: edited}
            const set = (values: Row, where: Row) =>
              attacker.run(`update ${table} set ${column} = $1 where ${bind(ids, 2)}`, [
                values[column] ?? null,
                ...ids.map((id) => where[id] ?? null),
              ])
            try {
              await set(after, row)
            } catch {
              // The store itself refuses it: the id of another row, or a null where there is none.
              continue
            }
            changes++
            const {finding} = await attacker.verify()
            if (!finding) missed.push(`${table} ${column} ${JSON.stringify(row[column])} → ${JSON.stringify(edited)}`)
            await set(row, after)
          }
        }
      }
      expect(missed).toEqual([])
      expect(changes).toBeGreaterThan(60)
      expect((await attacker.verify()).finding).toBeUndefined()
    } finally {
      await attacker.end()
    }
  })

  it('is found to lack any row that was removed, and to have any that was inserted', async () => {
    const attacker = await open()
    try {
      const missed: string[] = []
      for (const {name, ids} of tables) {
        const table = `${attacker.prefix}${name}`
        const rows = await attacker.run(`select * from ${table}`)
        for (const row of rows) {
          const names = Object.keys(row)
          const insert = (values: Row) =>
            attacker.run(
              `insert into ${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
              names.map((column) => values[column] ?? null),
            )
          const remove = (values: Row) =>
            attacker.run(
              `delete from ${table} where ${bind(ids, 1)}`,
              ids.map((id) => values[id] ?? null),
            )
          await remove(row)
          const {finding} = await attacker.verify()
          if (!finding) missed.push(`removed from ${table}: ${JSON.stringify(row)}`)
          await insert(row)
          // The same once more, under an id that nobody has.
          const id = ids.at(-1) ?? ''
          const copy = {...row, [id]: numberColumns.test(id) ? 1_000_000 : `${String(row[id])}-copy`}
          await insert(copy)
          const inserted = await attacker.verify()
          if (!inserted.finding) missed.push(`inserted into ${table}: ${JSON.stringify(copy)}`)
          await remove(copy)
        }
      }
      expect(missed).toEqual([])
      expect((await attacker.verify()).finding).toBeUndefined()
    } finally {
      await attacker.end()
    }
  })
})

it('names the entry, and what happened to it', async () => {
  const attacker = await openFile()
  try {
    const describeFinding = async (...sql: string[]) => {
      for (const each of sql) await attacker.run(each)
      return (await attacker.verify()).finding
    }
    const [last] = await attacker.run('select max(number) as number from history')
    const end = Number(last?.['number'])
    expect(await describeFinding(`delete from history where number = ${end}`)).toMatchObject({
      kind: 'truncated',
      entry: {chain: 0, number: end},
    })
    expect(await describeFinding('delete from history where number in (7, 8)')).toEqual({
      kind: 'removed',
      message: 'Entry 7 was removed: entry 9 follows in its place',
      entry: {chain: 0, number: 7},
    })
    expect(await describeFinding(`update history set at = at + 1 where number = 3`)).toMatchObject({
      kind: 'changed',
      entry: {chain: 0, number: 3},
      key: 'key-0-1',
      message: expect.stringMatching(/^Entry 3 of the payment key-0-1 was changed/),
    })
  } finally {
    await attacker.end()
  }
})
