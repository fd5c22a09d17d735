// The operations on webhook endpoints, events and deliveries.
import {results} from '../../sandbox-results.ts'
import {op} from './define.ts'

const limit = {type: 'count', says: 'Number of items to list (20)', max: 10_000} as const

export const webhooks = {
  'webhooks.add': op({
    says: 'Register a webhook endpoint, and show its secret',
    more: 'Events are signed according to Standard Webhooks with the secret that is printed. They are sent only while `svc sandbox start` is running, and only to this machine.',
    input: {
      url: {
        type: 'text',
        says: 'URL to send events to: http or https, on this machine',
        isRequired: true,
        isArgument: true,
      },
      copies: {type: 'count', says: 'Deliver each event N times (1)', flag: 'duplicate', min: 1, max: 10},
      allowRemote: {type: 'boolean', says: 'Allow another machine, over https'},
    },
    output: 'WebhookEndpoint',
    view: 'endpoint',
    examples: {
      'Receive events when customers change': 'svc sandbox webhooks add http://localhost:3000/hook',
      'Print the secret for your own code': 'svc sandbox webhooks add http://localhost:3000/hook --jq .secret',
    },
    run: (controls, endpoint) => controls.webhooks.add(endpoint),
  }),

  'webhooks.list': op({
    says: 'List the webhook endpoints of the sandbox',
    isRead: true,
    input: {showSecrets: {type: 'boolean', says: 'Show secrets in full', flag: 'show-secret'}},
    output: (kit) => kit.z.strictObject({endpoints: kit.z.array(kit.createResult('WebhookEndpoint'))}),
    view: 'endpoint',
    list: 'endpoints',
    examples: {
      'List the endpoints': 'svc sandbox webhooks list',
      'List them with their secrets': 'svc sandbox webhooks list --show-secret --json',
    },
    run: (controls, {showSecrets}) => ({endpoints: controls.webhooks.list({showSecrets})}),
  }),

  'webhooks.remove': op({
    says: 'Remove a webhook endpoint of the sandbox',
    more: 'Its deliveries are removed too. Events stay, and can be resent to other endpoints.',
    input: {
      endpointId: {
        type: 'text',
        says: 'ID of the endpoint, or its first 8 or more characters',
        flag: 'id',
        isRequired: true,
        isArgument: true,
        finds: 'endpoint',
      },
    },
    output: 'WebhookEndpoint',
    view: 'endpoint',
    examples: {
      'Remove an endpoint': 'svc sandbox webhooks remove we_8d1f0c6b',
      'Use it in a script, without output': 'svc sandbox webhooks remove we_8d1f0c6b2a9e4f7d3c5b1a60 --quiet',
    },
    run: (controls, {endpointId}) => controls.webhooks.remove(endpointId),
  }),

  'webhooks.deliveries': op({
    says: 'List webhook deliveries, newest first',
    more: 'A delivery is PENDING until its endpoint answers with a 2xx status. It is tried ten times, over a little more than three days of sandbox time.',
    isRead: true,
    input: {
      endpointId: {type: 'text', says: 'Only deliveries to this endpoint', flag: 'endpoint', finds: 'endpoint'},
      eventId: {type: 'text', says: 'Only deliveries of this event', flag: 'event', finds: 'event'},
      status: {
        type: 'choice',
        says: 'Only deliveries with this status',
        choices: results.WebhookDelivery.status.choices,
      },
      limit,
    },
    output: (kit) =>
      kit.z.strictObject({deliveries: kit.z.array(kit.createResult('WebhookDelivery')), more: kit.z.boolean()}),
    view: 'delivery',
    list: 'deliveries',
    examples: {
      'List the latest deliveries': 'svc sandbox webhooks deliveries',
      'List failed deliveries': 'svc sandbox webhooks deliveries --status FAILED --limit 100',
    },
    run: (controls, query) => controls.webhooks.deliveries(query),
  }),

  // `svc events list` shows them.
  'webhooks.events': op({
    says: 'List webhook events, newest first',
    isRead: true,
    input: {customerId: {type: 'text', says: 'Only events of this customer'}, limit},
    output: (kit) => kit.z.strictObject({events: kit.z.array(kit.createResult('WebhookEvent')), more: kit.z.boolean()}),
    run: (controls, query) => controls.webhooks.events(query),
  }),

  'webhooks.resend': op({
    says: 'Resend an event to all endpoints, or one delivery to its own',
    more: 'Sends the same id and the same bytes as a new delivery.',
    input: {
      id: {
        type: 'text',
        says: 'ID of the event or of the delivery, or its first 8 or more characters',
        isRequired: true,
        isArgument: true,
        finds: 'event',
      },
    },
    output: (kit) => kit.z.strictObject({deliveries: kit.z.array(kit.createResult('WebhookDelivery'))}),
    view: 'delivery',
    list: 'deliveries',
    examples: {
      'Resend an event to all endpoints': 'svc sandbox webhooks resend evt_8d1f0c6b',
      'Resend one delivery': 'svc sandbox webhooks resend dlv_2a9e4f7d3c5b1a608d1f0c6b',
    },
    run: (controls, {id}) => ({deliveries: controls.webhooks.resend(id)}),
  }),
}
