// Webhook endpoints of the sandbox and the deliveries to them, as tables and records.
import type {WebhookDelivery} from '../service/webhooks/event-store.ts'
import type {WebhookEndpoint} from '../service/webhooks/endpoint-store.ts'
import type {View} from '../../cli/output/view.ts'
import {formatMinute, formatYesNo} from '../../cli/output/format-values.ts'

export const webhookEndpointView: View<WebhookEndpoint> = {
  singular: 'webhook endpoint',
  plural: 'webhook endpoints',
  columns: [
    {name: 'endpointId', short: 'id', header: 'ID', value: (e) => e.endpointId, rank: 0, isId: true},
    {name: 'status', header: 'STATUS', value: (e) => e.status, rank: 1, colour: 'status'},
    {name: 'url', header: 'URL', value: (e) => e.url, rank: 0, widthGood: 40, widthMin: 16},
    {name: 'secret', header: 'SECRET', value: (e) => e.secret, rank: 2},
    {name: 'copies', header: 'COPIES', value: (e) => e.copies, rank: 3, align: 'right'},
    {name: 'reorder', header: 'REORDERS', value: (e) => e.reorder, format: formatYesNo, rank: 4},
    {name: 'owner', header: 'OWNER', value: (e) => e.owner, rank: 5, onRequest: true},
    {
      name: 'createdAt',
      short: 'created',
      header: 'CREATED (UTC)',
      value: (e) => e.createdAt,
      format: formatMinute,
      rank: 5,
      onRequest: true,
    },
  ],
}

const ranksWithSecret: Readonly<Record<string, number>> = {secret: 0, url: 0, endpointId: 1, status: 2}

// For --show-secret: the secret stays, however narrow the terminal is.
export const webhookEndpointSecretView: View<WebhookEndpoint> = {
  ...webhookEndpointView,
  columns: webhookEndpointView.columns.map((column) => ({
    ...column,
    rank: ranksWithSecret[column.name] ?? column.rank,
  })),
}

export const webhookDeliveryView: View<WebhookDelivery> = {
  singular: 'delivery',
  plural: 'deliveries',
  columns: [
    {name: 'deliveryId', short: 'id', header: 'ID', value: (d) => d.deliveryId, rank: 0, isId: true},
    {name: 'status', header: 'STATUS', value: (d) => d.status, rank: 0, colour: 'status'},
    {name: 'attempts', header: 'ATTEMPTS', value: (d) => d.attempts, rank: 2, align: 'right'},
    {name: 'lastOutcome', short: 'outcome', header: 'OUTCOME', value: (d) => d.lastOutcome, rank: 1},
    {name: 'eventId', short: 'event', header: 'EVENT', value: (d) => d.eventId, rank: 3, isId: true},
    {
      name: 'nextAttemptAt',
      short: 'next',
      header: 'NEXT (UTC)',
      value: (d) => d.nextAttemptAt,
      format: formatMinute,
      rank: 4,
    },
    {name: 'url', header: 'URL', value: (d) => d.url, rank: 5, widthGood: 40, widthMin: 16},
    {name: 'type', header: 'TYPE', value: (d) => d.type, rank: 6, onRequest: true},
    {
      name: 'customerId',
      short: 'customer',
      header: 'CUSTOMER',
      value: (d) => d.customerId,
      rank: 7,
      isId: true,
      onRequest: true,
    },
    {
      name: 'endpointId',
      short: 'endpoint',
      header: 'ENDPOINT',
      value: (d) => d.endpointId,
      rank: 8,
      isId: true,
      onRequest: true,
    },
    {
      name: 'lastAttemptAt',
      short: 'last',
      header: 'LAST (UTC)',
      value: (d) => d.lastAttemptAt,
      format: formatMinute,
      rank: 9,
      onRequest: true,
    },
    {
      name: 'createdAt',
      short: 'created',
      header: 'CREATED (UTC)',
      value: (d) => d.createdAt,
      format: formatMinute,
      rank: 10,
      onRequest: true,
    },
  ],
}
