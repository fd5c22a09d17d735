// Payments of the journal, as a table and as a record with their history; and what settling them came to.
import {type View, toText} from '../cli/output/view.ts'
import {type Item, formatMoney, formatMinute, getPath} from '../cli/output/format-values.ts'
import type {SettlementRow} from './settle-all.ts'

const secondsLength = 'YYYY-MM-DDTHH:MM:SS'.length

// A line for each thing that happened: when, what, and the figures.
const formatHistory = (history: unknown) =>
  Array.isArray(history)
    ? history.map((line: Item) => {
        const detail = Object.entries((line['detail'] ?? {}) as Item).map(([name, value]) => `${name} ${toText(value)}`)
        const when = toText(line['at']).slice(0, secondsLength).replace('T', ' ')
        return [when, toText(line['what']), detail.join(', ')].filter(Boolean).join('  ')
      })
    : history

const formatAttempts = (attempts: unknown) =>
  Array.isArray(attempts)
    ? attempts.map((attempt: Item) => {
        const sends = Number(attempt['sends'])
        const sent = sends === 0 ? 'not sent' : `sent ${sends === 1 ? 'once' : `${sends} times`}`
        return `${toText(attempt['quoteId'])}, until ${toText(formatMinute(attempt['quoteExpiresAt']))}, ${sent}`
      })
    : attempts

export const journalView: View<Item> = {
  singular: 'payment',
  plural: 'payments',
  covers: ['source', 'destination', 'developerFee', 'template', 'quoteId', 'sends'],
  columns: [
    {name: 'key', header: 'KEY', value: (p) => p['key'], rank: 0, widthMin: 16},
    {name: 'state', header: 'STATE', value: (p) => p['state'], rank: 0, colour: 'status'},
    {
      name: 'amount',
      header: 'AMOUNT',
      value: (p) => formatMoney(getPath(p, 'source', 'sourceAmount'), getPath(p, 'source', 'sourceCurrency')),
      rank: 1,
      align: 'right',
    },
    {
      name: 'updatedAt',
      short: 'updated',
      header: 'UPDATED (UTC)',
      value: (p) => p['updatedAt'],
      format: formatMinute,
      rank: 2,
    },
    {name: 'transactionId', short: 'transaction', header: 'TRANSACTION', value: (p) => p['transactionId'], rank: 3},
    {name: 'reason', header: 'REASON', value: (p) => p['reason'], rank: 4, onRequest: true},
    {
      name: 'customerId',
      short: 'customer',
      header: 'CUSTOMER',
      value: (p) => p['customerId'],
      rank: 5,
      onRequest: true,
    },
    {
      name: 'sourcePaymentAccountId',
      short: 'from',
      header: 'FROM',
      value: (p) => getPath(p, 'source', 'sourcePaymentAccountId'),
      rank: 6,
      onRequest: true,
    },
    {
      name: 'destinationPaymentAccountId',
      short: 'to',
      header: 'TO',
      value: (p) => getPath(p, 'destination', 'destinationPaymentAccountId'),
      rank: 6,
      onRequest: true,
    },
    {
      name: 'correlationId',
      short: 'correlation',
      header: 'CORRELATION ID',
      value: (p) => p['correlationId'],
      rank: 7,
      onRequest: true,
    },
    {name: 'slot', header: 'SLOT', value: (p) => p['slot'], rank: 7, onRequest: true},
    {name: 'place', header: 'PLACE', value: (p) => p['place'], rank: 8, onRequest: true},
    {
      name: 'createdAt',
      short: 'created',
      header: 'MEANT (UTC)',
      value: (p) => p['createdAt'],
      format: formatMinute,
      rank: 8,
      onRequest: true,
    },
    {
      name: 'madeAt',
      short: 'made',
      header: 'MADE (UTC)',
      value: (p) => p['madeAt'],
      format: formatMinute,
      rank: 8,
      onRequest: true,
    },
    {
      name: 'attempts',
      header: 'QUOTES',
      value: (p) => p['attempts'],
      format: formatAttempts,
      rank: 9,
      onRequest: true,
    },
    {
      name: 'history',
      header: 'HISTORY (UTC)',
      value: (p) => p['history'],
      format: formatHistory,
      rank: 9,
      onRequest: true,
    },
  ],
}

// What settling each payment came to.
export const settlementView: View<SettlementRow> = {
  singular: 'payment',
  plural: 'payments',
  columns: [
    {name: 'key', header: 'KEY', value: (p) => p.key, rank: 0, widthMin: 16},
    {name: 'before', header: 'BEFORE', value: (p) => p.before, rank: 1, colour: 'status'},
    {name: 'state', header: 'NOW', value: (p) => p.state, rank: 0, colour: 'status'},
    {name: 'transactionId', short: 'transaction', header: 'TRANSACTION', value: (p) => p.transactionId, rank: 1},
    {name: 'reason', header: 'WHY', value: (p) => p.reason, rank: 2, widthMin: 24, wraps: true},
  ],
}
