// What can be done around the service on the console: to those it tells, to its faults, and to copies of it all.
import type {Behaviours} from '../faults/behaviours.ts'
import {type FaultKind, faultKinds} from '../faults/kinds.ts'
import {type SectionAction, choiceField, wholeNumber, textField, checkboxField, required} from './action.ts'
import {durationPattern, durationRule, parseDurationMs, parseNumber} from './action-fields.ts'

const endpointId = textField('id', 'Endpoint', {...required, rule: 'its id'})
const snapshotName = textField('name', 'Name', {...required, pattern: /^\w(?:[\w.]|-){0,63}$/, rule: 'a word'})

const methods = ['*', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

// Node's timers cannot wait longer than this.
const delayMsMax = 2 ** 31 - 1
const msPerSecond = 1_000
export const webhooks: readonly SectionAction[] = [
  {
    command: 'webhooks add',
    submitLabel: 'Add the endpoint',
    doneMessage: 'The endpoint was added. `svc sandbox webhooks list --show-secret` shows its secret.',
    fields: [
      textField('url', 'Address', {...required, rule: 'such as http://localhost:3000/webhooks'}),
      textField('duplicate', 'Copies of each event', {...wholeNumber, rule: '1 to 10'}),
      checkboxField('reorder', 'Swap each two events'),
      checkboxField('allow-remote', 'Allow another machine, over https'),
    ],
    run({webhooks: controls}, {url = '', duplicate, reorder, 'allow-remote': remote}) {
      const more = {reorder: reorder !== undefined, allowRemote: remote !== undefined}
      controls.add({url, copies: parseNumber(duplicate), ...more})
    },
  },
  {
    command: 'webhooks remove',
    submitLabel: 'Remove',
    doneMessage: 'The endpoint was removed.',
    fields: [endpointId],
    run: ({webhooks: controls}, {id = ''}) => controls.remove(id),
  },
  {
    command: 'webhooks resend',
    submitLabel: 'Send again',
    doneMessage: 'It is sent once more.',
    fields: [textField('id', 'Event or delivery', {...required, rule: 'its id'})],
    run: ({webhooks: controls}, {id = ''}) => controls.resend(id),
  },
]

const idempotencies = /^(replay|replay-successes|refuse|ignore|forget-after-[1-9]\d{0,6}m)$/

export const faults: readonly SectionAction[] = [
  {
    command: 'faults add',
    submitLabel: 'Add the fault',
    doneMessage: 'The fault was added.',
    fields: [
      choiceField('kind', 'What goes wrong', Object.keys(faultKinds), required),
      choiceField('method', 'Method', methods, required),
      textField('path', 'Path', {rule: 'such as /customers/{customerId}; all if left out'}),
      textField('times', 'How often', {...wholeNumber, rule: 'always if left out'}),
      textField('after', 'Let pass first', wholeNumber),
      textField('probability', 'Share of requests', {pattern: /^(1|0?\.\d{1,9})$/, rule: 'such as 0.3'}),
      textField('status', 'Status of the answer', {pattern: /^[2-5]\d\d$/, rule: '200 to 599'}),
      textField('retry-after', 'Retry-After in seconds', wholeNumber),
      textField('delay', 'Wait', {pattern: durationPattern, rule: durationRule}),
    ],
    run({faults: controls}, {kind, method = '*', path = '*', times, after, probability, status, delay, ...rest}) {
      controls.add({
        kind: kind as FaultKind,
        method,
        path,
        times: parseNumber(times),
        after: parseNumber(after),
        probability: parseNumber(probability),
        status: parseNumber(status),
        delayMs: delay === undefined ? undefined : parseDurationMs(delay, delayMsMax),
        retryAfterSeconds: parseNumber(rest['retry-after']),
      })
    },
  },
  {
    command: 'faults clear',
    submitLabel: 'Clear faults',
    doneMessage: 'What was asked for is cleared.',
    fields: [textField('id', 'Fault', {rule: 'its id; all if left out'})],
    run: ({faults: controls}, {id}) => controls.clear(id),
  },
  {
    command: 'faults set',
    submitLabel: 'Set',
    doneMessage: 'The service behaves that way.',
    fields: [
      textField('idempotency', 'A reused key', {
        pattern: idempotencies,
        rule: 'replay, replay-successes, refuse, ignore or forget-after-30m',
      }),
      choiceField('quote-use', 'Uses of a quote', ['single', 'many']),
      choiceField('expired-quotes', 'Expired quotes', ['refused', 'accepted']),
      textField('list-lag', 'Lag of lists', {pattern: /^\d{1,7}(s|m|h)?$/, rule: 'such as 30s or 0'}),
      choiceField('tier', 'Tier', ['standard', 'builder']),
      checkboxField('reset', 'First all as in the beginning'),
    ],
    run({faults: controls}, {idempotency, 'quote-use': use, 'expired-quotes': expired, 'list-lag': lag, tier, reset}) {
      if (reset !== undefined) controls.resetBehaviours()
      controls.setBehaviours({
        ...(idempotency !== undefined && {idempotency: idempotency as Behaviours['idempotency']}),
        ...(use !== undefined && {quoteUse: use as Behaviours['quoteUse']}),
        ...(expired !== undefined && {expiredQuotes: expired as Behaviours['expiredQuotes']}),
        ...(lag !== undefined && {listLagSeconds: parseDurationMs(lag) / msPerSecond}),
        ...(tier !== undefined && {tier: tier as Behaviours['tier']}),
      })
    },
  },
]

export const copies: readonly SectionAction[] = [
  {
    command: 'snapshot save',
    submitLabel: 'Save a copy',
    doneMessage: 'The copy was saved.',
    fields: [snapshotName],
    run: ({snapshots}, {name = ''}) => snapshots.save(name),
  },
  {
    command: 'snapshot restore',
    submitLabel: 'Go back',
    doneMessage: 'Everything is as it was then.',
    fields: [snapshotName],
    run: ({snapshots}, {name = ''}) => snapshots.restore(name),
  },
  {
    command: 'reset',
    submitLabel: 'Reset',
    doneMessage: 'The sandbox began anew.',
    fields: [textField('seed', 'Seed', {rule: 'a text from which everything random follows'})],
    confirmLabel: 'Throw everything away, and seed anew',
    run: (controls, {seed}) => controls.reset({seed}),
  },
]
