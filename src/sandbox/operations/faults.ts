// The operations on faults and behaviours.
import {omitUndefined} from '../../values/records.ts'
import {behaviourFields, listFaultKinds} from '../service/faults/behaviour-table.ts'
import {defineSchema, op} from './define.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', '*'] as const

// Node's timers cannot wait longer than this.
const delayMsMax = 2 ** 31 - 1

const behavioursSchema = defineSchema(({z, createResultObject}) =>
  createResultObject(behaviourFields).extend({idempotency: z.string()}).meta({id: 'Behaviours'}),
)

export const faults = {
  'faults.add': op({
    says: 'Make requests fail on purpose',
    more: `Not carried out: refuse, status and html (answered instead), reset (connection closed), hang (no answer).
Carried out: delay (late answer), lose (no answer), truncate (half an answer), garbage (answer is not JSON), refuse-after (an error, 500 by default).
With --commit-after, a request of the first group is carried out after that time, although its caller saw it fail.
If several faults match a request, the oldest applies. In --path, {name} matches one segment and * matches anything.`,
    input: {
      kind: {type: 'choice', says: 'Kind of failure', choices: listFaultKinds(), isRequired: true},
      method: {type: 'choice', says: 'HTTP method, or * for all (*)', choices: methods},
      path: {type: 'text', says: 'Path, such as /customers/{customerId}, or * for all (*)'},
      times: {type: 'count', says: 'How many times (always)', min: 1},
      after: {type: 'count', says: 'Skip the first N matching requests (0)'},
      probability: {type: 'share', says: 'Share of matching requests that fail (1)'},
      status: {type: 'count', says: 'HTTP status of the answer', min: 200, max: 599},
      retryAfterSeconds: {type: 'count', says: 'Retry-After header, in seconds', flag: 'retry-after'},
      delayMs: {
        type: 'milliseconds',
        says: 'Delay before the answer or the failure, such as 2s',
        flag: 'delay',
        max: delayMsMax,
      },
      commitAfterMs: {
        type: 'milliseconds',
        says: 'Carry the request out this long after its failure, on the clock of the sandbox',
        flag: 'commit-after',
      },
    },
    output: 'Fault',
    view: 'fault',
    examples: {
      'Create the next transaction, but lose the answer':
        'svc sandbox faults add --method POST --path /transactions --kind lose --times 1',
      'Break the connection, and create the transaction 90 seconds later':
        'svc sandbox faults add --method POST --path /transactions --kind reset --commit-after 90s --times 1',
    },
    run: (controls, {path = '*', ...fault}) => controls.faults.add({...fault, path}),
  }),

  'faults.list': op({
    says: 'List the faults of the sandbox',
    more: 'Used-up faults are listed until they are cleared. JSON also includes the behaviours.',
    isRead: true,
    output: (kit) =>
      kit.z.strictObject({behaviours: behavioursSchema(kit), faults: kit.z.array(kit.createResult('Fault'))}),
    view: 'fault',
    list: 'faults',
    examples: {
      'List faults and how often they were applied': 'svc sandbox faults list',
      'Print the behaviours': 'svc sandbox faults list --jq .behaviours',
    },
    run: (controls) => ({behaviours: controls.faults.behaviours(), faults: controls.faults.list()}),
  }),

  'faults.clear': op({
    says: 'Remove one fault, or all',
    more: 'Prints the removed faults. Behaviours stay; reset them with `svc sandbox faults set --reset`.',
    input: {faultId: {type: 'text', says: 'ID of a fault; all faults by default', flag: 'id', isArgument: true}},
    output: (kit) => kit.z.strictObject({faults: kit.z.array(kit.createResult('Fault'))}),
    view: 'fault',
    list: 'faults',
    examples: {
      'Remove all faults': 'svc sandbox faults clear',
      'Remove one fault': 'svc sandbox faults clear fault_0a1b2c3d4e5f60718293a4b5',
    },
    run: (controls, {faultId}) => ({faults: controls.faults.clear(faultId)}),
  }),

  'faults.set': op({
    says: 'Set how the sandbox treats keys, quotes and lists',
    more: `--idempotency decides what a reused key gets: replay (the first answer again), replay-successes (the first answer, unless it was an error), replay-any-body (the first answer for another body too), refuse (an error), ignore (a new transaction), forget-after-Nm (the first answer for N minutes), per-body (the first answer for the same body, a new transaction for another one), refuse-other-body (the first answer for the same body, 422 for another one).
With --transaction-outcome, new transactions end that way immediately, or after --outcome-after.`,
    input: {...behaviourFields, reset: {type: 'boolean', says: 'Reset all behaviours to their defaults first'}},
    output: behavioursSchema,
    view: 'behaviours',
    examples: {
      'Let a reused idempotency key pay twice': 'svc sandbox faults set --idempotency ignore',
      'Hide new transactions from lists for 30 seconds': 'svc sandbox faults set --list-lag 30s',
    },
    run: (controls, {reset, ...changes}) => {
      if (reset) controls.faults.resetBehaviours()
      return controls.faults.setBehaviours(omitUndefined(changes))
    },
  }),
}
