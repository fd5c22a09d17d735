// Reads payments of the journal, and shows them: with times as text, in the columns of their view.
import {type ServiceOfEntries, readJournal} from './journal/walk.ts'
import {SvcError, badUsage} from '../errors.ts'
import {begunStates, owedStates, unknownStates} from '../values/attention.ts'
import {omitUndefined} from '../values/records.ts'
import {svc} from '../values/text.ts'
import {toIso} from '../values/time.ts'
import type {PaymentContext} from './protocol/context.ts'
import {
  type Attempt,
  type Payment,
  getLastAttempt,
  getSends,
  isContentKnown,
  readCorrelationId,
} from './protocol/payment.ts'
import type {HistoryEntry, Journal, PaymentFilter, PaymentPosition} from './journal/journal.ts'
import {findNoQuote} from './protocol/no-quote.ts'

// `place` is the serviceId. It is part of the JSON output, so its name stays.
function toListed(payment: Payment) {
  const {key, state, serviceId: place, template, slot, note, content, transactionId, ended, dismissed} = payment

  const last = getLastAttempt(payment)
  return omitUndefined({
    key,
    state,
    place,
    template,
    slot,
    note,
    transactionId,
    ended,
    dismissed,
    ...(isContentKnown(content) ? content : ({} as Partial<typeof content>)),
    quoteId: last?.quote.id,
    correlationId: readCorrelationId(last?.armed?.bytes),
    sends: last && getSends(last),
    // A payment that was made in the end needs no reason.
    reason: state === 'CREATED' ? undefined : (findNoQuote(payment)?.message ?? last?.reason),
    madeAt: toIso(payment.madeAt),
    createdAt: toIso(payment.createdAt),
    updatedAt: toIso(payment.updatedAt),
  })
}

// The field names are part of the JSON output, so they stay.
function toAttempt(attempt: Attempt) {
  const {quote, hadOtherContent, customerId, armed, absentSince, refused, answered, reason} = attempt
  return omitUndefined({
    customerId,
    quoteId: quote.id,
    quoteExpiresAt: toIso(quote.expiresAt),
    price: quote.price,
    serverAheadMs: quote.aheadMs,
    sends: getSends(attempt),
    bytes: armed?.bytes,
    idempotencyKey: armed?.idempotencyKey,
    armedAt: toIso(armed?.at),
    armedLocallyAt: toIso(armed?.locallyAt),
    isGuaranteed: armed?.isGuaranteed,
    limits: armed?.limits,
    hadOtherContent,
    reason,
    error: refused?.error,
    statusCode: (refused ?? answered)?.statusCode,
    isRejectionUnconfirmed: refused && !refused.isConfirmed,
    clearSince: toIso(absentSince?.service),
    clearLocallySince: toIso(absentSince?.local),
  })
}

const toLine = ({at, what, detail}: HistoryEntry) => omitUndefined({at: toIso(at), what, detail})

export type JournalEntry = ReturnType<typeof toListed> & {
  // Absent in a list of payments.
  attempts?: Array<ReturnType<typeof toAttempt>>
  history?: Array<ReturnType<typeof toLine>>
}

export const toEntry = (payment: Payment, history?: readonly HistoryEntry[]): JournalEntry => ({
  ...toListed(payment),
  ...(history && {attempts: payment.attempts.map(toAttempt), history: history.map(toLine)}),
})

export const listEntries = (filter: PaymentFilter & ServiceOfEntries): Promise<JournalEntry[]> =>
  readJournal([], async (journal) => (await journal.list(filter)).map((payment) => toEntry(payment)), filter)

export type OpenEntry = JournalEntry & {isUnderWay?: true}

// Lists the payments whose outcome is unknown, however old, and those that were begun or refused
// since a time. `isUnderWay` marks payments that a process works on.
export const listOpenEntries = (service: PaymentFilter & ServiceOfEntries, sinceMs: number): Promise<OpenEntry[]> =>
  readJournal(
    [],
    async (journal) => {
      const unknown = await journal.list({...service, states: unknownStates})
      const payments = [...unknown, ...(await journal.list({...service, states: owedStates, sinceMs}))]
      const begun = payments.filter(({state}) => begunStates.includes(state)).map(({key}) => key)
      const holders = await journal.listLeaseHolders(service.serviceId, begun)
      return payments.map((payment) => ({...toEntry(payment), ...(holders.has(payment.key) && {isUnderWay: true})}))
    },
    service,
  )

const pageSizeDefault = 100

export async function readEntryPage(
  journal: Journal | undefined,
  filter: PaymentFilter,
  {pageSize = pageSizeDefault, pageToken}: {pageSize?: number; pageToken?: string},
): Promise<{payments: JournalEntry[]; nextPageToken?: string}> {
  const after = pageToken === undefined ? undefined : decodePosition(pageToken)
  // An extra payment tells whether the list goes on.
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
    hint: `List them with ${svc`journal list`}`,
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

// Reads the history of a payment with the approvals of its file or batch, which the journal has
// once for all of its payments.
export async function readHistory(
  journal: Pick<Journal, 'history' | 'listDecisions'>,
  serviceId: string,
  key: string,
): Promise<HistoryEntry[]> {
  const history = await journal.history(serviceId, key)
  if (history.every(({detail}) => detail?.['approved'] === undefined)) return history
  const {findRecordedApprovals} = await import('../controls/approvals.ts')
  const decisions = await journal.listDecisions()
  const shown = new Set<HistoryEntry>()
  return history.flatMap((line) => {
    const used = findRecordedApprovals(decisions, line.detail?.['approved'], line.at)
    if (!used || shown.has(used)) return [line]
    shown.add(used)
    return [used, line]
  })
}

export async function findEntry(service: ServiceOfEntries & {serviceId: string}, key: string): Promise<JournalEntry> {
  const read = async (journal: Journal) =>
    toEntry(await requirePayment({journal}, service.serviceId, key), await readHistory(journal, service.serviceId, key))
  const found = await readJournal(undefined, read, service)
  if (found) return found
  throw notInJournal(key)
}

const encodePosition = ({createdAt, key}: PaymentPosition) =>
  Buffer.from(JSON.stringify([createdAt, key])).toString('base64url')

function decodePosition(token: string): PaymentPosition {
  try {
    const [createdAt, key]: unknown[] = JSON.parse(Buffer.from(token, 'base64url').toString())
    if (Number.isSafeInteger(createdAt) && typeof key === 'string') return {createdAt: Number(createdAt), key}
  } catch {
    // Text that cannot be decoded is no token of this list.
  }
  throw badUsage(`--page-token "${token}" is not one of this list`, 'Use the token that the list ended with')
}
