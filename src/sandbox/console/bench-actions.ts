// What can be done around the service on the console: to those it tells, to its faults, and to copies of it all.
import type {Behaviours} from '../faults/behaviours.ts'
import {type FaultKind, faultKinds} from '../faults/kinds.ts'
import {type ActionHere, choice, counted, text, tick, wanted} from './action.ts'
import {durationPattern, durationRule, msOf, numberOf} from './fields.ts'

const endpointId = text('id', 'Endpoint', {...wanted, rule: 'its id'})
const snapshotName = text('name', 'Name', {...wanted, pattern: /^\w(?:[\w.]|-){0,63}$/, rule: 'a word'})

const methods = ['*', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

// Node's timers cannot wait longer than this.
const delayMsMax = 2 ** 31 - 1
const msPerSecond = 1_000
export const webhooks: readonly ActionHere[] = [
  {
    command: 'webhooks add',
    submit: 'Add the endpoint',
    done: 'The endpoint was added. `svc sandbox webhooks list --show-secret` shows its secret.',
    fields: [
      text('url', 'Address', {...wanted, rule: 'such as http://localhost:3000/webhooks'}),
      text('duplicate', 'Copies of each event', {...counted, rule: '1 to 10'}),
      tick('reorder', 'Swap each two events'),
      tick('allow-remote', 'Allow another machine, over https'),
    ],
    run({webhooks: controls}, {url = '', duplicate, reorder, 'allow-remote': remote}) {
      const more = {reorder: reorder !== undefined, allowRemote: remote !== undefined}
      controls.add({url, copies: numberOf(duplicate), ...more})
    },
  },
  {
    command: 'webhooks remove',
    submit: 'Remove',
    done: 'The endpoint was removed.',
    fields: [endpointId],
    run: ({webhooks: controls}, {id = ''}) => controls.remove(id),
  },
  {
    command: 'webhooks resend',
    submit: 'Send again',
    done: 'It is sent once more.',
    fields: [text('id', 'Event or delivery', {...wanted, rule: 'its id'})],
    run: ({webhooks: controls}, {id = ''}) => controls.resend(id),
  },
]

const idempotencies = /^(replay|replay-successes|refuse|ignore|forget-after-[1-9]\d{0,6}m)$/

export const faults: readonly ActionHere[] = [
  {
    command: 'faults add',
    submit: 'Add the fault',
    done: 'The fault was added.',
    fields: [
      choice('kind', 'What goes wrong', Object.keys(faultKinds), wanted),
      choice('method', 'Method', methods, wanted),
      text('path', 'Path', {rule: 'such as /customers/{customerId}; all if left out'}),
      text('times', 'How often', {...counted, rule: 'always if left out'}),
      text('after', 'Let pass first', counted),
      text('probability', 'Share of requests', {pattern: /^(1|0?\.\d{1,9})$/, rule: 'such as 0.3'}),
      text('status', 'Status of the answer', {pattern: /^[2-5]\d\d$/, rule: '200 to 599'}),
      text('retry-after', 'Retry-After in seconds', counted),
      text('delay', 'Wait', {pattern: durationPattern, rule: durationRule}),
    ],
    run({faults: controls}, {kind, method = '*', path = '*', times, after, probability, status, delay, ...rest}) {
      controls.add({
        kind: kind as FaultKind,
        method,
        path,
        times: numberOf(times),
        after: numberOf(after),
        probability: numberOf(probability),
        status: numberOf(status),
        delayMs: delay === undefined ? undefined : msOf(delay, delayMsMax),
        retryAfterSeconds: numberOf(rest['retry-after']),
      })
    },
  },
  {
    command: 'faults clear',
    submit: 'Clear faults',
    done: 'What was asked for is cleared.',
    fields: [text('id', 'Fault', {rule: 'its id; all if left out'})],
    run: ({faults: controls}, {id}) => controls.clear(id),
  },
  {
    command: 'faults set',
    submit: 'Set',
    done: 'The service behaves that way.',
    fields: [
      text('idempotency', 'A reused key', {
        pattern: idempotencies,
        rule: 'replay, replay-successes, refuse, ignore or forget-after-30m',
      }),
      choice('quote-use', 'Uses of a quote', ['single', 'many']),
      choice('expired-quotes', 'Expired quotes', ['refused', 'accepted']),
      text('list-lag', 'Lag of lists', {pattern: /^\d{1,7}(s|m|h)?$/, rule: 'such as 30s or 0'}),
      choice('tier', 'Tier', ['standard', 'builder']),
      tick('reset', 'First all as in the beginning'),
    ],
    run({faults: controls}, {idempotency, 'quote-use': use, 'expired-quotes': expired, 'list-lag': lag, tier, reset}) {
      if (reset !== undefined) controls.resetBehaviours()
      controls.setBehaviours({
        ...(idempotency !== undefined && {idempotency: idempotency as Behaviours['idempotency']}),
        ...(use !== undefined && {quoteUse: use as Behaviours['quoteUse']}),
        ...(expired !== undefined && {expiredQuotes: expired as Behaviours['expiredQuotes']}),
        ...(lag !== undefined && {listLagSeconds: msOf(lag) / msPerSecond}),
        ...(tier !== undefined && {tier: tier as Behaviours['tier']}),
      })
    },
  },
]

export const copies: readonly ActionHere[] = [
  {
    command: 'snapshot save',
    submit: 'Save a copy',
    done: 'The copy was saved.',
    fields: [snapshotName],
    run: ({snapshots}, {name = ''}) => snapshots.save(name),
  },
  {
    command: 'snapshot restore',
    submit: 'Go back',
    done: 'Everything is as it was then.',
    fields: [snapshotName],
    run: ({snapshots}, {name = ''}) => snapshots.restore(name),
  },
  {
    command: 'reset',
    submit: 'Reset',
    done: 'The sandbox began anew.',
    fields: [text('seed', 'Seed', {rule: 'a text from which everything random follows'})],
    sure: 'Throw everything away, and seed anew',
    run: (controls, {seed}) => controls.reset({seed}),
  },
]
