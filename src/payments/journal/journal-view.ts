// The views of the journal: its payments, and the results of settling them, creating it and copying it.
import {createPayeeColumn, readPayeeIds} from '../../accounts/name-columns.ts'
import {createCustomerColumns} from '../../customers/customer-names.ts'
import {type View, createColumn, formatMinute, formatMoney, toText} from '../../cli/output/view.ts'
import type {SettlementRow} from '../protocol/settle-all.ts'
import type {JournalCopy} from './copy-journal.ts'
import {decided} from './journal.ts'
import type {JournalEntry} from './entries.ts'
import type {JournalInit} from './postgres/open-postgres-journal.ts'

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
    what === decided
      ? formatDecision(detail)
      : Object.entries(detail).map(([name, value]) => `${name} ${toText(value)}`)
  return [at.slice(0, secondsLength).replace('T', ' '), what, figures.join(', ')].filter(Boolean).join('  ')
}

function formatAttempt({quoteId, quoteExpiresAt, sends}: NonNullable<JournalEntry['attempts']>[number]): string {
  const sent = sends === 0 ? 'not sent' : `sent ${sends === 1 ? 'once' : `${sends} times`}`
  return `${quoteId}, until ${toText(formatMinute(quoteExpiresAt))}, ${sent}`
}

const payment = createColumn<JournalEntry>
const onRequest = {shown: 'onRequest'} as const

export const journalView: View<JournalEntry> = {
  singular: 'payment',
  plural: 'payments',
  covers: ['source', 'destination', 'developerFee', 'template', 'quoteId', 'sends'],
  columns: [
    // Other commands need the whole key, so other columns are dropped first.
    payment('key', 0),
    payment('state', 0, {
      // A payment that was made is not yet money that arrived, so a bad ending is shown wherever the state is.
      format: (state, {ended}) => (ended === undefined ? state : `${toText(state)}, ${ended}`),
      kind: 'status',
    }),
    payment('ended', 9, {shown: 'csv'}),
    payment('amount', 1, {
      value: ({source}) => formatMoney(source?.sourceAmount, source?.sourceCurrency),
      kind: 'number',
    }),
    payment('receive', 8, {
      header: 'TO ARRIVE',
      value: ({receive, destination}) => formatMoney(receive, destination?.destinationCurrency),
      ...onRequest,
      kind: 'number',
    }),
    createPayeeColumn(1, readPayeeIds),
    payment('updatedAt', 2, {short: 'updated', header: 'UPDATED (UTC)', format: formatMinute}),
    payment('transactionId', 5, {short: 'transaction', header: 'TRANSACTION', kind: 'id'}),
    payment('reason', 4, {...onRequest, kind: 'sentence'}),
    ...createCustomerColumns<JournalEntry>(5, 'record'),
    payment('sourcePaymentAccountId', 6, {
      short: 'from',
      header: 'FROM',
      value: ({source}) => source?.sourcePaymentAccountId,
      kind: 'id',
      ...onRequest,
    }),
    payment('destinationPaymentAccountId', 6, {
      short: 'to',
      header: 'TO',
      value: ({destination}) => destination?.destinationPaymentAccountId,
      kind: 'id',
      ...onRequest,
    }),
    payment('correlationId', 7, {short: 'correlation', header: 'CORRELATION ID', ...onRequest}),
    payment('note', 4, {kind: 'text'}),
    payment('slot', 7, onRequest),
    payment('place', 8, {header: 'SERVICE', ...onRequest}),
    payment('createdAt', 8, {short: 'created', header: 'RECORDED (UTC)', format: formatMinute, ...onRequest}),
    payment('madeAt', 8, {short: 'made', header: 'MADE (UTC)', format: formatMinute, ...onRequest}),
    payment('attempts', 9, {header: 'QUOTES', format: (_, {attempts}) => attempts?.map(formatAttempt), ...onRequest}),
    payment('history', 9, {
      header: 'HISTORY (UTC)',
      format: (_, {history}) => history?.map(formatHistoryLine),
      ...onRequest,
    }),
  ],
}

const settled = createColumn<SettlementRow>

export const settlementView: View<SettlementRow> = {
  singular: 'payment',
  plural: 'payments',
  columns: [
    settled('key', 0, {kind: 'text'}),
    settled('before', 1, {kind: 'status'}),
    settled('state', 0, {header: 'NOW', kind: 'status'}),
    settled('transactionId', 1, {short: 'transaction', header: 'TRANSACTION', kind: 'id'}),
    settled('reason', 2, {header: 'WHY', kind: 'sentence'}),
  ],
}

const copied = createColumn<JournalCopy>

export const journalCopyView: View<JournalCopy> = {
  singular: 'journal',
  plural: 'journals',
  columns: [
    copied('from', 0),
    copied('to', 0),
    copied('payments', 0),
    copied('historyLines', 0, {header: 'LINES OF HISTORY'}),
    copied('digest', 0),
  ],
}

const formatChange = ({part, from, to}: JournalInit['changes'][number]) =>
  from === 0 ? `${part}: created (version ${to})` : `${part}: version ${from} to ${to}`

const formatYesNo = (isTrue: unknown) => (isTrue ? 'yes' : 'no')
const created = createColumn<JournalInit>

export const journalInitView: View<JournalInit> = {
  singular: 'journal',
  plural: 'journals',
  columns: [
    created('journal', 0),
    created('changes', 0, {
      format: (_, {changes}) => (changes.length > 0 ? changes.map(formatChange) : 'none'),
    }),
    created('isDurable', 0, {header: 'SURVIVES A CRASH', format: formatYesNo}),
    created('isReplicatedLater', 0, {header: 'A FAILOVER MAY LOSE PAYMENTS', format: formatYesNo}),
  ],
}
