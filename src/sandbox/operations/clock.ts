// The operations on the sandbox as a whole and on its clock.
import {customerStatuses} from '../../contract/vocabulary.ts'
import {leapYearMs, readDurationMs} from '../../values/time.ts'
import {finishInSlices} from '../time/clock-move.ts'
import {ControlError} from './control-error.ts'
import {defineSchema, op} from './define.ts'

const customersDefault = 24

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
  status: op({
    says: 'Show a summary of the sandbox',
    isRead: true,
    output: statusSchema,
    view: 'sandbox',
    examples: {
      'Show file, clock, customers, balances and queue': 'svc sandbox status',
      'Print where programs control the running server, and the token for it':
        "svc sandbox status --jq '{controlUrl, controlToken, controlOpenapiUrl}'",
    },
    run: (controls) => controls.status(),
  }),

  seed: op({
    says: 'Add test customers to the sandbox',
    more: 'The sandbox seeds itself on first use; this adds more customers. They are the same on every machine.',
    input: {
      customers: {type: 'count', says: `Number of customers (${customersDefault})`, min: 1, max: 1_000_000},
    },
    output: seededSchema,
    view: 'sandbox',
    examples: {
      'Add 24 customers': 'svc sandbox seed',
      'Add enough customers to try paging': 'svc sandbox seed --customers 1000',
    },
    run: (controls, {customers = customersDefault}) => ({...controls.seedCustomers(customers), ...controls.status()}),
  }),

  reset: op({
    says: 'Delete everything in the sandbox and seed it again',
    more: 'Does not ask for confirmation, because the sandbox contains only test data. With --seed, all random values, including the API key, are derived from the text and are the same on every machine.',
    input: {
      seed: {type: 'text', says: 'Text from which all random values are derived'},
      now: {type: 'time', says: 'Freezes the clock at this time', isForPrograms: true},
    },
    output: resetSchema,
    view: 'sandbox',
    examples: {
      'Start again': 'svc sandbox reset',
      'Get the same data on every machine': 'svc sandbox reset --seed docs',
    },
    run: (controls, {seed, now}) => {
      const apiKey = controls.reset({seed, frozenAt: now === undefined ? undefined : parseInstant(now)})
      return {...controls.status(), ...(apiKey !== undefined && {apiKey})}
    },
  }),
}

export const clock = {
  clock: op({
    says: 'Show the time in the sandbox',
    more: 'The sandbox has its own clock, which drives reviews, settlements, expiries, rules and webhook attempts. It runs at normal speed unless it is frozen. You can move it forward; only restoring a snapshot moves it back.',
    isRead: true,
    output: 'Clock',
    view: 'clock',
    examples: {
      'Show the time': 'svc sandbox clock',
      'Move the clock forward by five minutes': 'svc sandbox clock advance 5m',
    },
    run: (controls) => controls.clock.status(),
  }),

  'clock.advance': op({
    says: 'Move the sandbox clock forward',
    more: 'Everything that becomes due on the way happens in order, each at its own time. If it is interrupted, the clock stays where it has come to.',
    input: {
      duration: {
        type: 'duration',
        says: 'Such as 30s, 5m, 2h or 7d; a plain number is seconds',
        isRequired: true,
        isArgument: true,
        max: 100 * leapYearMs,
      },
    },
    output: 'Clock',
    view: 'clock',
    examples: {
      'Let a quote expire': 'svc sandbox clock advance 5m',
      'Run a year of daily rules': 'svc sandbox clock advance 365d',
    },
    run: (controls, {duration}) => finishInSlices(controls.clock.moves.advance(parseDuration(duration))),
  }),

  'clock.to-next': op({
    says: 'Move the clock to the next scheduled event',
    output: 'Clock',
    view: 'clock',
    examples: {
      'Go through outcomes one at a time': 'svc sandbox clock to-next',
      'Print the new time': 'svc sandbox clock to-next --jq .now',
    },
    run: (controls) => finishInSlices(controls.clock.moves.toNext()),
  }),

  'clock.until-idle': op({
    says: 'Move the clock until only rules and webhooks are waiting',
    output: 'Clock',
    view: 'clock',
    examples: {
      'Finish every review and transfer': 'svc sandbox clock until-idle',
      'Use it in a script, without output': 'svc sandbox clock until-idle --quiet',
    },
    run: (controls) => finishInSlices(controls.clock.moves.untilIdle()),
  }),

  'clock.freeze': op({
    says: 'Stop the sandbox clock',
    input: {at: {type: 'time', says: 'Time to stop at, ISO 8601; not in the past (now)'}},
    output: 'Clock',
    view: 'clock',
    examples: {
      'Stop at the current time': 'svc sandbox clock freeze',
      'Stop at a later time': 'svc sandbox clock freeze --at 2030-01-01T00:00:00Z',
    },
    run: (controls, {at}) =>
      finishInSlices(controls.clock.moves.freeze(at === undefined ? undefined : parseInstant(at))),
  }),

  'clock.run': op({
    says: 'Start a frozen clock again',
    output: 'Clock',
    view: 'clock',
    examples: {
      'Continue from the current time': 'svc sandbox clock run',
      'Print the time': 'svc sandbox clock run --jq .now',
    },
    run: (controls) => controls.clock.run(),
  }),
}
