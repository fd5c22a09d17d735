// Payments of the journal in the form in which they are shown, with times as text.
import {SvcError} from '../../errors.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import {type PaymentContent, readCorrelationId, isContentKnown} from '../protocol/payment-content.ts'
import type {Entry, HistoryEntry, Journal, PaymentFilter} from './journal.ts'
import {type Attempt, type Payment, type PaymentState, getLastAttempt} from '../protocol/payment.ts'
import {hasJournalFile} from './sqlite/file.ts'
import {joinFormerIds} from './former-ids.ts'
import {decodePosition, encodePosition} from './newest-first.ts'
import {openJournal} from './open-journal.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {omitUndefined} from '../../values/records.ts'
import {toIso} from '../../values/time.ts'

// `place` is the serviceId. It is part of the JSON output, so its name stays.
export interface JournalEntry extends Partial<PaymentContent> {
  key: string
  state: PaymentState
  place: string
  template?: string | undefined
  slot?: string | undefined
  transactionId?: string | undefined
  // How the transaction ended, if it ended badly.
  ended?: string | undefined
  quoteId?: string | undefined
  correlationId?: unknown
  sends?: number | undefined
  reason?: string | undefined
  madeAt?: string | undefined
  createdAt?: string | undefined
  updatedAt?: string | undefined
}

type ShownAttempt = Omit<Attempt, 'quoteExpiresAt' | 'armedAt' | 'clearSince'> & {
  quoteExpiresAt?: string | undefined
  armedAt?: string | undefined
  clearSince?: string | undefined
}

interface HistoryLine extends Entry {
  at?: string | undefined
}

export interface FullJournalEntry extends JournalEntry {
  attempts: ShownAttempt[]
  history: HistoryLine[]
}

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
    ended: payment.ended,
    ...(isContentKnown(content) && content),
    quoteId,
    correlationId: readCorrelationId(bytes),
    sends,
    // A payment that was made in the end needs no reason.
    reason: state === 'CREATED' ? undefined : reason,
    madeAt: toIso(madeAt),
    createdAt: toIso(createdAt),
    updatedAt: toIso(updatedAt),
  })
}

const toShownAttempt = (attempt: Attempt): ShownAttempt =>
  omitUndefined({
    ...attempt,
    quoteExpiresAt: toIso(attempt.quoteExpiresAt),
    armedAt: toIso(attempt.armedAt),
    clearSince: toIso(attempt.clearSince),
  })

const toHistoryLine = ({at, what, detail}: HistoryEntry): HistoryLine =>
  omitUndefined({at: toIso(at), what, ...(detail && {detail})})

export const toFullEntry = (payment: Payment, history: readonly HistoryEntry[]): FullJournalEntry => ({
  ...toEntry(payment),
  attempts: payment.attempts.map(toShownAttempt),
  history: history.map(toHistoryLine),
})

export interface ServiceOfEntries {
  serviceId?: string | undefined
  // The ids that the service had before.
  formerIds?: readonly string[] | undefined
  journal: JournalAddress
}

// Reading does not create a journal.
async function openForReading({
  serviceId = '',
  formerIds = [],
  journal: address,
}: ServiceOfEntries): Promise<Journal | undefined> {
  if (!isDatabase(address) && !hasJournalFile(address.text)) return undefined
  return joinFormerIds(await openJournal(address, {isOnlyRead: true}), serviceId, formerIds)
}

async function readJournal<T>(none: T, read: (journal: Journal) => Promise<T>, service: ServiceOfEntries): Promise<T> {
  const journal = await openForReading(service)
  if (!journal) return none
  try {
    return await read(journal)
  } finally {
    await journal.close()
  }
}

export const listEntries = (filter: PaymentFilter & ServiceOfEntries): Promise<JournalEntry[]> =>
  readJournal([], async (journal) => (await journal.list(filter)).map(toEntry), filter)

// Those of the keys under which a payment was made.
export const findPaidKeys = (
  service: ServiceOfEntries & {serviceId: string},
  keys: readonly string[],
): Promise<ReadonlySet<string>> => {
  const read = async (journal: Journal) => {
    const paid = new Set<string>()
    for (const key of keys) {
      if ((await journal.find(service.serviceId, key))?.state === 'CREATED') paid.add(key)
    }
    return paid
  }
  return keys.length === 0 ? Promise.resolve(new Set()) : readJournal(new Set(), read, service)
}

// What people decided about no payment, such as the controls of a profile.
export const listDecisions = (service: ServiceOfEntries): Promise<readonly HistoryEntry[]> =>
  readJournal<readonly HistoryEntry[]>([], (journal) => journal.history('', ''), service)

// A page of the list, as a page of the service's lists is.
type EntryPage = {payments: JournalEntry[]; nextPageToken?: string}

export interface EntryReader {
  // Newest first.
  readPage(this: void, paging: {pageSize?: number; pageToken?: string}): Promise<EntryPage>
  close(): Promise<void>
}

const pageSizeDefault = 100

// Reads a list page by page. The journal is opened for the first page and stays open until the reader is closed.
export function createEntryReader(filter: PaymentFilter & ServiceOfEntries): EntryReader {
  let opened: Promise<Journal | undefined> | undefined
  return {
    async readPage({pageSize = pageSizeDefault, pageToken}) {
      const after = pageToken === undefined ? undefined : decodePosition(pageToken)
      opened ??= openForReading(filter)
      // One more than is shown tells whether the list goes on.
      const payments = (await (await opened)?.list({...filter, newestCount: pageSize + 1, after})) ?? []
      const last = payments.length > pageSize ? payments[pageSize - 1] : undefined
      return {payments: payments.slice(0, pageSize).map(toEntry), ...(last && {nextPageToken: encodePosition(last)})}
    },
    async close() {
      const journal = await opened?.catch(() => undefined)
      await journal?.close()
    },
  }
}

const notInJournal = (key: string, address?: JournalAddress) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `The journal ${address ? `${address.text} ` : ''}has no payment ${key} for this profile`,
    hint: 'List them with `svc journal list`, or those of all services with --all-places',
  })

export async function findEntry(
  service: ServiceOfEntries & {serviceId: string},
  key: string,
): Promise<FullJournalEntry> {
  const read = async (journal: Journal) => {
    const payment = await journal.find(service.serviceId, key)
    return payment && toFullEntry(payment, await journal.history(payment.serviceId, key))
  }
  const found = await readJournal(undefined, read, service)
  if (found) return found
  throw notInJournal(key, service.journal)
}

export async function requirePayment({journal}: PaymentContext, serviceId: string, key: string): Promise<Payment> {
  const payment = await journal.find(serviceId, key)
  if (payment) return payment
  throw notInJournal(key)
}
