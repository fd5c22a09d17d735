// The inputs of the operations of control. Unknown fields are rejected, so that a misspelt one is noticed.
import {z} from 'zod'
import {accountTypes} from '../../contract/accounts.ts'
import {cryptoMethods, fiatMethods} from '../../contract/payment-methods.ts'
import {opaqueId, text, timestamp} from '../../contract/scalars.ts'
import {durationPattern} from '../../values/time.ts'
import {type Behaviours, idempotencyPattern} from '../service/faults/behaviours.ts'
import {type FaultKind, faultKinds} from '../service/faults/faults.ts'
import type {OperationInput, OperationName} from './operations.ts'

const seedCustomersMax = 1_000_000
const requestsMax = 10_000
const deliveriesMax = 10_000
const copiesMax = 10
const statusMax = 599
const logoCharactersMax = 350_000

const nothing = z.strictObject({})
const duration = z
  .string()
  .regex(durationPattern, 'must be a duration, such as 30s, 5m, 2h or 7d')
  .describe('Such as 30s, 5m, 2h or 7d; a plain number is seconds')
const count = (min: number, max = Number.MAX_SAFE_INTEGER) => z.int().min(min).max(max)
const amount = z.string('must be a decimal number in quotes, such as "100.50"').meta({examples: ['100.50']})
const snapshotName = z.strictObject({name: text.describe('Letters, digits, dots, dashes and underscores')})
const limit = (max: number) => count(0, max).optional()

const outcomes = ['approved', 'needs-information', 'rejected', 'deactivated', 'manual-review'] as const
const settlements = ['completed', 'failed', 'cancelled', 'expired'] as const
export const deliveryStatuses = ['PENDING', 'DELIVERED', 'FAILED'] as const
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', '*'] as const

const pathPattern = z.string().describe('{name} matches one segment, * matches anything')

export const behaviours = z.strictObject({
  idempotency: z
    .string()
    .regex(idempotencyPattern, 'must be replay, ignore, per-body, forget-after-30m or another one of the documentation')
    .transform((value) => value as Behaviours['idempotency'])
    .describe('What a reused idempotency key gets'),
  quoteUse: z.enum(['single', 'many']),
  expiredQuotes: z.enum(['refused', 'accepted']),
  listLagSeconds: count(0).describe('How long new transactions are missing from lists'),
  listOrder: z.enum(['newest-first', 'oldest-first']),
  pageTokenSeconds: count(0).describe('How long page tokens work; 0 is forever'),
  transactionOutcome: z.enum(settlements).describe('How new transactions end'),
  outcomeAfterSeconds: count(0).describe('When new transactions end badly; 0 is immediately'),
  dateSkewSeconds: z.int().describe('How far the Date of replies is ahead of the clock'),
  dateHeader: z.enum(['sent', 'left-out']),
  tier: z.enum(['standard', 'builder']),
})

