// The results of the operations of control, for their OpenAPI document. A test holds the real results against them.
import {z} from 'zod'
import {account} from '../../contract/accounts.ts'
import {customerStatuses} from '../../contract/customer-statuses.ts'
import {customer} from '../../contract/customers.ts'
import {timestamp} from '../../contract/scalars.ts'
import {transaction} from '../../contract/transactions.ts'
import {behaviours, deliveryStatuses} from './input-schemas.ts'
import type {OperationName} from './operations.ts'

const clockStatus = z
  .strictObject({
    now: timestamp,
    frozen: z.boolean(),
    offsetMs: z.number().describe('How far the clock is ahead of real time'),
  })
  .meta({id: 'Clock'})

const status = z
  .strictObject({
    file: z.string(),
    schemaVersion: z.int(),
    seedGiven: z.boolean(),
    clock: clockStatus,
    customers: z.strictObject(
      Object.fromEntries(customerStatuses.map((name) => [name, z.int()])) as Record<string, z.ZodInt>,
    ),
    queue: z.strictObject({waiting: z.int(), nextDue: timestamp.optional()}),
    organizations: z.array(z.strictObject({organizationId: z.string(), name: z.string()})),
  })
  .meta({id: 'Status'})

const playedStep = z
  .strictObject({
    step: z.int(),
    line: z.int(),
    action: z.string(),
    subject: z.string().optional(),
    note: z.string().optional(),
    at: timestamp,
    ok: z.boolean(),
    result: z.record(z.string(), z.unknown()).optional().describe('The ids and statuses of what it made or changed'),
    expected: z.string().optional().describe('Only of the step that failed, which is the last one'),
    found: z.string().optional(),
  })
  .meta({id: 'PlayedStep'})

const snapshot = z
  .strictObject({name: z.string(), savedAt: timestamp.describe('On the clock of the sandbox'), bytes: z.int()})
  .meta({id: 'Snapshot'})

const difference = z
  .strictObject({
    table: z.string(),
    added: z.int(),
    removed: z.int(),
    changed: z.int(),
    rows: z.array(z.string()).describe('The ids of the rows, if there are not too many'),
  })
  .meta({id: 'Difference'})

const fault = z
  .strictObject({
    faultId: z.string(),
    method: z.string(),
    path: z.string(),
    kind: z.string(),
    times: z.int().optional(),
    after: z.int(),
    probability: z.number(),
    status: z.int().optional(),
    retryAfterSeconds: z.int().optional(),
    delayMs: z.int(),
    commitAfterMs: z.int().optional(),
    seen: z.int().describe('How many requests matched'),
    acted: z.int().describe('On how many of them it acted'),
    createdAt: timestamp,
  })
  .meta({id: 'Fault'})

const behavioursInForce = behaviours.extend({idempotency: z.string()}).meta({id: 'Behaviours'})

const accountWithBalances = account
  .extend({balances: z.record(z.string(), z.string()).describe('By currency; only a service-managed wallet has any')})
  .meta({id: 'AccountWithBalances'})

const magicValue = z
  .strictObject({
    of: z.enum(['verification', 'transaction']),
    value: z.string(),
    code: z.string().optional(),
    field: z.string(),
    effect: z.string(),
    precedence: z.int().optional(),
  })
  .meta({id: 'MagicValue'})

const branding = z
  .strictObject({
    name: z.string().nullable(),
    logo: z.strictObject({type: z.string(), bytes: z.int(), width: z.int(), height: z.int()}).nullable(),
  })
  .meta({id: 'Branding'})

const request = z
  .strictObject({
    seq: z.int(),
    at: timestamp,
    method: z.string(),
    path: z.string(),
    status: z.int().describe('0 if there was no answer'),
    durationMs: z.number(),
    fault: z.string().optional(),
    request: z.unknown().optional().describe('Personal data is masked'),
    reply: z.unknown().optional(),
  })
  .meta({id: 'Request'})

