// Payments of the journal as they are shown: what was meant, sent, answered and adopted, with times as text.
import fs from 'node:fs'
import {SvcError} from '../../errors.ts'
import {journalFile} from '../../storage/folders.ts'
import {readCorrelationId, isContentKnown} from '../payment-content.ts'
import type {HistoryEntry, Journal, PaymentFilter} from './journal.ts'
import {type Attempt, type Payment, type PaymentState, getLastAttempt} from '../payment.ts'
import {openJournal} from './sqlite-journal.ts'
import type {PaymentContext} from '../context.ts'

type Fields = Readonly<Record<string, unknown>>

export interface JournalEntry extends Fields {
  key: string
  state: PaymentState
  place: string
}

const toIso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

const omitUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T

function toEntry(payment: Payment): JournalEntry {
  const {key, state, serviceId: place, template, slot, content, transactionId, madeAt, createdAt, updatedAt} = payment
  const {quoteId, sends, reason, bytes} = getLastAttempt(payment) ?? {}
  return omitUndefined({
    key,
    state,
    place,
    template,
    slot,
    transactionId,
    ...(isContentKnown(content) && content),
    quoteId,
    correlationId: readCorrelationId(bytes),
    sends,
    // What was wrong on the way says nothing of a payment that was made.
    reason: state === 'CREATED' ? undefined : reason,
    madeAt: toIso(madeAt),
    createdAt: toIso(createdAt),
    updatedAt: toIso(updatedAt),
  })
}

const toShownAttempt = (attempt: Attempt) =>
  omitUndefined({
    ...attempt,
    quoteExpiresAt: toIso(attempt.quoteExpiresAt),
    armedAt: toIso(attempt.armedAt),
    clearSince: toIso(attempt.clearSince),
  })

const toHistoryLine = ({at, what, detail}: HistoryEntry) =>
  omitUndefined({at: toIso(at), what, ...(detail && {detail})})

export const toFullEntry = (payment: Payment, history: readonly HistoryEntry[]): JournalEntry => ({
  ...toEntry(payment),
  attempts: payment.attempts.map(toShownAttempt),
  history: history.map(toHistoryLine),
})

// A journal that is only read is not made where there is none.
function readJournal<T>(none: T, read: (journal: Journal) => T): T {
  if (!fs.existsSync(journalFile())) return none
  const journal = openJournal(journalFile())
  try {
    return read(journal)
  } finally {
    journal.close()
  }
}

export const listEntries = (filter: PaymentFilter): JournalEntry[] =>
  readJournal([], (journal) => journal.list(filter).map(toEntry))

const notInJournal = (key: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `The journal ${journalFile()} has no payment ${key} for this profile`,
    hint: 'See which there are with `svc journal list`, or those of every address with --all-places',
  })

export function findEntry(serviceId: string, key: string): JournalEntry {
  const found = readJournal(undefined, (journal) => {
    const payment = journal.find(serviceId, key)
    return payment && toFullEntry(payment, journal.history(serviceId, key))
  })
  if (found) return found
  throw notInJournal(key)
}

export function requirePayment({journal}: PaymentContext, serviceId: string, key: string): Payment {
  const payment = journal.find(serviceId, key)
  if (payment) return payment
  throw notInJournal(key)
}
