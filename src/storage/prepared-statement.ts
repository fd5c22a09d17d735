// A statement of SQLite that is prepared once and run many times.
import type {DatabaseSync, SQLInputValue, SQLOutputValue, StatementResultingChanges, StatementSync} from 'node:sqlite'

export type SqliteRow = Record<string, SQLOutputValue>

// How many rows the statements of a connection have changed.
export interface ChangeCounter {
  changeCount: number
}

// Node gives each row as an object with a shape of its own, so that every read of its fields looks them up slowly. Rows as arrays,
// put under the names of their columns here, have one shape for each statement.
export class PreparedStatement {
  readonly #statement: StatementSync
  readonly #names: readonly string[]
  readonly #counter: ChangeCounter

  constructor(database: DatabaseSync, sql: string, counter: ChangeCounter) {
    this.#counter = counter
    this.#statement = database.prepare(sql)
    this.#statement.setReturnArrays(true)
    this.#names = this.#statement.columns().map(({name}) => name)
  }

  // Named parameters come as one object.
  get(...values: ReadonlyArray<SQLInputValue | Record<string, SQLInputValue>>): SqliteRow | undefined {
    const found = this.#statement.get(...(values as SQLInputValue[])) as unknown as SQLOutputValue[] | undefined
    return found && this.#toRow(found)
  }

  all(...values: ReadonlyArray<SQLInputValue | Record<string, SQLInputValue>>): SqliteRow[] {
    const found = this.#statement.all(...(values as SQLInputValue[])) as unknown as SQLOutputValue[][]
    return found.map((row) => this.#toRow(row))
  }

  run(...values: ReadonlyArray<SQLInputValue | Record<string, SQLInputValue>>): StatementResultingChanges {
    const result = this.#statement.run(...(values as SQLInputValue[]))
    this.#counter.changeCount += Number(result.changes)
    return result
  }

  #toRow(values: readonly SQLOutputValue[]): SqliteRow {
    const row: SqliteRow = {}
    let index = 0
    for (const name of this.#names) row[name] = values[index++] as SQLOutputValue
    return row
  }
}
