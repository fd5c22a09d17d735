// The operations on the sandbox as a whole and on its clock.
import {customerStatuses} from '../../contract/vocabulary.ts'
import {dayMs, readDurationMs} from '../../values/time.ts'
import {ControlError} from './control-error.ts'
import {defineOperation, defineSchema} from './define.ts'

const customersDefault = 24
const yearMs = 366 * dayMs

export function parseDuration(text: string): number {
  const ms = readDurationMs(text)
  if (ms !== undefined && ms > 0) return ms
  throw new ControlError(`"${text}" is not a duration: write 30s, 5m, 2h or 7d`)
}

function parseInstant(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new ControlError(`"${text}" is not a time: write 2030-01-01T00:00:00Z`)
  return date
}

const statusSchema = defineSchema((kit) => {
  const {z, timestamp} = kit
  return z
    .strictObject({
      file: z.string(),
      schemaVersion: z.int(),
      seedGiven: z.boolean(),
      clock: kit.createResult('Clock'),
      customers: z.strictObject(Object.fromEntries(customerStatuses.map((name) => [name, z.int()]))),
      balances: z.record(z.string(), z.string()).describe('What all wallets hold, by currency'),
      queue: z.strictObject({
        waiting: z.int(),
        nextDue: timestamp.optional(),
        failed: z.int().describe('Tasks that failed by an error of the sandbox, and were skipped'),
        lastFailure: z.string().optional(),
      }),
      organizations: z.array(z.strictObject({organizationId: z.string(), name: z.string()})),
    })
    .meta({id: 'Status'})
})

const resetSchema = defineSchema((kit) =>
  statusSchema(kit)
    .extend({apiKey: kit.z.string().optional().describe('The new API key, if a seed has changed it')})
    .meta({id: 'Reset'}),
)

const seededSchema = defineSchema((kit) => statusSchema(kit).extend({added: kit.z.int()}).meta({id: 'Seeded'}))

export const state = {
  status: defineOperation({
    isRead: true,
    summary: 'Show a summary of the sandbox',
    input: {},
    output: statusSchema,
    command: {
      examples: {
        'Show file, clock, customers, balances and queue': 'svc sandbox status',
        'Print where programs control the running server, and the token for it':
          "svc sandbox status --jq '{controlUrl, controlToken, controlOpenapiUrl}'",
        'Print the number of active customers': 'svc sandbox status --jq .customers.ACTIVE',
      },
      view: 'sandbox',
    },
    run: (controls) => controls.status(),
  }),

  seed: defineOperation({
    summary: 'Add test customers',
    input: {
      customers: {
        type: 'count',
        min: 1,
        max: 1_000_000,
        description: `${customersDefault} by default`,
        summary: `Number of customers (${customersDefault})`,
        helpValue: 'N',
      },
    },
    examples: [{customers: 2}],
    output: seededSchema,
    command: {
      summary: 'Add test customers to the sandbox',
      description:
        'The sandbox seeds itself on first use; this adds more customers. They are the same on every machine.',
      examples: {
        'Add 24 customers': 'svc sandbox seed',
        'Add enough customers to try paging': 'svc sandbox seed --customers 1000',
      },
      view: 'sandbox',
    },
    run: (controls, {customers = customersDefault}) => ({
      ...controls.seedCustomers(customers),
      ...controls.status(),
    }),
  }),

  reset: defineOperation({
    summary: 'Delete everything and seed the sandbox again',
    input: {
      seed: {
        type: 'text',
        description: 'Text from which all random values are derived',
        summary: 'Text from which all random values are derived',
        helpValue: 'TEXT',
      },
      now: {type: 'time', description: 'Freezes the clock at this time'},
    },
    examples: [{seed: 'docs', now: '2026-11-15T12:00:00Z'}],
    output: resetSchema,
    command: {
      summary: 'Delete everything in the sandbox and seed it again',
      description:
        'Does not ask for confirmation, because the sandbox contains only test data. With --seed, all random values, including the API key, are derived from the text and are the same on every machine.',
      examples: {
        'Start again': 'svc sandbox reset',
        'Get the same data on every machine': 'svc sandbox reset --seed docs',
      },
      view: 'sandbox',
    },
    run: (controls, {seed, now}) => {
      const apiKey = controls.reset({seed, frozenAt: now === undefined ? undefined : parseInstant(now)})
      return {...controls.status(), ...(apiKey !== undefined && {apiKey})}
    },
  }),
}

