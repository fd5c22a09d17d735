// Compares the sandbox with a snapshot, table by table.
import type {Database} from './database.ts'
import {tableNames} from './schema.ts'
import {findSnapshotFile} from './snapshots.ts'

export interface TableDifference {
  table: string
  added: number
  removed: number
  changed: number
  // The ids of the rows, if there are not too many.
  rows: string[]
}

const rowsListedMax = 50

// The first column that ends in Id, else the first one.
function findIdentifierColumn(database: Database, table: string): string {
  const columns = database.all<{name: string}>('select name from pragma_table_info(?)', table).map(({name}) => name)
  return columns.find((name) => name.endsWith('Id')) ?? columns[0] ?? 'rowid'
}

// The ids of the rows that are in one database and not in the other.
function findRowsOnlyIn(database: Database, table: string, one: string, other: string, key: string): Set<string> {
  const sql = `select ${key} as id from (select * from ${one}.${table} except select * from ${other}.${table})`
  return new Set(database.all<{id: unknown}>(sql).map(({id}) => String(id)))
}

function compareTable(database: Database, table: string): TableDifference {
  const key = findIdentifierColumn(database, table)
  const here = findRowsOnlyIn(database, table, 'main', 'saved', key)
  const there = findRowsOnlyIn(database, table, 'saved', 'main', key)
  const changed = here.intersection(there)
  const rows = [
    ...[...here.difference(there)].map((id) => `+ ${id}`),
    ...[...there.difference(here)].map((id) => `- ${id}`),
    ...[...changed].map((id) => `~ ${id}`),
  ]
  return {
    table,
    added: here.size - changed.size,
    removed: there.size - changed.size,
    changed: changed.size,
    rows: rows.length <= rowsListedMax ? rows : [],
  }
}

// The row in `sandbox` always differs by savedAt, and the comparison itself may be a logged request.
const ignoredTables = new Set(['sandbox', 'requests'])

export function compareWithSnapshot(database: Database, name: string): TableDifference[] {
  return database.withAttached(findSnapshotFile(database, name), 'saved', () =>
    tableNames
      .filter((table) => !ignoredTables.has(table))
      .map((table) => compareTable(database, table))
      .filter(({added, removed, changed}) => added + removed + changed > 0),
  )
}
