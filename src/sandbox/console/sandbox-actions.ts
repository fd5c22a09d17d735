// The console's actions on the sandbox itself: webhooks, faults and snapshots.
import {type Behaviours, idempotencyPattern} from '../service/faults/behaviours.ts'
import {type FaultKind, faultKinds} from '../service/faults/faults.ts'
import {type SectionAction, choiceField, wholeNumber, textField, checkboxField, required} from './action.ts'
import {durationPattern, durationRule, parseDurationMs, parseNumber} from './action-fields.ts'
import {secondMs} from '../../values/time.ts'

const endpointId = textField('id', 'Endpoint', {...required, rule: 'its ID'})
const snapshotName = textField('name', 'Name', {
  ...required,
  pattern: /^\w(?:[\w.]|-){0,63}$/,
  rule: 'letters, digits, dots and hyphens',
})

const methods = ['*', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

// Node's timers cannot wait longer than this.
const delayMsMax = 2 ** 31 - 1
export const webhooks: readonly SectionAction[] = [
  {
    command: 'webhooks add',
    submitLabel: 'Add endpoint',
    doneMessage: 'The endpoint was added. `svc sandbox webhooks list --show-secret` shows its secret.',
    fields: [
      textField('url', 'URL', {...required, rule: 'such as http://localhost:3000/webhooks'}),
      textField('duplicate', 'Copies of each event', {...wholeNumber, rule: '1 to 10'}),
      checkboxField('reorder', 'Swap every two events'),
      checkboxField('allow-remote', 'Allow another machine (https only)'),
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
    doneMessage: 'The event will be sent again.',
    fields: [textField('id', 'Event or delivery', {...required, rule: 'its ID'})],
    run: ({webhooks: controls}, {id = ''}) => controls.resend(id),
  },
]

const seconds = {pattern: /^\d{1,7}(s|m|h)?$/, rule: 'such as 30s or 0'}

const behaviourByField: Readonly<Record<string, keyof Behaviours>> = {
  idempotency: 'idempotency',
  'quote-use': 'quoteUse',
  'expired-quotes': 'expiredQuotes',
  'list-lag': 'listLagSeconds',
  'list-order': 'listOrder',
  'page-token-life': 'pageTokenSeconds',
  'transaction-outcome': 'transactionOutcome',
  'outcome-after': 'outcomeAfterSeconds',
  'date-skew': 'dateSkewSeconds',
  'date-header': 'dateHeader',
  tier: 'tier',
}

// Durations are stored as seconds, and everything else as it is written. The fields have been checked.
function readBehaviour(behaviour: keyof Behaviours, text: string): string | number {
  if (!behaviour.endsWith('Seconds')) return text
  const ms = parseDurationMs(text.replace('-', ''))
  return (text.startsWith('-') ? -ms : ms) / secondMs
}

export const faults: readonly SectionAction[] = [
  {
    command: 'faults add',
    submitLabel: 'Add fault',
    doneMessage: 'The fault was added.',
    fields: [
      choiceField('kind', 'Kind of fault', Object.keys(faultKinds), required),
      choiceField('method', 'Method', methods, required),
      textField('path', 'Path', {rule: 'such as /customers/{customerId}; all if empty'}),
      textField('times', 'Times', {...wholeNumber, rule: 'always if empty'}),
      textField('after', 'Requests to let pass first', wholeNumber),
      textField('probability', 'Share of requests', {pattern: /^(1|0?\.\d{1,9})$/, rule: 'such as 0.3'}),
      textField('status', 'Status of the response', {pattern: /^[2-5]\d\d$/, rule: '200 to 599'}),
      textField('retry-after', 'Retry-After in seconds', wholeNumber),
      textField('delay', 'Delay', {pattern: durationPattern, rule: durationRule}),
      textField('commit-after', 'Carry out after', {pattern: durationPattern, rule: durationRule}),
    ],
    run({faults: controls}, {kind, method = '*', path = '*', times, after, probability, status, delay, ...rest}) {
      const commitAfter = rest['commit-after']
      controls.add({
        kind: kind as FaultKind,
        method,
        path,
        times: parseNumber(times),
        after: parseNumber(after),
        probability: parseNumber(probability),
        status: parseNumber(status),
        delayMs: delay === undefined ? undefined : parseDurationMs(delay, delayMsMax),
        commitAfterMs: commitAfter === undefined ? undefined : parseDurationMs(commitAfter),
        retryAfterSeconds: parseNumber(rest['retry-after']),
      })
    },
  },
  {
    command: 'faults clear',
    submitLabel: 'Clear faults',
    doneMessage: 'The faults were removed.',
    fields: [textField('id', 'Fault', {rule: 'its ID; all if empty'})],
    run: ({faults: controls}, {id}) => controls.clear(id),
  },
  {
    command: 'faults set',
    submitLabel: 'Set behaviour',
    doneMessage: 'The behaviour was set.',
    fields: [
      textField('idempotency', 'Reused idempotency key', {
        pattern: idempotencyPattern,
        rule: 'replay, replay-successes, replay-any-body, refuse, refuse-other-body, per-body, forget-after-30m or ignore',
      }),
      choiceField('quote-use', 'Uses of a quote', ['single', 'many']),
      choiceField('expired-quotes', 'Expired quotes', ['refused', 'accepted']),
      textField('list-lag', 'Lag of lists', seconds),
      choiceField('list-order', 'Order of lists', ['newest-first', 'oldest-first']),
      textField('page-token-life', 'Life of page tokens', {...seconds, rule: 'such as 5m; 0 is forever'}),
      choiceField('transaction-outcome', 'Outcome of transactions', ['completed', 'failed', 'cancelled', 'expired']),
      textField('outcome-after', 'Bad outcome after', seconds),
      textField('date-skew', 'Skew of the Date of replies', {
        pattern: /^-?\d{1,7}(s|m|h)?$/,
        rule: 'such as 90s, -5m or 0',
      }),
      choiceField('date-header', 'Date of replies', ['sent', 'left-out']),
      choiceField('tier', 'Tier', ['standard', 'builder']),
      checkboxField('reset', 'Reset all behaviours first'),
    ],
    run({faults: controls}, {reset, ...input}) {
      if (reset !== undefined) controls.resetBehaviours()
      const changes = Object.entries(input).flatMap(([field, text]) => {
        const behaviour = behaviourByField[field]
        return behaviour && text !== undefined ? [[behaviour, readBehaviour(behaviour, text)] as const] : []
      })
      controls.setBehaviours(Object.fromEntries(changes))
    },
  },
]

export const snapshots: readonly SectionAction[] = [
  {
    command: 'snapshot save',
    submitLabel: 'Save snapshot',
    doneMessage: 'The snapshot was saved.',
    fields: [snapshotName],
    run: ({snapshots: controls}, {name = ''}) => controls.save(name),
  },
  {
    command: 'snapshot restore',
    submitLabel: 'Restore snapshot',
    doneMessage: 'The snapshot was restored.',
    fields: [snapshotName],
    run: ({snapshots: controls}, {name = ''}) => controls.restore(name),
  },
  {
    command: 'reset',
    submitLabel: 'Reset',
    doneMessage: 'The sandbox was reset.',
    fields: [textField('seed', 'Seed', {rule: 'a text that makes all random data reproducible'})],
    confirmLabel: 'Delete everything and seed the sandbox again',
    run: (controls, {seed}) => controls.reset({seed}),
  },
]
