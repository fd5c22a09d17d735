// The books of a period: the completed payments in the order of their completion, and what is left
// out.
import type {Parties} from '../accounts/parties.ts'
import {badUsage} from '../errors.ts'
import {toIso} from '../values/time.ts'
import type {CompletedPayment} from './figures.ts'

export interface Books {
  period: Period
  // Payments in the order of their completion.
  completed: readonly CompletedPayment[]
  omitted: readonly OmittedPayment[]
  // Transactions that were completed in the period and that svc did not make.
  foreign: number
  // Payments for which the service has more than one transaction. Each that was completed is
  // posted.
  several: number
  // The service's time when the books were read.
  readAtMs: number
}

// The payments that the books do not post, as a report counts them, and what to do about each.
const omittedKinds = {
  // The transaction failed, was cancelled or expired: the money did not arrive.
  FAILED: {countedAs: 'failed', next: ''},
  // The payment was not completed before the end of the period.
  OPEN: {countedAs: 'open', next: ''},
  // Whether a transaction exists is not known to the journal.
  UNKNOWN: {countedAs: 'unknown', next: 'settle it with `svc journal settle`'},
  // The journal says that it was made, but the service does not list it.
  NOT_LISTED: {
    countedAs: 'unknown',
    next: 'ask the service for it, and say with `svc journal settle KEY --why` that it is dealt with',
  },
  // A payment that is listed no longer, and of which a person said that this is dealt with, counts
  // as none of these.
  DEALT_WITH: {countedAs: undefined, next: ''},
  // svc made the transaction, but this journal has no payment for it.
  NOT_IN_JOURNAL: {countedAs: 'unknown', next: 'run the payment again, which adopts it'},
  // A figure of the transaction is missing or cannot be read.
  UNREADABLE: {countedAs: 'unknown', next: 'ask the service for its figures'},
} as const

export type OmittedKind = keyof typeof omittedKinds

export const getCount = (kind: OmittedKind) => omittedKinds[kind].countedAs

// Whether an omission is part of everyday business. Any other may have moved money that the books
// do not have.
export const isHarmless = (kind: OmittedKind) => getCount(kind) !== 'unknown'

export interface OmittedPayment {
  kind: OmittedKind
  key?: string | undefined
  note?: string | undefined
  transactionId?: string | undefined
  customerId?: string | undefined
  // The account that was to pay, and the one that was to be paid.
  accountId?: string | undefined
  destinationAccountId?: string | undefined
  // The amount to be paid, as decimal text.
  amount?: string | undefined
  currency?: string | undefined
  destinationCurrency?: string | undefined
  // The time at which the payment was made or ended.
  at: string
  detail: string
}

// Why it is not posted, and what to do about it.
export const explainOmitted = ({kind, detail}: OmittedPayment): string =>
  [detail, omittedKinds[kind].next].filter(Boolean).join('; ')

// Describes a payment that was left out, such as "UNKNOWN rent-2026-11, to Zoë Ångström, Example
// Bank ****6789, 100.00 USDC, 2026-11-16T03:00:00Z: the connection was reset; settle it with …".
export function describeOmitted(omitted: OmittedPayment, parties?: Parties): string {
  const {kind, key, transactionId, amount, currency, at} = omitted
  const payee = parties?.describeAccount(omitted.customerId, omitted.destinationAccountId)
  const parts = [
    [kind, key].filter(Boolean).join(' '),
    payee && `to ${payee}`,
    transactionId && `transaction ${transactionId}`,
    amount && currency && `${amount} ${currency}`,
    at,
  ].filter(Boolean)
  return `${parts.join(', ')}: ${explainOmitted(omitted)}`
}

// The time that books cover: from a first instant on, up to but without a last one. Days and months
// are those of UTC.
export interface Period {
  sinceMs?: number | undefined
  // The end, which is not part of the period.
  untilMs?: number | undefined
}

export const isInPeriod = ({sinceMs, untilMs}: Period, ms: number): boolean =>
  (sinceMs === undefined || ms >= sinceMs) && (untilMs === undefined || ms < untilMs)

// Describes a period, such as "from 2026-11-01, before 2026-12-01, UTC". A period without ends has
// everything that was completed.
export function describePeriod({since, until, zone}: ReturnType<typeof toPeriodFields>): string {
  if (!since && !until) return 'so far'
  const ends = [since && `from ${since}`, until && `before ${until}`, zone].filter(Boolean)
  return ends.join(', ').replaceAll('T00:00:00Z', '')
}

const monthForm = /^(\d{4})-(0[1-9]|1[0-2])$/

export function parseMonth(text: string): Period {
  const [, year, month] = monthForm.exec(text) ?? []
  if (year === undefined) throw badUsage(`--month "${text}" is not a month`, 'Write the year and the month: 2026-11')
  return {sinceMs: Date.UTC(Number(year), Number(month) - 1), untilMs: Date.UTC(Number(year), Number(month))}
}

// Without the fraction, if it is zero.
export const toShortIso = (ms: number): string => toIso(ms).replace('.000Z', 'Z')

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

export const toPeriodFields = ({sinceMs, untilMs}: Period): {since?: string; until?: string; zone: string} => ({
  ...(sinceMs !== undefined && {since: toShortIso(sinceMs)}),
  ...(untilMs !== undefined && {until: toShortIso(untilMs)}),
  zone: 'UTC',
})
