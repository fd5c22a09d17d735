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
import {type Attempt, type Payment, getLastAttempt, isContentKnown, readCorrelationId} from '../protocol/payment.ts'
import {type HistoryEntry, type Journal, type PaymentFilter, type PaymentPosition} from './journal.ts'
import {openJournal} from './open-journal.ts'
import {hasJournalFile} from './sqlite/file.ts'

// `place` is the serviceId. It is part of the JSON output, so its name stays.
function toListed(payment: Payment) {
  const {key, state, serviceId: place, template, slot, note, content, transactionId, ended} = payment
  const {quoteId, sends, reason, bytes} = getLastAttempt(payment) ?? {}
  return omitUndefined({
    key,
    state,
    place,
    template,
    slot,
    note,
    transactionId,
    ended,
    ...(isContentKnown(content) ? content : ({} as Partial<typeof content>)),
    quoteId,
    correlationId: readCorrelationId(bytes),
    sends,
    // A payment that was made in the end needs no reason.
    reason: state === 'CREATED' ? undefined : reason,
    madeAt: toIso(payment.madeAt),
    createdAt: toIso(payment.createdAt),
    updatedAt: toIso(payment.updatedAt),
  })
}

const toAttempt = (attempt: Attempt) =>
  omitUndefined({
    ...attempt,
    quoteExpiresAt: toIso(attempt.quoteExpiresAt),
    armedAt: toIso(attempt.armedAt),
    armedLocallyAt: toIso(attempt.armedLocallyAt),
    clearSince: toIso(attempt.clearSince),
    clearLocallySince: toIso(attempt.clearLocallySince),
  })

const toLine = ({at, what, detail}: HistoryEntry) => omitUndefined({at: toIso(at), what, detail})

export type JournalEntry = ReturnType<typeof toListed> & {
  // A list of payments has neither.
  attempts?: Array<ReturnType<typeof toAttempt>>
  history?: Array<ReturnType<typeof toLine>>
}

export const toEntry = (payment: Payment, history?: readonly HistoryEntry[]): JournalEntry => ({
  ...toListed(payment),
  ...(history && {attempts: payment.attempts.map(toAttempt), history: history.map(toLine)}),
})

export interface ServiceOfEntries {
  serviceId?: string | undefined
  journal: JournalAddress
}

// Reading does not create a journal.
export async function openForReading({journal: address}: ServiceOfEntries): Promise<Journal | undefined> {
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
  readJournal([], async (journal) => (await journal.list(filter)).map((payment) => toEntry(payment)), filter)

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

const pageSizeDefault = 100

// A page of the list, newest first, as a page of the service's lists is.
export async function readEntryPage(
  journal: Journal | undefined,
  filter: PaymentFilter,
  {pageSize = pageSizeDefault, pageToken}: {pageSize?: number; pageToken?: string},
): Promise<{payments: JournalEntry[]; nextPageToken?: string}> {
  const after = pageToken === undefined ? undefined : decodePosition(pageToken)
  // One more than is shown tells whether the list goes on.
  const found = (await journal?.list({...filter, newestCount: pageSize + 1, after})) ?? []
  const last = found.length > pageSize ? found[pageSize - 1] : undefined
  const payments = found.slice(0, pageSize).map((payment) => toEntry(payment))
  return {payments, ...(last && {nextPageToken: encodePosition(last)})}
}

const notInJournal = (key: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `The journal has no payment ${key} for this profile`,
    hint: 'List them with `svc journal list`, or those of all services with --all-services',
  })

export async function requirePayment(
  {journal}: Pick<PaymentContext, 'journal'>,
  serviceId: string,
  key: string,
): Promise<Payment> {
  const payment = await journal.find(serviceId, key)
  if (payment) return payment
  throw notInJournal(key)
}

export async function findEntry(service: ServiceOfEntries & {serviceId: string}, key: string): Promise<JournalEntry> {
  const read = async (journal: Journal) =>
    toEntry(await requirePayment({journal}, service.serviceId, key), await journal.history(service.serviceId, key))
  const found = await readJournal(undefined, read, service)
  if (found) return found
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

// How many payments are read at a time, so that memory stays constant however many there are.
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
