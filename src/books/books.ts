// The books of a period: the completed payments in the order of their completion, and what is left out, read from a scratch
// database as often as a format needs them.
import type {PartyNames} from '../accounts/account-names.ts'
import {badUsage} from '../errors.ts'
import type {SqliteConnection} from '../storage/sqlite.ts'
import {capitalize} from '../values/text.ts'
import {dayMs, monthNames, toIso, toShortIso} from '../values/time.ts'
import type {CompletedPayment} from './figures.ts'

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

// The scratch database has what svc itself has written there.
const parseBody = <T>(row: Record<string, unknown>): T => JSON.parse(String(row['body'])) as T

const selectCompleted = 'select body from completed order by atMs, id'
const selectEarlier = 'select body from earlier order by atMs, id'
const selectOmitted = 'select body from omitted order by kind, atMs, key, id'
const selectAccounts = `
  select sourceAccount as accountId, sourceCurrency as currency from completed
  union select destinationAccount, destinationCurrency from completed order by 1, 2`
const selectCustomers = `
  select json_extract(body, '$.customerId') as customerId from completed
  union select json_extract(body, '$.customerId') from omitted order by 1`
const selectOfAccount = `
  select body from completed
  where (sourceAccount = :accountId and sourceCurrency = :currency)
    or (destinationAccount = :accountId and destinationCurrency = :currency)
  order by atMs, id`

interface BookDetails {
  period: Period
  previous?: Period | undefined
  serviceId: string
  counts: BookCounts
  readAtMs: number
}

export class Books {
  readonly #scratch: SqliteConnection
  readonly period: Period
  readonly serviceId: string
  readonly counts: BookCounts
  // The time before the period, if its payments were read too.
  readonly previous: Period | undefined
  // The service's time when the books were read.
  readonly readAtMs: number

  constructor(scratch: SqliteConnection, details: BookDetails) {
    this.#scratch = scratch
    this.period = details.period
    this.serviceId = details.serviceId
    this.counts = details.counts
    this.previous = details.previous
    this.readAtMs = details.readAtMs
  }

  // By the time of their completion.
  *walkCompleted(): Generator<CompletedPayment> {
    for (const row of this.#scratch.database.prepare(selectCompleted).iterate()) {
      yield parseBody<CompletedPayment>(row)
    }
  }

  // Those that were completed in the time before the period.
  *walkEarlier(): Generator<CompletedPayment> {
    for (const row of this.#scratch.database.prepare(selectEarlier).iterate()) {
      yield parseBody<CompletedPayment>(row)
    }
  }

  *walkOmitted(): Generator<OmittedPayment> {
    for (const row of this.#scratch.database.prepare(selectOmitted).iterate()) {
      yield parseBody<OmittedPayment>(row)
    }
  }

  countOmitted(): Map<OmittedKind, number> {
    const rows = this.#scratch.all<{kind: OmittedKind; count: number}>(
      'select kind, count(*) as count from omitted group by kind order by kind',
    )
    return new Map(rows.map(({kind, count}) => [kind, count]))
  }

  listCustomers(): string[] {
    return this.#scratch.all<{customerId: string}>(selectCustomers).map(({customerId}) => customerId)
  }

  listAccounts(): AccountCurrency[] {
    return this.#scratch.all<{accountId: string; currency: string}>(selectAccounts)
  }

  // Those that left or reached one account in one currency.
  *walkAccount({accountId, currency}: AccountCurrency): Generator<CompletedPayment> {
    for (const row of this.#scratch.database.prepare(selectOfAccount).iterate({accountId, currency})) {
      yield parseBody<CompletedPayment>(row)
    }
  }

  close(): void {
    this.#scratch.close()
  }
}

// The payments that the books do not post: what has become of each, and whether it keeps the books from being closed.
export type OmittedKind =
  // The transaction failed, was cancelled or expired: the money did not arrive.
  | 'FAILED'
  // Not completed before the end of the period.
  | 'OPEN'
  // Whether a transaction exists is not known to the journal.
  | 'UNKNOWN'
  // The journal says that it was made, but the service does not list it.
  | 'NOT_LISTED'
  // svc made the transaction, but this journal has no payment for it.
  | 'NOT_IN_JOURNAL'
  // A figure of the transaction is missing or cannot be read.
  | 'UNREADABLE'

