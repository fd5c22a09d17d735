// The views of the journal: its payments, and the result of settling them.
import {createPayeeColumn, readPayeeIds} from '../../accounts/name-columns.ts'
import {createCustomerColumns} from '../../customers/customer-names.ts'
import {type View, formatMinute, formatMoney, toText} from '../../cli/output/view.ts'
import type {SettlementRow} from '../protocol/settle-all.ts'
import type {JournalCopy} from './copy-journal.ts'
import {decided} from './journal.ts'
import type {FullJournalEntry} from './entries.ts'
import type {JournalInit} from './postgres/open-postgres-journal.ts'

// A list of payments has neither attempts nor history.
type ShownEntry = Omit<FullJournalEntry, 'attempts' | 'history'> &
  Partial<Pick<FullJournalEntry, 'attempts' | 'history'>>

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

function formatHistoryLine({at = '', what, detail = {}}: FullJournalEntry['history'][number]): string {
  const figures =
    what === decided
      ? formatDecision(detail)
      : Object.entries(detail).map(([name, value]) => `${name} ${toText(value)}`)
  return [at.slice(0, secondsLength).replace('T', ' '), what, figures.join(', ')].filter(Boolean).join('  ')
}

function formatAttempt({quoteId, quoteExpiresAt, sends}: FullJournalEntry['attempts'][number]): string {
  const sent = sends === 0 ? 'not sent' : `sent ${sends === 1 ? 'once' : `${sends} times`}`
  return `${quoteId}, until ${toText(formatMinute(quoteExpiresAt))}, ${sent}`
}

export const journalView: View<ShownEntry> = {
  singular: 'payment',
  plural: 'payments',
  covers: ['source', 'destination', 'developerFee', 'template', 'quoteId', 'sends'],
  columns: [
    // Other commands need the whole key, so other columns are dropped first.
    {name: 'key', header: 'KEY', value: (p) => p.key, rank: 0, widthMin: 56},
    {
      name: 'state',
      header: 'STATE',
      value: (p) => p.state,
      // A payment that was made is not yet money that arrived, so a bad ending is shown wherever the state is.
      format: (state, p) => (p.ended === undefined ? state : `${toText(state)}, ${p.ended}`),
      rank: 0,
      colour: 'status',
    },
    {
      name: 'ended',
      header: 'ENDED',
      value: (p) => p.ended,
      rank: 9,
      onRequest: true,
      isPartOfAnother: true,
    },
    {
      name: 'amount',
      header: 'AMOUNT',
      value: (p) => formatMoney(p.source?.sourceAmount, p.source?.sourceCurrency),
      rank: 1,
      align: 'right',
    },
    {
      name: 'receive',
      header: 'TO ARRIVE',
      value: (p) => formatMoney(p.receive, p.destination?.destinationCurrency),
      rank: 8,
      align: 'right',
      onRequest: true,
    },
    createPayeeColumn(1, readPayeeIds),
    {
      name: 'updatedAt',
      short: 'updated',
      header: 'UPDATED (UTC)',
      value: (p) => p.updatedAt,
      format: formatMinute,
      rank: 2,
    },
    {
      name: 'transactionId',
      short: 'transaction',
      header: 'TRANSACTION',
      value: (p) => p.transactionId,
      rank: 5,
      isId: true,
    },
    {name: 'reason', header: 'REASON', value: (p) => p.reason, rank: 4, onRequest: true, wraps: true, widthMin: 24},
    ...createCustomerColumns<ShownEntry>(5, true),
    {
      name: 'sourcePaymentAccountId',
      short: 'from',
      header: 'FROM',
      value: (p) => p.source?.sourcePaymentAccountId,
      rank: 6,
      isId: true,
      onRequest: true,
    },
    {
      name: 'destinationPaymentAccountId',
      short: 'to',
      header: 'TO',
      value: (p) => p.destination?.destinationPaymentAccountId,
      rank: 6,
      isId: true,
      onRequest: true,
    },
    {
      name: 'correlationId',
      short: 'correlation',
      header: 'CORRELATION ID',
      value: (p) => p.correlationId,
      rank: 7,
      onRequest: true,
    },
    {
      name: 'note',
      header: 'NOTE',
      value: (p) => p.note,
      rank: 4,
      widthGood: 24,
      widthMin: 12,
      hidesEmpty: true,
    },
    {name: 'slot', header: 'SLOT', value: (p) => p.slot, rank: 7, onRequest: true},
    {name: 'place', header: 'SERVICE', value: (p) => p.place, rank: 8, onRequest: true},
    {
      name: 'createdAt',
      short: 'created',
      header: 'RECORDED (UTC)',
      value: (p) => p.createdAt,
      format: formatMinute,
      rank: 8,
      onRequest: true,
    },
    {
      name: 'madeAt',
      short: 'made',
      header: 'MADE (UTC)',
      value: (p) => p.madeAt,
      format: formatMinute,
      rank: 8,
      onRequest: true,
    },
    {
      name: 'attempts',
      header: 'QUOTES',
      value: (p) => p.attempts,
      format: (_, p) => p.attempts?.map(formatAttempt),
      rank: 9,
      onRequest: true,
    },
    {
      name: 'history',
      header: 'HISTORY (UTC)',
      value: (p) => p.history,
      format: (_, p) => p.history?.map(formatHistoryLine),
      rank: 9,
      onRequest: true,
    },
  ],
}

