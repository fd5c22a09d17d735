// Reads payments of the journal, and shows them: with times as text, in the columns of their view.
import {createPayeeColumn, readPayeeIds} from '../../accounts/name-columns.ts'
import {isUuidPrefix} from '../../cli/ids/finder.ts'
import {type View, createColumn, formatMinute, formatMoney, toText} from '../../cli/output/view.ts'
import {isUuid} from '../../contract/ids.ts'
import {createCustomerColumns} from '../../customers/view.ts'
import {SvcError, badUsage} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import {getJournalAddress} from '../../profiles/journal.ts'
import {type JournalAddress, isDatabase} from '../../storage/journal-address.ts'
import {begunStates, owedStates, unknownStates} from '../../values/attention.ts'
import {omitUndefined} from '../../values/records.ts'
import {getServiceId} from '../../transport.ts'
import {svc} from '../../values/text.ts'
import {toIso} from '../../values/time.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {type Attempt, type Payment, getLastAttempt, isContentKnown, readCorrelationId} from '../protocol/payment.ts'
import {type HistoryEntry, type Journal, type PaymentFilter, type PaymentPosition, decisionLine} from './journal.ts'
import {openJournal} from './open-journal.ts'
import {findNoQuote} from '../protocol/no-quote.ts'
import {hasJournalFile} from './sqlite/sqlite-journal.ts'

// `place` is the serviceId. It is part of the JSON output, so its name stays.
function toListed(payment: Payment) {
  const {key, state, serviceId: place, template, slot, note, content, transactionId, ended, dismissed} = payment
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
    dismissed,
    ...(isContentKnown(content) ? content : ({} as Partial<typeof content>)),
    quoteId,
    correlationId: readCorrelationId(bytes),
    sends,
    // A payment that was made in the end needs no reason.
    reason: state === 'CREATED' ? undefined : (findNoQuote(payment)?.message ?? reason),
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

export type OpenEntry = JournalEntry & {isUnderWay?: true}

// All payments whose outcome is not known, however old, and all that were begun or refused since. A
// process works on those that are under way.
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
    hint: `${svc`journal show ${text}`} shows why`,
  })
}

const pageSizeDefault = 100

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

// A payment of a file or a batch that was approved is shown with the approvals, which the journal
// has once for all of its payments.
export async function readHistory(
  journal: Pick<Journal, 'history' | 'listDecisions'>,
  serviceId: string,
  key: string,
): Promise<HistoryEntry[]> {
  const history = await journal.history(serviceId, key)
  if (history.every(({detail}) => detail?.['approved'] === undefined)) return history
  const {findRecordedApprovals} = await import('../../controls/approvals.ts')
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

const secondsLength = 'YYYY-MM-DDTHH:MM:SS'.length

// A decision of people, with the names of those who signed. JSON has their signatures.
function formatDecision({kind, user, host, signer, why, data}: Readonly<Record<string, unknown>>): string[] {
  const approvals = (data as {approvals?: Array<{signer?: unknown}>} | undefined)?.approvals ?? []
  const signers = [signer, ...approvals.map((approval) => approval.signer)].filter((name) => name !== undefined)
  return [
    `${toText(kind)} by ${toText(user)} on ${toText(host)}`,
    ...(signers.length > 0 ? [`signed by ${signers.map(toText).join(' and ')}`] : []),
    ...(why === undefined ? [] : [`because: ${toText(why)}`]),
  ]
}

function formatHistoryLine({at, what, detail = {}}: NonNullable<JournalEntry['history']>[number]): string {
  const figures =
    what === decisionLine
      ? formatDecision(detail)
      : Object.entries(detail).map(([name, value]) => `${name} ${toText(value)}`)
  return [at.slice(0, secondsLength).replace('T', ' '), what, figures.join(', ')].filter(Boolean).join('  ')
}

function formatAttempt({quoteId, quoteExpiresAt, sends}: NonNullable<JournalEntry['attempts']>[number]): string {
  const sent = sends === 0 ? 'not sent' : `sent ${sends === 1 ? 'once' : `${sends} times`}`
  return `${quoteId}, until ${toText(formatMinute(quoteExpiresAt))}, ${sent}`
}

const column = createColumn<JournalEntry>
const detail: typeof column = (name, rank, more) => column(name, rank, {shown: 'onRequest', ...more})

export const journalView: View<JournalEntry> = {
  singular: 'payment',
  plural: 'payments',
  covers: ['source', 'destination', 'developerFee', 'template', 'quoteId', 'sends', 'dismissed'],
  columns: [
    // Other commands need the whole key, so other columns are dropped first.
    column('key', 0),
    column('state', 0, {
      // A payment that was made is not yet money that arrived, so a bad ending is shown wherever the state is.
      format: (state, {ended, dismissed}) =>
        [state, ended, dismissed && 'dismissed'].filter(Boolean).map(toText).join(', '),
      kind: 'status',
    }),
    column('ended', 9, {shown: 'csv'}),
    column('amount', 1, {
      value: ({source}) => formatMoney(source?.sourceAmount, source?.sourceCurrency),
      kind: 'number',
    }),
    detail('receive', 8, {
      header: 'TO ARRIVE',
      value: ({receive, destination}) => formatMoney(receive, destination?.destinationCurrency),
      kind: 'number',
    }),
    createPayeeColumn(1, readPayeeIds),
    column('updatedAt', 2, {short: 'updated', header: 'UPDATED (UTC)', format: formatMinute}),
    column('transactionId', 5, {short: 'transaction', header: 'TRANSACTION', kind: 'id'}),
    detail('reason', 4, {kind: 'sentence'}),
    ...createCustomerColumns<JournalEntry>(5, 'record'),
    detail('sourcePaymentAccountId', 6, {
      short: 'from',
      header: 'FROM',
      value: ({source}) => source?.sourcePaymentAccountId,
      kind: 'id',
    }),
    detail('destinationPaymentAccountId', 6, {
      short: 'to',
      header: 'TO',
      value: ({destination}) => destination?.destinationPaymentAccountId,
      kind: 'id',
    }),
    detail('correlationId', 7, {short: 'correlation', header: 'CORRELATION ID'}),
    column('note', 4, {kind: 'text'}),
    detail('slot', 7),
    detail('place', 8, {header: 'SERVICE'}),
    detail('createdAt', 8, {short: 'created', header: 'RECORDED (UTC)', format: formatMinute}),
    detail('madeAt', 8, {short: 'made', header: 'MADE (UTC)', format: formatMinute}),
    detail('attempts', 9, {header: 'QUOTES', format: (_, {attempts}) => attempts?.map(formatAttempt)}),
    detail('history', 9, {header: 'HISTORY (UTC)', format: (_, {history}) => history?.map(formatHistoryLine)}),
  ],
}