export interface OmittedPayment {
  kind: OmittedKind
  key?: string | undefined
  note?: string | undefined
  transactionId?: string | undefined
  customerId?: string | undefined
  // The account that was to pay, and the one that was to be paid.
  accountId?: string | undefined
  destinationAccountId?: string | undefined
  // What was to be paid, as decimal text.
  amount?: string | undefined
  currency?: string | undefined
  destinationCurrency?: string | undefined
  // When it was made or ended.
  at: string
  detail: string
}

// What people who do not know svc call them, and what that means, where the reason does not say it.
export const omittedWords: Readonly<Record<OmittedKind, {title: string; meaning: string}>> = {
  FAILED: {title: 'Failed', meaning: ''},
  OPEN: {title: 'Under way', meaning: ''},
  UNKNOWN: {title: 'Outcome unknown', meaning: 'It may have been paid: the answer of the service was lost.'},
  NOT_LISTED: {title: 'Missing', meaning: 'Our records say that it was paid, but the service does not list it.'},
  NOT_IN_JOURNAL: {title: 'Not recorded', meaning: 'The service paid it, but our records do not have it.'},
  UNREADABLE: {title: 'Figures missing', meaning: 'It was paid, but the service does not give all of its figures.'},
}

// These are part of everyday business. All others may have moved money that the books do not have.
const harmlessKinds: ReadonlySet<OmittedKind> = new Set(['FAILED', 'OPEN'])

export const isHarmless = (kind: OmittedKind) => harmlessKinds.has(kind)

export const nextSteps: Partial<Record<OmittedKind, string>> = {
  UNKNOWN: 'settle it with `svc journal settle`',
  NOT_LISTED: 'ask the service for it',
  NOT_IN_JOURNAL: 'run the payment again, which adopts it',
  UNREADABLE: 'ask the service for its figures',
}

// Such as "UNKNOWN rent-2026-11, to Zoë Ångström, Example Bank ****6789, 100.00 USDC, 2026-11-16T03:00:00Z: the connection was
// reset; settle it with …".
export function describeOmitted(omitted: OmittedPayment, parties?: PartyNames): string {
  const {kind, key, transactionId, amount, currency, at, detail} = omitted
  const payee = parties?.describeAccount(omitted.customerId, omitted.destinationAccountId)
  const parts = [
    [kind, key].filter(Boolean).join(' '),
    payee && `to ${payee}`,
    transactionId && `transaction ${transactionId}`,
    amount && currency && `${amount} ${currency}`,
    at,
  ].filter(Boolean)
  const next = nextSteps[kind]
  return `${parts.join(', ')}: ${detail}${next === undefined ? '' : `; ${next}`}`
}

// The time that books cover: from a first instant on, up to but without a last one. Days and months are those of UTC.
export interface Period {
  sinceMs?: number | undefined
  // Not part of the period.
  untilMs?: number | undefined
}

export const isInPeriod = ({sinceMs, untilMs}: Period, ms: number): boolean =>
  (sinceMs === undefined || ms >= sinceMs) && (untilMs === undefined || ms < untilMs)

// The time of the same length just before, in whole months if the period has them. Undefined without both ends.
export function precedePeriod({sinceMs, untilMs}: Period): Period | undefined {
  if (sinceMs === undefined || untilMs === undefined) return undefined
  const [first, end] = [new Date(sinceMs), new Date(untilMs)]
  const areMonths = [first, end].every((date) => date.getUTCDate() === 1 && isDayStart(date.getTime()))
  if (!areMonths) return {sinceMs: sinceMs - (untilMs - sinceMs), untilMs: sinceMs}
  const months = (end.getUTCFullYear() - first.getUTCFullYear()) * 12 + end.getUTCMonth() - first.getUTCMonth()
  return {sinceMs: Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - months), untilMs: sinceMs}
}

