// What is known about every row while a run goes on. It can be read at any moment, also when the process ends early.
import {type PayoutResult, toBaseResult} from './result.ts'
import type {PayoutRow} from '../file/rows.ts'

const interruptedRow = {
  error: 'CUT_SHORT',
  message: 'svc ended while this row was in progress; run the file again to settle it without paying twice',
}

export class RowLog {
  readonly #rows: readonly PayoutRow[]
  readonly #resultsByKey: Map<string, PayoutResult>
  // Rows that were started, and whose results are not recorded yet.
  readonly #inProgress = new Set<string>()
  // Those of them that nobody works on any more, whose results are recorded once they are on disk.
  readonly #unreported = new Set<string>()

  // `known` are the results of rows that are not tried.
  constructor(rows: readonly PayoutRow[], known: readonly PayoutResult[]) {
    this.#rows = rows
    this.#resultsByKey = new Map(known.map((result) => [result.key, result]))
  }

  // How many rows are being paid now.
  get activeCount(): number {
    return this.#inProgress.size - this.#unreported.size
  }

  // How many rows have no result yet, though something may have been sent for them.
  get inProgressCount(): number {
    return this.#inProgress.size
  }

  begin({key}: PayoutRow): void {
    this.#inProgress.add(key)
  }

  end({key}: PayoutRow): void {
    this.#unreported.add(key)
  }

  // Also replaces an earlier result of the row.
  record(result: PayoutResult): void {
    this.#inProgress.delete(result.key)
    this.#unreported.delete(result.key)
    this.#resultsByKey.set(result.key, result)
  }

  find(key: string): PayoutResult | undefined {
    return this.#resultsByKey.get(key)
  }

  // In the order of the file.
  listResults(): PayoutResult[] {
    return this.#rows.map((row) => this.find(row.key) ?? this.#describeUnended(row))
  }

  #describeUnended(row: PayoutRow): PayoutResult {
    return this.#inProgress.has(row.key)
      ? {...toBaseResult(row, 'UNKNOWN'), error: interruptedRow}
      : toBaseResult(row, 'NOT_TRIED')
  }
}
