// The columns of payments of the journal.
import {createCustomerColumns} from '../customers/view.ts'
import {createPayeeColumn, readPayeeIds} from '../accounts/name-columns.ts'
import {type View, createColumn, formatMinute, formatMoney, toText} from '../cli/output/view.ts'
import {decisionLine} from './journal/journal.ts'
import type {JournalEntry} from './entries.ts'

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
  const times = sends === 1 ? 'once' : `${sends} times`
  const sent = sends === 0 ? 'not sent' : `sent ${times}`
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
      // A payment that was made is not yet money that arrived, so a bad ending is shown wherever
      // the state is.
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