// Such as "in November 2026, UTC" or "from 1 to 15 November 2026, UTC". Without both ends, everything that was completed.
export function describePeriod({sinceMs, untilMs}: Period): string {
  if (sinceMs === undefined && untilMs === undefined) return 'so far'
  const days = sinceMs !== undefined && untilMs !== undefined && nameDays(sinceMs, untilMs)
  if (days) return `${days.includes(' to ') ? 'from' : /^\d+ /.test(days) ? 'on' : 'in'} ${days}, UTC`
  // The end is not part of the period: a whole day ends with the one before it.
  const end =
    untilMs !== undefined &&
    (isDayStart(untilMs) ? `up to ${nameInstant(untilMs - dayMs)}` : `before ${nameInstant(untilMs)}`)
  const parts = [sinceMs !== undefined && `since ${nameInstant(sinceMs)}`, end].filter((part) => part !== false)
  return `${parts.join(' and ')}, UTC`
}

// The same as a title: "November 2026, UTC".
export const titlePeriod = (period: Period): string => {
  const text = describePeriod(period).replace(/^(in|on|from) /, '')
  return text === 'so far' ? 'All payments so far' : capitalize(text)
}

const isDayStart = (ms: number) => ms % dayMs === 0

// Undefined if they are not whole days.
function nameDays(sinceMs: number, untilMs: number): string | undefined {
  if (!isDayStart(sinceMs) || !isDayStart(untilMs)) return undefined
  const [first, last] = [new Date(sinceMs), new Date(untilMs - dayMs)]
  const areMonths = first.getUTCDate() === 1 && new Date(untilMs).getUTCDate() === 1
  const isYear = areMonths && first.getUTCMonth() === 0 && last.getUTCMonth() === 11
  const name = (date: Date) => [
    ...(areMonths ? [] : [date.getUTCDate()]),
    ...(isYear ? [] : [monthNames[date.getUTCMonth()] ?? '']),
    date.getUTCFullYear(),
  ]
  const [start, end] = [name(first), name(last)]
  if (start.join() === end.join()) return end.join(' ')
  // What both have in common at their end is said once: 1 to 15 November 2026.
  while (start.length > 1 && start.at(-1) === end[start.length - 1]) start.pop()
  return `${start.join(' ')} to ${end.join(' ')}`
}

// Such as "1 November 2026", or "1 November 2026, 08:30:00".
export function nameInstant(ms: number): string {
  const date = new Date(ms)
  const day = `${date.getUTCDate()} ${monthNames[date.getUTCMonth()]} ${date.getUTCFullYear()}`
  return isDayStart(ms) ? day : `${day}, ${toIso(ms).slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM:SS'.length)}`
}

const minuteMs = 60_000

// Such as "as of 17 November 2026, 08:30 UTC, so this time is not over yet".
export const describeReading = (readAtMs: number, untilMs = 0): string =>
  `as of ${nameInstant(readAtMs - (readAtMs % minuteMs)).replace(/:00$/, '')} UTC${untilMs > readAtMs ? ', so this time is not over yet' : ''}`

const monthForm = /^(\d{4})-(0[1-9]|1[0-2])$/

export function parseMonth(text: string): Period {
  const [, year, month] = monthForm.exec(text) ?? []
  if (year === undefined) throw badUsage(`--month "${text}" is not a month`, 'Write the year and the month: 2026-11')
  return {sinceMs: Date.UTC(Number(year), Number(month) - 1), untilMs: Date.UTC(Number(year), Number(month))}
}

interface PeriodFlags {
  month?: Period | undefined
  since?: number | undefined
  until?: number | undefined
}

export function createPeriod({month, since, until}: PeriodFlags): Period {
  if (month) return month
  if (since !== undefined && until !== undefined && until <= since) {
    throw badUsage(
      `--until ${toShortIso(until)} is not after --since ${toShortIso(since)}`,
      'The time runs from --since on, up to but without --until',
    )
  }
  return {sinceMs: since, untilMs: until}
}

export const toPeriodFields = ({sinceMs, untilMs}: Period) => ({
  ...(sinceMs !== undefined && {since: toShortIso(sinceMs)}),
  ...(untilMs !== undefined && {until: toShortIso(untilMs)}),
  zone: 'UTC',
})
