// Webhook endpoints of the sandbox and the deliveries to them, as tables and records.
import type {WebhookDelivery} from '../webhooks/delivery-store.ts'
import type {WebhookEndpoint} from '../webhooks/endpoint-store.ts'
import type {View} from '../../cli/output/view.ts'
import {toTheMinute, yesOrNo} from '../../cli/output/values.ts'

export const webhookEndpointView: View<WebhookEndpoint> = {
  one: 'webhook endpoint',
  many: 'webhook endpoints',
  columns: [
    {name: 'endpointId', short: 'id', header: 'ID', value: (e) => e.endpointId, rank: 0},
    {name: 'status', header: 'STATUS', value: (e) => e.status, rank: 1, painted: 'status'},
    {name: 'url', header: 'URL', value: (e) => e.url, rank: 0, widthGood: 40, widthMin: 16},
    {name: 'secret', header: 'SECRET', value: (e) => e.secret, rank: 2},
    {name: 'copies', header: 'COPIES', value: (e) => e.copies, rank: 3, align: 'right'},
    {name: 'reorder', header: 'REORDERS', value: (e) => e.reorder, brief: yesOrNo, rank: 4},
    {
      name: 'createdAt',
      short: 'created',
      header: 'CREATED (UTC)',
      value: (e) => e.createdAt,
      brief: toTheMinute,
      rank: 5,
      onRequest: true,
    },
  ],
}

export const webhookDeliveryView: View<WebhookDelivery> = {
  one: 'delivery',
  many: 'deliveries',
  columns: [
    {name: 'deliveryId', short: 'id', header: 'ID', value: (d) => d.deliveryId, rank: 0},
    {name: 'status', header: 'STATUS', value: (d) => d.status, rank: 0, painted: 'status'},
    {name: 'attempts', header: 'ATTEMPTS', value: (d) => d.attempts, rank: 2, align: 'right'},
    {name: 'lastOutcome', short: 'outcome', header: 'OUTCOME', value: (d) => d.lastOutcome, rank: 1},
    {name: 'eventId', short: 'event', header: 'EVENT', value: (d) => d.eventId, rank: 3},
    {
      name: 'nextAttemptAt',
      short: 'next',
      header: 'NEXT (UTC)',
      value: (d) => d.nextAttemptAt,
      brief: toTheMinute,
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
      onRequest: true,
    },
    {
      name: 'endpointId',
      short: 'endpoint',
      header: 'ENDPOINT',
      value: (d) => d.endpointId,
      rank: 8,
      onRequest: true,
    },
    {
      name: 'lastAttemptAt',
      short: 'last',
      header: 'LAST (UTC)',
      value: (d) => d.lastAttemptAt,
      brief: toTheMinute,
      rank: 9,
      onRequest: true,
    },
    {
      name: 'createdAt',
      short: 'created',
      header: 'CREATED (UTC)',
      value: (d) => d.createdAt,
      brief: toTheMinute,
      rank: 10,
      onRequest: true,
    },
  ],
}
