// The operations on webhook endpoints, events and deliveries.
import {defineOperation} from './define.ts'
import {results} from '../../sandbox-results.ts'

const listedMax = 10_000

export const webhooks = {
  'webhooks.add': defineOperation({
    summary: 'Register a webhook endpoint, and show its secret',
    input: {
      url: {
        type: 'text',
        isRequired: true,
        description: 'http or https, on this machine',
        summary: 'URL to send events to: http or https, on this machine',
        isArgument: true,
        isFlagRequired: true,
      },
      copies: {
        type: 'count',
        min: 1,
        max: 10,
        flagMin: 2,
        description: 'How often each event is delivered',
        name: 'duplicate',
        summary: 'Deliver each event N times',
        helpValue: 'N',
      },
      allowRemote: {
        type: 'boolean',
        description: 'Allows another machine, over https',
        summary: 'Allow another machine, over https',
      },
    },
    examples: [{url: 'http://localhost:9/hook', copies: 2}],
    output: 'WebhookEndpoint',
    command: {
      description:
        'Events are signed according to Standard Webhooks with the secret that is printed. They are sent only while `svc sandbox start` is running, and only to this machine.',
      examples: {
        'Receive events when customers change': 'svc sandbox webhooks add http://localhost:3000/hook',
        'Print the secret for your own code': 'svc sandbox webhooks add http://localhost:3000/hook --jq .secret',
        'Test duplicates': 'svc sandbox webhooks add http://localhost:3000/hook --duplicate 2',
      },
      view: 'endpoint',
    },
    run: (controls, endpoint) => controls.webhooks.add(endpoint),
  }),

  'webhooks.list': defineOperation({
    isRead: true,
    summary: 'List the webhook endpoints',
    input: {
      showSecrets: {type: 'boolean', name: 'show-secret', summary: 'Show secrets in full'},
    },
    examples: [{showSecrets: true}],
    output: (kit) => kit.z.strictObject({endpoints: kit.z.array(kit.createResult('WebhookEndpoint'))}),
    command: {
      summary: 'List the webhook endpoints of the sandbox',
      examples: {
        'List the endpoints': 'svc sandbox webhooks list',
        'List them with their secrets': 'svc sandbox webhooks list --show-secret --json',
      },
      view: 'endpoint',
      list: 'endpoints',
      isSortable: true,
    },
    run: (controls, {showSecrets}) => ({endpoints: controls.webhooks.list({showSecrets})}),
  }),

  'webhooks.remove': defineOperation({
    summary: 'Remove a webhook endpoint',
    input: {
      endpointId: {
        type: 'text',
        isRequired: true,
        name: 'id',
        summary: 'ID of the endpoint, or its first 8 or more characters',
        isArgument: true,
        refersTo: 'endpoint',
      },
    },
    examples: [{endpointId: '{endpointId}'}],
    output: 'WebhookEndpoint',
    command: {
      summary: 'Remove a webhook endpoint of the sandbox',
      description: 'Pending deliveries to it are given up. All its deliveries stay in the history.',
      examples: {
        'Remove an endpoint': 'svc sandbox webhooks remove we_8d1f0c6b',
        'Use it in a script, without output': 'svc sandbox webhooks remove we_8d1f0c6b2a9e4f7d3c5b1a60 --quiet',
      },
      exits: ['notFound'],
      view: 'endpoint',
    },
    run: (controls, {endpointId}) => controls.webhooks.remove(endpointId),
  }),

  'webhooks.deliveries': defineOperation({
    isRead: true,
    summary: 'List webhook deliveries, newest first',
    input: {
      endpointId: {
        type: 'text',
        name: 'endpoint',
        summary: 'Only deliveries to this endpoint',
        helpValue: 'ID',
        refersTo: 'endpoint',
      },
      eventId: {
        type: 'text',
        name: 'event',
        summary: 'Only deliveries of this event',
        helpValue: 'ID',
        refersTo: 'event',
      },
      status: {
        type: 'choice',
        choices: results.WebhookDelivery.status.choices,
        summary: 'Only deliveries with this status',
      },
      limit: {
        type: 'count',
        max: listedMax,
        flagMin: 1,
        flagMax: Number.MAX_SAFE_INTEGER,
        description: '20 by default',
        summary: 'Stop after N items',
        helpValue: 'N',
      },
    },
    examples: [{status: 'PENDING'}],
    output: (kit) =>
      kit.z.strictObject({deliveries: kit.z.array(kit.createResult('WebhookDelivery')), more: kit.z.boolean()}),
    command: {
      description:
        'A delivery is PENDING until its endpoint answers with a 2xx status. It is tried ten times, over a little more than three days of sandbox time. Without --limit, the latest 20 are listed.',
      examples: {
        'List the latest deliveries': 'svc sandbox webhooks deliveries',
        'List failed deliveries': 'svc sandbox webhooks deliveries --status FAILED --limit 100',
        'Print the number of attempts of each delivery':
          "svc sandbox webhooks deliveries --jq '.deliveries[].attempts'",
      },
      view: 'delivery',
      list: 'deliveries',
      isSortable: true,
    },
    run: (controls, query) => controls.webhooks.deliveries(query),
  }),

  // `svc events list` shows them.
  'webhooks.events': defineOperation({
    isRead: true,
    summary: 'List webhook events, newest first',
    input: {customerId: {type: 'text'}, limit: {type: 'count', max: listedMax}},
    examples: [{limit: 5}],
    output: (kit) => kit.z.strictObject({events: kit.z.array(kit.createResult('WebhookEvent')), more: kit.z.boolean()}),
    run: (controls, query) => controls.webhooks.events(query),
  }),

  'webhooks.resend': defineOperation({
    summary: 'Resend an event, or one delivery of it',
    input: {
      id: {
        type: 'text',
        isRequired: true,
        description: 'Of an event, or of a delivery',
        summary: 'ID of the event or of the delivery, or its first 8 or more characters',
        isArgument: true,
        refersTo: 'event',
      },
    },
    examples: [{id: '{eventId}'}],
    output: (kit) => kit.z.strictObject({deliveries: kit.z.array(kit.createResult('WebhookDelivery'))}),
    command: {
      summary: 'Resend an event, to all endpoints or to one',
      description:
        'Sends the same id and the same bytes as a new delivery. The id of a delivery resends to its endpoint only.',
      examples: {
        'Resend an event to all endpoints': 'svc sandbox webhooks resend evt_8d1f0c6b',
        'Resend one delivery': 'svc sandbox webhooks resend dlv_2a9e4f7d3c5b1a608d1f0c6b',
      },
      exits: ['notFound'],
      view: 'delivery',
      list: 'deliveries',
    },
    run: (controls, {id}) => ({deliveries: controls.webhooks.resend(id)}),
  }),
}
