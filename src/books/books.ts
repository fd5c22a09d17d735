// The books of a period: the completed payments in the order of their completion, and what is left out, read from a scratch
// database as often as a format needs them.
import type {SqliteConnection} from '../storage/sqlite.ts'
import type {CompletedPayment} from './figures.ts'
import type {OmittedKind, OmittedPayment} from './omitted.ts'
import type {Period} from './period.ts'

export interface BookCounts {
  completed: number
  // Transactions that were completed in the period and that svc did not make.
  foreign: number
  // Payments for which the service has more than one transaction. Each that was completed is posted.
  several: number
}

// A payment account in one currency.
export interface AccountCurrency {
  accountId: string
  currency: string
}

interface BodyRow {
  body: string
}

const selectCompleted = 'select body from completed order by atMs, id'
const selectOmitted = 'select body from omitted order by kind, atMs, key, id'
const selectAccounts = `
  select sourceAccount as accountId, sourceCurrency as currency from completed
  union select destinationAccount, destinationCurrency from completed order by 1, 2`
const selectOfAccount = `
  select body from completed
  where (sourceAccount = :accountId and sourceCurrency = :currency)
    or (destinationAccount = :accountId and destinationCurrency = :currency)
  order by atMs, id`

export class Books {
  readonly #scratch: SqliteConnection
  readonly period: Period
  readonly serviceId: string
  readonly counts: BookCounts

  constructor(scratch: SqliteConnection, details: {period: Period; serviceId: string; counts: BookCounts}) {
    this.#scratch = scratch
    this.period = details.period
    this.serviceId = details.serviceId
    this.counts = details.counts
  }

  // By the time of their completion.
  *walkCompleted(): Generator<CompletedPayment> {
    for (const row of this.#scratch.database.prepare(selectCompleted).iterate()) {
      yield JSON.parse(String(row['body'])) as CompletedPayment
    }
  }

  *walkOmitted(): Generator<OmittedPayment> {
    for (const row of this.#scratch.database.prepare(selectOmitted).iterate()) {
      yield JSON.parse(String(row['body'])) as OmittedPayment
    }
  }

  countOmitted(): Map<OmittedKind, number> {
    const rows = this.#scratch.all<{kind: OmittedKind; count: number}>(
      'select kind, count(*) as count from omitted group by kind order by kind',
    )
    return new Map(rows.map(({kind, count}) => [kind, count]))
  }

  listAccounts(): AccountCurrency[] {
    return this.#scratch.all<{accountId: string; currency: string}>(selectAccounts)
  }

  // Those that left or reached one account in one currency.
  *walkAccount({accountId, currency}: AccountCurrency): Generator<CompletedPayment> {
    for (const row of this.#scratch.database.prepare(selectOfAccount).iterate({accountId, currency})) {
      yield JSON.parse((row as unknown as BodyRow).body) as CompletedPayment
    }
  }

  close(): void {
    this.#scratch.close()
  }
}
