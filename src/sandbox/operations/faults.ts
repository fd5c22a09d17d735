// The operations on faults and behaviours.
import {omitUndefined} from '../../values/records.ts'
import {behaviourFields, listFaultKinds} from '../service/faults/behaviour-table.ts'
import {defineOperation, defineSchema} from './define.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', '*'] as const

// Node's timers cannot wait longer than this.
const delayMsMax = 2 ** 31 - 1

const behavioursSchema = defineSchema(({z, createResultObject}) =>
  createResultObject(behaviourFields).extend({idempotency: z.string()}).meta({id: 'Behaviours'}),
)

export const faults = {
  'faults.add': defineOperation({
    summary: 'Make requests fail on purpose',
    input: {
      kind: {
        type: 'choice',
        choices: listFaultKinds(),
        isRequired: true,
        aliases: {'drop-after': 'lose'},
        summary: 'Kind of failure',
      },
      method: {
        type: 'choice',
        choices: methods,
        description: '* by default',
        summary: 'HTTP method, or * for all (*)',
      },
      path: {
        type: 'text',
        min: 0,
        description: '* by default; {name} matches one segment, * matches anything',
        summary: 'Path, such as /customers/{customerId}, or * for all (*)',
      },
      times: {
        type: 'count',
        min: 1,
        description: 'How many times; always by default',
        summary: 'How many times (always)',
        helpValue: 'N',
      },
      after: {
        type: 'count',
        description: 'How many matching requests pass first',
        summary: 'Skip the first N matching requests (0)',
        helpValue: 'N',
      },
      probability: {
        type: 'share',
        description: 'Share of matching requests that fail',
        summary: 'Share of matching requests that fail (1)',
        helpValue: '0.3',
      },
      status: {
        type: 'count',
        min: 200,
        max: 599,
        description: 'HTTP status of the answer',
        summary: 'HTTP status of the answer',
        helpValue: 'N',
      },
      retryAfterSeconds: {
        type: 'count',
        name: 'retry-after',
        summary: 'Retry-After header, in seconds',
        helpValue: 'N',
      },
      delayMs: {
        type: 'milliseconds',
        description: 'Delay before the answer or the failure',
        name: 'delay',
        summary: 'Delay before the answer or the failure, such as 2s',
        helpValue: 'DURATION',
        flagMax: delayMsMax,
      },
      commitAfterMs: {
        type: 'milliseconds',
        description: 'Carries the request out this long after its failure',
        name: 'commit-after',
        summary: 'Carry the request out this long after its failure, on the clock of the sandbox',
        helpValue: 'DURATION',
      },
    },
    examples: [
      {kind: 'status', method: 'GET', path: '/customers', times: 1, status: 429, retryAfterSeconds: 2},
      {kind: 'reset', method: 'DELETE', commitAfterMs: 90_000, delayMs: 5, probability: 0.5, after: 1},
    ],
    output: 'Fault',
    command: {
      description: `Not carried out: refuse, status and html (answered instead), reset (connection closed), hang (no answer).
Carried out: delay (late answer), lose and drop-after (no answer), truncate (half an answer), garbage (answer is not JSON), refuse-after (an error, 500 by default).
With --commit-after, a request of the first group is carried out after that time, although its caller saw it fail.
If several faults match a request, the oldest applies. In --path, {name} matches one segment and * matches anything.`,
      examples: {
        'Create the next transaction, but lose the answer':
          'svc sandbox faults add --method POST --path /transactions --kind lose --times 1',
        'Break the connection, and create the transaction 90 seconds later':
          'svc sandbox faults add --method POST --path /transactions --kind reset --commit-after 90s --times 1',
        'Throttle a third of all reads':
          "svc sandbox faults add --method GET --path '*' --kind status --status 429 --retry-after 2 --probability 0.33",
      },
      view: 'fault',
    },
    run: (controls, {method = '*', path = '*', ...fault}) => controls.faults.add({...fault, method, path}),
  }),

  'faults.list': defineOperation({
    isRead: true,
    summary: 'List the faults and the behaviours',
    input: {},
    output: (kit) =>
      kit.z.strictObject({behaviours: behavioursSchema(kit), faults: kit.z.array(kit.createResult('Fault'))}),
    command: {
      summary: 'List the faults of the sandbox',
      description: 'Used-up faults are listed until they are cleared. JSON also includes the behaviours.',
      examples: {
        'List faults and how often they were applied': 'svc sandbox faults list',
        'Print the behaviours': 'svc sandbox faults list --jq .behaviours',
      },
      view: 'fault',
      list: 'faults',
      isSortable: true,
    },
    run: (controls) => ({behaviours: controls.faults.behaviours(), faults: controls.faults.list()}),
  }),

  'faults.clear': defineOperation({
    summary: 'Remove one fault, or all',
    input: {
      faultId: {
        type: 'text',
        description: 'All faults by default',
        name: 'id',
        summary: 'ID of a fault; all faults by default',
        isArgument: true,
      },
    },
    output: (kit) => kit.z.strictObject({faults: kit.z.array(kit.createResult('Fault'))}),
    command: {
      description: 'Prints the removed faults. Behaviours stay; reset them with `svc sandbox faults set --reset`.',
      examples: {
        'Remove all faults': 'svc sandbox faults clear',
        'Remove one fault': 'svc sandbox faults clear fault_0a1b2c3d4e5f60718293a4b5',
      },
      exits: ['notFound'],
      view: 'fault',
      list: 'faults',
    },
    run: (controls, {faultId}) => ({faults: controls.faults.clear(faultId)}),
  }),

  'faults.set': defineOperation({
    summary: 'Set how the sandbox treats keys, quotes and lists',
    input: {
      ...behaviourFields,
      reset: {
        type: 'boolean',
        description: 'Resets all behaviours to their defaults first',
        summary: 'Reset all behaviours to their defaults first',
      },
    },
    examples: [{reset: true, idempotency: 'forget-after-30m', listLagSeconds: 30, dateSkewSeconds: -60}],
    output: behavioursSchema,
    command: {
      description: `--idempotency decides what a reused key gets: replay (the first answer again), replay-successes (the first answer, unless it was an error), replay-any-body (the first answer for another body too), refuse (an error), ignore (a new transaction), forget-after-Nm (the first answer for N minutes), per-body (the first answer for the same body, a new transaction for another one), refuse-other-body (the first answer for the same body, 422 for another one).
With --transaction-outcome, new transactions end that way immediately, or after --outcome-after.`,
      examples: {
        'Let a reused idempotency key pay twice': 'svc sandbox faults set --idempotency ignore',
        'Hide new transactions from lists for 30 seconds': 'svc sandbox faults set --list-lag 30s',
        'Let new transactions fail after two minutes':
          'svc sandbox faults set --transaction-outcome failed --outcome-after 2m',
        'Reset all behaviours': 'svc sandbox faults set --reset',
      },
      view: 'behaviours',
    },
    run: (controls, {reset, ...changes}) => {
      if (reset) controls.faults.resetBehaviours()
      return controls.faults.setBehaviours(omitUndefined(changes))
    },
  }),
}
