// Payments of the journal in the form in which they are shown, with times as text.
import {isUuidPrefix} from '../../cli/ids/finder.ts'
import {isUuid} from '../../contract/ids.ts'
import {SvcError, badUsage} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import {getJournalAddress} from '../../profiles/journal.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import {omitUndefined} from '../../values/records.ts'
import {getServiceId} from '../../transport.ts'
import {quoteForShell} from '../../values/text.ts'
import {toIso} from '../../values/time.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {
  type Attempt,
  type Payment,
  type PaymentContent,
  type PaymentState,
  getLastAttempt,
  isContentKnown,
  readCorrelationId,
} from '../protocol/payment.ts'
import {type Entry, type HistoryEntry, type Journal, type PaymentFilter, type PaymentPosition} from './journal.ts'
import {openJournal} from './open-journal.ts'
import {hasJournalFile} from './sqlite/file.ts'

// `place` is the serviceId. It is part of the JSON output, so its name stays.
export interface JournalEntry extends Partial<PaymentContent> {
  key: string
  state: PaymentState
  place: string
  template?: string | undefined
  slot?: string | undefined
  // The remark of the person who paid.
  note?: string | undefined
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

// The times of an attempt are shown as text.
type AttemptTime = 'quoteExpiresAt' | 'armedAt' | 'armedLocallyAt' | 'clearSince' | 'clearLocallySince'

type ShownAttempt = Omit<Attempt, AttemptTime> & Partial<Record<AttemptTime, string | undefined>>

interface HistoryLine extends Entry {
  at?: string | undefined
}

export interface FullJournalEntry extends JournalEntry {
  attempts: ShownAttempt[]
  history: HistoryLine[]
}

function toEntry(payment: Payment): JournalEntry {
  const {
    key,
    state,
    serviceId: place,
    template,
    slot,
    note,
    content,
    transactionId,
    madeAt,
    createdAt,
    updatedAt,
  } = payment
  const {quoteId, sends, reason, bytes} = getLastAttempt(payment) ?? {}
  return omitUndefined({
    key,
    state,
    place,
    template,
    slot,
    note,
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
    armedLocallyAt: toIso(attempt.armedLocallyAt),
    clearSince: toIso(attempt.clearSince),
    clearLocallySince: toIso(attempt.clearLocallySince),
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
  journal: JournalAddress
}

// Reading does not create a journal.
async function openForReading({journal: address}: ServiceOfEntries): Promise<Journal | undefined> {
  if (!isDatabase(address) && !hasJournalFile(address.text)) return undefined
  return openJournal(address)
}

export async function readJournal<T>(
  none: T,
  read: (journal: Journal) => Promise<T>,
  service: ServiceOfEntries,
): Promise<T> {
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

// People know a payment by its key, so commands for transactions take it too. Any other text is returned as it is.
export async function resolveTransactionKey(
  text: string | undefined,
  findCaller: () => Promise<Caller>,
): Promise<string | undefined> {
  if (text === undefined || text.trim() === '' || isUuid(text) || isUuidPrefix(text)) return text
  const caller = await findCaller()
  const service = {serviceId: await getServiceId(caller), journal: getJournalAddress(caller)}
  const [entry] = await listEntries({...service, keys: [text]})
  if (!entry || entry.transactionId !== undefined) return entry?.transactionId ?? text
  throw new SvcError({
    error: 'NO_TRANSACTION',
    kind: 'notFound',
    message: `The payment ${text} has no transaction: it is ${entry.state}`,
    hint: `\`svc journal show ${quoteForShell(text)}\` shows why`,
  })
}

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
    hint: 'List them with `svc journal list`, or those of all services with --all-services',
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

// The place in a list from which it is continued.
const encodePosition = ({createdAt, key, serviceId}: PaymentPosition) =>
  Buffer.from(JSON.stringify([createdAt, key, serviceId])).toString('base64url')

function decodePosition(token: string): PaymentPosition {
  try {
    const [createdAt, key, serviceId]: unknown[] = JSON.parse(Buffer.from(token, 'base64url').toString())
    const isTime = typeof createdAt === 'number' && Number.isSafeInteger(createdAt)
    if (isTime && typeof key === 'string' && typeof serviceId === 'string') return {createdAt, key, serviceId}
  } catch {
    // It is no token of this list either.
  }
  throw badUsage(`--page-token "${token}" is not one of this list`, 'Use the token that the list ended with')
}

// Reads all payments of a filter from the journal, some at a time, so that memory stays constant however many there are.
const paymentsPerRead = 1_000

// Newest first. A payment that is recorded in the meantime is newer, and not read.
export async function* walkPayments(
  journal: Pick<Journal, 'list'>,
  filter: Pick<PaymentFilter, 'serviceId' | 'states' | 'sinceMs'>,
): AsyncGenerator<Payment[]> {
  let after: Payment | undefined
  do {
    const page: Payment[] = await journal.list({...filter, newestCount: paymentsPerRead, after})
    if (page.length > 0) yield page
    after = page.length === paymentsPerRead ? page.at(-1) : undefined
  } while (after)
}