const endpoint = z
  .strictObject({
    endpointId: z.string(),
    url: z.string(),
    status: z.enum(['ENABLED', 'DISABLED']),
    secret: z.string(),
    copies: z.int(),
    reorder: z.boolean(),
    owner: z.string().optional(),
    createdAt: timestamp,
  })
  .meta({id: 'WebhookEndpoint'})

const delivery = z
  .strictObject({
    deliveryId: z.string(),
    eventId: z.string(),
    type: z.string(),
    customerId: z.string(),
    endpointId: z.string(),
    url: z.string(),
    endpointRemoved: z.literal(true).optional(),
    status: z.enum(deliveryStatuses),
    attempts: z.int(),
    lastOutcome: z.string().optional(),
    lastAttemptAt: timestamp.optional(),
    nextAttemptAt: timestamp.optional(),
    resend: z.literal(true).optional(),
    createdAt: timestamp,
  })
  .meta({id: 'WebhookDelivery'})

const event = z
  .strictObject({
    eventId: z.string(),
    type: z.string(),
    customerId: z.string(),
    createdAt: timestamp,
    deliveries: z.int(),
    delivered: z.int(),
    body: z.string().describe('The bytes that an endpoint gets'),
  })
  .meta({id: 'WebhookEvent'})

const space = z
  .strictObject({
    name: z.string(),
    apiKey: z.string().describe('The API key of the server, followed by @ and the name'),
    formsUrl: z.string(),
    consoleUrl: z.string(),
    createdAt: timestamp.describe('In real time'),
  })
  .meta({id: 'Space'})

export const resultSchemas = {
  status,
  seed: status.extend({added: z.int()}).meta({id: 'Seeded'}),
  reset: status,

  clock: clockStatus,
  'clock.advance': clockStatus,
  'clock.to-next': clockStatus,
  'clock.until-idle': clockStatus,
  'clock.freeze': clockStatus,
  'clock.run': clockStatus,

  play: z.strictObject({
    name: z.string().optional(),
    ok: z.boolean().describe('Whether everything went as the scenario says'),
    steps: z.array(playedStep),
  }),

  'snapshot.save': snapshot,
  'snapshot.restore': snapshot,
  'snapshot.list': z.strictObject({snapshots: z.array(snapshot)}),
  'snapshot.diff': z.strictObject({differences: z.array(difference)}),

  'snapshot.export': z.strictObject({name: z.string(), content: z.base64().describe('The file')}),
  'snapshot.import': snapshot,

  'faults.add': fault,
  'faults.list': z.strictObject({behaviours: behavioursInForce, faults: z.array(fault)}),
  'faults.clear': z.strictObject({faults: z.array(fault)}),
  'faults.set': behavioursInForce,

  verify: customer,
  magic: z.strictObject({magic: z.array(magicValue)}),

  'accounts.add': accountWithBalances,
  'accounts.list': z.strictObject({paymentAccounts: z.array(accountWithBalances)}),
  fund: z.union([accountWithBalances, transaction]),
  settle: transaction,

  'branding.show': branding,
  'branding.set': branding,
  'branding.clear': branding,

  requests: z.strictObject({
    newest: z.int().describe('The sequence number for `after` in the next call'),
    requests: z.array(request),
  }),
  token: z.strictObject({token: z.string(), expiresAt: timestamp.describe('On the clock of the sandbox')}),

  'webhooks.add': endpoint,
  'webhooks.list': z.strictObject({
    endpoints: z.array(endpoint),
    removed: z.array(endpoint).describe('What removeLeftovers removed'),
  }),
  'webhooks.remove': endpoint,
  'webhooks.deliveries': z.strictObject({deliveries: z.array(delivery), more: z.boolean()}),
  'webhooks.events': z.strictObject({events: z.array(event), more: z.boolean()}),
  'webhooks.resend': z.strictObject({deliveries: z.array(delivery)}),

  'spaces.list': z.strictObject({spaces: z.array(space)}),
  'spaces.remove': space,
} satisfies Record<OperationName, z.ZodType>
