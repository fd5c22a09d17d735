// Payments of the journal as they are shown: what was meant, sent, answered and adopted, with times as text.
import fs from 'node:fs'
import {SvcError} from '../../errors.ts'
import {journalFile} from '../../storage/folders.ts'
import {correlationIdIn, isContentKnown} from '../payment-content.ts'
import type {HistoryEntry, Journal, PaymentFilter} from './journal.ts'
import {type Attempt, type Payment, type PaymentState, lastAttempt} from '../payment.ts'
import {openJournal} from './sqlite.ts'
import type {PaymentContext} from '../context.ts'

type Fields = Readonly<Record<string, unknown>>

export interface JournalEntry extends Fields {
  key: string
  state: PaymentState
  place: string
}

const isoOf = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

const present = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T

function entryOf(payment: Payment): JournalEntry {
  const {key, state, place, template, slot, content, transactionId, madeAt, createdAt, updatedAt} = payment
  const {quoteId, sends, reason, bytes} = lastAttempt(payment) ?? {}
  return present({
    key,
    state,
    place,
    template,
    slot,
    transactionId,
    ...(isContentKnown(content) && content),
    quoteId,
    correlationId: correlationIdIn(bytes),
    sends,
    // What was wrong on the way says nothing of a payment that was made.
    reason: state === 'CREATED' ? undefined : reason,
    madeAt: isoOf(madeAt),
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(updatedAt),
  })
}

const attemptOf = (attempt: Attempt) =>
  present({
    ...attempt,
    quoteExpiresAt: isoOf(attempt.quoteExpiresAt),
    armedAt: isoOf(attempt.armedAt),
    clearSince: isoOf(attempt.clearSince),
  })

const lineOf = ({at, what, detail}: HistoryEntry) => present({at: isoOf(at), what, ...(detail && {detail})})

export const fullEntryOf = (payment: Payment, history: readonly HistoryEntry[]): JournalEntry => ({
  ...entryOf(payment),
  attempts: payment.attempts.map(attemptOf),
  history: history.map(lineOf),
})

// A journal that is only read is not made where there is none.
function readingJournal<T>(none: T, read: (journal: Journal) => T): T {
  if (!fs.existsSync(journalFile())) return none
  const journal = openJournal(journalFile())
  try {
    return read(journal)
  } finally {
    journal.close()
  }
}

export const listEntries = (filter: PaymentFilter): JournalEntry[] =>
  readingJournal([], (journal) => journal.list(filter).map(entryOf))

const notInJournal = (key: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `The journal ${journalFile()} has no payment ${key} for this profile`,
    hint: 'See which there are with `svc journal list`, or those of every address with --all-places',
  })

export function findEntry(place: string, key: string): JournalEntry {
  const found = readingJournal(undefined, (journal) => {
    const payment = journal.find(place, key)
    return payment && fullEntryOf(payment, journal.history(place, key))
  })
  if (found) return found
  throw notInJournal(key)
}

export function paymentIn({journal}: PaymentContext, place: string, key: string): Payment {
  const payment = journal.find(place, key)
  if (payment) return payment
  throw notInJournal(key)
}