export const settlementView: View<SettlementRow> = {
  singular: 'payment',
  plural: 'payments',
  columns: [
    {name: 'key', header: 'KEY', value: (p) => p.key, rank: 0, widthMin: 16},
    {name: 'before', header: 'BEFORE', value: (p) => p.before, rank: 1, colour: 'status'},
    {name: 'state', header: 'NOW', value: (p) => p.state, rank: 0, colour: 'status'},
    {
      name: 'transactionId',
      short: 'transaction',
      header: 'TRANSACTION',
      value: (p) => p.transactionId,
      rank: 1,
      isId: true,
    },
    {name: 'reason', header: 'WHY', value: (p) => p.reason, rank: 2, widthMin: 24, wraps: true},
  ],
}

// How the result of copying a journal is shown.
export const journalCopyView: View<JournalCopy> = {
  singular: 'journal',
  plural: 'journals',
  columns: [
    {name: 'from', header: 'FROM', value: (c) => c.from, rank: 0},
    {name: 'to', header: 'TO', value: (c) => c.to, rank: 0},
    {name: 'payments', header: 'PAYMENTS', value: (c) => c.payments, rank: 0},
    {name: 'historyLines', header: 'LINES OF HISTORY', value: (c) => c.historyLines, rank: 0},
    {name: 'copiedBefore', header: 'COPIED BEFORE', value: (c) => c.copiedBefore, rank: 0},
    {name: 'digest', header: 'DIGEST', value: (c) => c.digest, rank: 0},
  ],
}

// How the result of creating or copying a journal is shown.
const formatChange = ({part, from, to}: JournalInit['changes'][number]) =>
  from === 0 ? `${part}: created (version ${to})` : `${part}: version ${from} to ${to}`

export const journalInitView: View<JournalInit> = {
  singular: 'journal',
  plural: 'journals',
  columns: [
    {name: 'journal', header: 'JOURNAL', value: (j) => j.journal, rank: 0},
    {
      name: 'changes',
      header: 'CHANGES',
      value: (j) => j.changes,
      format: (_, {changes}) => (changes.length > 0 ? changes.map(formatChange) : 'none'),
      rank: 0,
    },
    {
      name: 'isDurable',
      header: 'SURVIVES A CRASH',
      value: (j) => j.isDurable,
      format: (v) => (v ? 'yes' : 'no'),
      rank: 0,
    },
    {
      name: 'isReplicatedLater',
      header: 'A FAILOVER MAY LOSE PAYMENTS',
      value: (j) => j.isReplicatedLater,
      format: (v) => (v ? 'yes' : 'no'),
      rank: 0,
    },
  ],
}