export const clock = {
  clock: defineOperation({
    isRead: true,
    summary: 'Show the time in the sandbox',
    input: {},
    output: 'Clock',
    command: {
      description:
        'The sandbox has its own clock, which drives reviews, settlements, expiries, rules and webhook attempts. It runs at normal speed unless it is frozen. You can move it forward; only restoring a snapshot moves it back.',
      examples: {
        'Show the time': 'svc sandbox clock',
        'Move the clock forward by five minutes': 'svc sandbox clock advance 5m',
      },
      view: 'clock',
    },
    run: (controls) => controls.clock.status(),
  }),

  'clock.advance': defineOperation({
    summary: 'Move the clock forward',
    input: {
      duration: {
        type: 'duration',
        isRequired: true,
        summary: 'Duration, such as 30s, 5m, 2h or 7d; a plain number is seconds',
        isArgument: true,
        isFlagRequired: true,
        flagMax: 100 * yearMs,
      },
    },
    examples: [{duration: '90s'}],
    output: 'Clock',
    command: {
      summary: 'Move the sandbox clock forward',
      description: 'Everything that becomes due on the way happens in order, each at its own time.',
      examples: {
        'Let a quote expire': 'svc sandbox clock advance 5m',
        'Run a year of daily rules': 'svc sandbox clock advance 365d',
      },
      view: 'clock',
    },
    run: (controls, {duration}) => controls.clock.advance(parseDuration(duration)),
  }),

  'clock.to-next': defineOperation({
    summary: 'Move the clock to the next scheduled event',
    input: {},
    output: 'Clock',
    command: {
      examples: {
        'Go through outcomes one at a time': 'svc sandbox clock to-next',
        'Print the new time': 'svc sandbox clock to-next --jq .now',
      },
      view: 'clock',
    },
    run: (controls) => controls.clock.toNext(),
  }),

  'clock.until-idle': defineOperation({
    summary: 'Move the clock until only rules and webhooks are waiting',
    input: {},
    output: 'Clock',
    command: {
      examples: {
        'Finish every review and transfer': 'svc sandbox clock until-idle',
        'Use it in a script, without output': 'svc sandbox clock until-idle --quiet',
      },
      view: 'clock',
    },
    run: (controls) => controls.clock.untilIdle(),
  }),

  'clock.freeze': defineOperation({
    summary: 'Stop the clock',
    input: {
      at: {
        type: 'time',
        description: 'Not in the past; now by default',
        summary: 'Time to stop at, ISO 8601; not in the past',
        helpValue: 'TIME',
      },
    },
    examples: [{at: '2030-01-01T00:00:00Z'}],
    output: 'Clock',
    command: {
      summary: 'Stop the sandbox clock',
      examples: {
        'Stop at the current time': 'svc sandbox clock freeze',
        'Stop at a later time': 'svc sandbox clock freeze --at 2030-01-01T00:00:00Z',
      },
      view: 'clock',
    },
    run: (controls, {at}) => controls.clock.freeze(at === undefined ? undefined : parseInstant(at)),
  }),

  'clock.run': defineOperation({
    summary: 'Start a frozen clock again',
    input: {},
    output: 'Clock',
    command: {
      examples: {
        'Continue from the current time': 'svc sandbox clock run',
        'Print the time': 'svc sandbox clock run --jq .now',
      },
      view: 'clock',
    },
    run: (controls) => controls.clock.run(),
  }),
}
