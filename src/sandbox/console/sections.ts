// The sections of the controls: what the sandbox itself has, such as its clock, its queue, webhooks, faults and snapshots. Customers,
// accounts, transactions, rules and requests have pages of their own.
import {renderCode, shortenId} from '../../web/format.ts'
import {type Html, html} from '../../web/html.ts'
import {type Behaviours, behaviourFields} from '../service/faults/behaviour-table.ts'
import {
  type ConsoleView,
  describeNewest,
  formatDistance,
  formatRoundedUp,
  renderRowButton,
  renderStatus,
  renderTable,
  renderTime,
} from './table.ts'

export function renderClock({state: {clock: status, queue}}: ConsoleView): Html {
  const {offsetMs} = status
  const ahead = offsetMs < 1_000 ? 'In step with real time.' : `${formatRoundedUp(offsetMs)} ahead of real time.`
  return html`<div id="clock" data-live class="clock">
    <p class="now">${renderTime(status.now)} <span class="zone">UTC</span></p>
    <p>
      ${status.frozen ? renderStatus('FROZEN') : renderStatus('RUNNING')} ${ahead} Tasks in the queue: ${queue.waiting}.
    </p>
  </div>`
}

// The fields of a payload that name what a task is about.
const subjects = ['customerId', 'transactionId', 'ruleId', 'deliveryId']

const findSubject = (payload: Readonly<Record<string, unknown>>) =>
  subjects.map((name) => payload[name]).find((value) => typeof value === 'string') ?? ''

const renderShortId = (id: string) => html`<code title="${id}">${shortenId(id)}</code>`

export const renderQueue = ({context, state}: ConsoleView): Html =>
  renderTable({
    id: 'queue',
    caption: 'Queue: what happens next',
    headers: ['Due', 'When', 'Task', 'About'],
    rows: state.queue.tasks.map(({due, kind, payload}) => [
      renderTime(due),
      formatDistance(due - context.now),
      kind,
      renderShortId(findSubject(payload)),
    ]),
    empty: 'The queue is empty.',
  })

export const renderEndpoints = ({state, forms}: ConsoleView): Html =>
  renderTable({
    id: 'endpoints',
    caption: 'Webhook endpoints',
    headers: ['URL', 'Status', 'Copies', 'Reordered', 'ID', 'Action'],
    rows: state.endpoints.map(({endpointId, url, status, copies, reorder}) => [
      url,
      renderStatus(status),
      copies,
      reorder ? 'yes' : 'no',
      renderCode(endpointId),
      renderRowButton(forms, 'webhooks-remove', {name: 'id', value: endpointId, label: 'Remove', about: url}),
    ]),
    empty: 'There are no webhook endpoints.',
  })

export const renderDeliveries = ({state, forms}: ConsoleView): Html =>
  renderTable({
    id: 'deliveries',
    caption: describeNewest('deliveries'),
    headers: ['Created', 'Event', 'Status', 'Attempts', 'Last result', 'Next attempt', 'To', 'Action'],
    rows: state.deliveries.map((delivery) => [
      renderTime(delivery.createdAt),
      html`${delivery.type} ${renderCode(delivery.eventId)}`,
      renderStatus(delivery.status),
      delivery.attempts,
      delivery.lastOutcome,
      renderTime(delivery.nextAttemptAt),
      delivery.url,
      renderRowButton(forms, 'webhooks-resend', {
        name: 'id',
        value: delivery.deliveryId,
        label: 'Send again',
        about: delivery.deliveryId,
      }),
    ]),
    empty: 'There are no deliveries yet.',
  })

export const renderFaults = ({state, forms}: ConsoleView): Html =>
  renderTable({
    id: 'faults-table',
    caption: 'Faults',
    headers: ['Kind', 'Requests', 'Times', 'Applied', 'ID', 'Action'],
    rows: state.faults.map(({faultId, kind, method, path, times, acted}) => [
      kind,
      html`${method} ${renderCode(path)}`,
      times ?? 'always',
      acted,
      renderCode(faultId),
      renderRowButton(forms, 'faults-clear', {name: 'id', value: faultId, label: 'Clear', about: `${kind} on ${path}`}),
    ]),
    empty: 'There are no faults.',
  })

export const renderBehaviours = ({state: {behaviours}}: ConsoleView): Html =>
  html`<p id="behaviours" data-live>
    ${Object.entries(behaviours).map(([name, value]) => {
      const {label, type} = behaviourFields[name as keyof Behaviours]
      return `${label}: ${value}${type === 'seconds' ? ' s' : ''}. `
    })}
  </p>`

export const renderSnapshots = ({state, forms}: ConsoleView): Html =>
  renderTable({
    id: 'snapshots-table',
    caption: 'Snapshots',
    headers: ['Name', 'Saved', 'Bytes', 'Action'],
    rows: state.snapshots.map(({name, savedAt, bytes}) => [
      name,
      renderTime(savedAt),
      bytes,
      renderRowButton(forms, 'snapshot-restore', {name: 'name', value: name, label: 'Restore', about: name}),
    ]),
    empty: 'There are no snapshots.',
  })