export const inputSchemas = {
  status: nothing,
  seed: z.strictObject({customers: count(1, seedCustomersMax).optional().describe('24 by default')}),
  reset: z.strictObject({
    seed: text.optional().describe('Text from which all random values are derived'),
    now: timestamp.optional().describe('Freezes the clock at this time'),
  }),

  clock: nothing,
  'clock.advance': z.strictObject({duration}),
  'clock.to-next': nothing,
  'clock.until-idle': nothing,
  'clock.freeze': z.strictObject({at: timestamp.optional().describe('Not in the past; now by default')}),
  'clock.run': nothing,

  play: z.strictObject({
    scenario: text.describe('The text of the scenario, YAML or JSON'),
    fresh: z.boolean().optional().describe('Deletes everything first, and uses the seed and start of the scenario'),
  }),

  'snapshot.save': snapshotName,
  'snapshot.restore': snapshotName,
  'snapshot.list': nothing,
  'snapshot.diff': snapshotName,

  'snapshot.export': snapshotName,
  'snapshot.import': z.strictObject({
    content: z.base64().describe('The file that was exported'),
    name: text.optional().describe('The name that it had by default'),
    replace: z.boolean().optional().describe('Replaces a snapshot of the same name'),
  }),

  'faults.add': z.strictObject({
    kind: z.enum(Object.keys(faultKinds) as [FaultKind, ...FaultKind[]]),
    method: z.enum(methods).optional().describe('* by default'),
    path: pathPattern.optional().describe('* by default; {name} matches one segment, * matches anything'),
    times: count(1).optional().describe('How many times; always by default'),
    after: count(0).optional().describe('How many matching requests pass first'),
    probability: z.number().gt(0).max(1).optional().describe('Share of matching requests that fail'),
    status: count(200, statusMax).optional().describe('HTTP status of the answer'),
    retryAfterSeconds: count(0).optional(),
    delayMs: count(1).optional().describe('Delay before the answer or the failure'),
    commitAfterMs: count(1).optional().describe('Carries the request out this long after its failure'),
  }),
  'faults.list': nothing,
  'faults.clear': z.strictObject({faultId: text.optional().describe('All faults by default')}),
  'faults.set': behaviours.partial().extend({
    reset: z.boolean().optional().describe('Resets all behaviours to their defaults first'),
  }),

  verify: z.strictObject({
    customerId: text,
    outcome: z.enum(outcomes),
    codes: z.array(z.string()).optional().describe('Issue codes for needs-information or rejected'),
    message: z.string().optional().describe('Message of the issues, instead of the meaning of their codes'),
  }),
  magic: nothing,

  'accounts.add': z.strictObject({
    customerId: text,
    type: z.enum(accountTypes),
    method: z.enum(fiatMethods).optional().describe('Payment method of a bank account; ACH by default'),
    chain: z.enum(cryptoMethods).optional().describe('Chain of a wallet; BASE by default'),
    currency: text.optional(),
    nickname: text.optional(),
    pending: z.boolean().optional().describe('A bank account that is still waiting for its form'),
    balance: amount.optional().describe('Initial balance of a service-managed wallet'),
  }),
  'accounts.list': z.strictObject({customerId: text}),
  fund: z.strictObject({paymentAccountId: opaqueId, amount, currency: text.optional()}),
  settle: z.strictObject({transactionId: text, outcome: z.enum(settlements)}),

  'branding.show': nothing,
  'branding.set': z.strictObject({
    name: z.string().optional(),
    logo: z.base64().max(logoCharactersMax).optional().describe('A PNG or JPG file of at most 256 KB'),
  }),
  'branding.clear': nothing,

  requests: z.strictObject({
    limit: limit(requestsMax).describe('20 by default'),
    after: count(0).optional().describe('Only requests after this sequence number, oldest first'),
    method: z.string().optional(),
    path: pathPattern.optional(),
    status: count(0, statusMax).optional().describe('0 means no answer'),
  }),
  token: z.strictObject({expiresIn: duration.optional().describe('15m by default')}),

  'webhooks.add': z.strictObject({
    url: text.describe('http or https, on this machine'),
    copies: count(1, copiesMax).optional().describe('How often each event is delivered'),
    reorder: z.boolean().optional().describe('Delivers every two events in swapped order'),
    allowRemote: z.boolean().optional().describe('Allows another machine, over https'),
  }),
  'webhooks.list': z.strictObject({
    showSecrets: z.boolean().optional(),
    removeLeftovers: z.boolean().optional().describe('Removes the endpoints of processes that were killed first'),
  }),
  'webhooks.remove': z.strictObject({endpointId: text}),
  'webhooks.deliveries': z.strictObject({
    endpointId: text.optional(),
    eventId: text.optional(),
    status: z.enum(deliveryStatuses).optional(),
    limit: limit(deliveriesMax).describe('20 by default'),
  }),
  'webhooks.events': z.strictObject({customerId: text.optional(), limit: limit(deliveriesMax)}),
  'webhooks.resend': z.strictObject({id: text.describe('Of an event, or of a delivery')}),

  'spaces.list': nothing,
  'spaces.remove': z.strictObject({name: text}),
} satisfies {[N in OperationName]: z.ZodType<OperationInput<N>>}
