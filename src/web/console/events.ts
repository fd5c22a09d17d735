// Events and the requests that the sandbox received.
import {isMadeUpEvent} from '../../values/event-ids.ts'
import {type Tone, getTone, renderCode, renderStatus, renderTime, toText} from '../format.ts'
import {type Content, html} from '../html.ts'
import {type Column, type Moment, renderCard, renderItemLink, renderLead, renderTable} from '../parts.ts'
import {paths, readCutPage} from './context.ts'
import {describeIssue} from './customers.ts'
import {type Noun, customerColumn, renderCustomer} from './noun.ts'
import type {ConsoleEvent, ConsoleRequest, EventDelivery} from './source.ts'
import {findWords} from './words.ts'

// Somebody made the event up, or the change that it reports.
const hasNotHappened = ({eventId, isMadeUp}: ConsoleEvent) => isMadeUpEvent(eventId) || isMadeUp === true

const listMoments = ({at, deliveries = []}: ConsoleEvent): Moment[] => [
  {at, what: 'Created'},
  ...deliveries
    .filter(({lastAttemptAt}) => lastAttemptAt !== undefined)
    .map(({url, lastAttemptAt, lastOutcome, status, attempts}) => ({
      at: lastAttemptAt,
      what: html`${renderStatus(status)} to ${toText(url)}`,
      detail: `Attempt ${attempts}: ${toText(lastOutcome)}`,
      tone: getTone(status),
    })),
]

const deliveryColumns: Array<Column<EventDelivery>> = [
  {
    header: 'To',
    render: ({url, endpointRemoved}) => html`${toText(url)}${endpointRemoved === true && ' (endpoint since removed)'}`,
    isLong: true,
  },
  {header: 'Status', render: ({status}) => renderStatus(status)},
  {header: 'Attempts', render: ({attempts}) => attempts, isNumber: true},
  {header: 'Last result', render: ({lastOutcome}) => toText(lastOutcome)},
  {header: 'Next attempt (UTC)', render: ({nextAttemptAt}) => renderTime(nextAttemptAt, {withSeconds: true})},
]

function chooseWords({eventId, isMadeUp, status, deliveries = []}: ConsoleEvent): string {
  if (deliveries.some((each) => each.status === 'FAILED')) return 'FAILED'
  if (status === 'UNVERIFIED') return status
  return isMadeUpEvent(eventId) ? 'TRIGGERED' : isMadeUp ? 'MADE_UP' : 'REPORT'
}

export const events: Noun<ConsoleEvent> = {
  title: 'Events',
  noun: 'event',
  path: paths.events,
  itemPath: paths.event,
  part: 'events',
  command: 'svc events list',
  searchLabel: 'Type, id, customer or status',
  empty: 'There are no events yet.',
  above: ({source}) => html`<p class="note">${source.events?.description}</p>`,
  list: (source, query) =>
    readCutPage(async (count) => (await source.events?.listEvents(count)) ?? [], source.readMax, query),
  columns: (context, names) => [
    {header: 'Time (UTC)', render: ({at}) => renderTime(at, {withSeconds: true})},
    {header: 'Event', render: (event) => `${toText(event.type)}${hasNotHappened(event) ? ' (made up)' : ''}`},
    ...customerColumn(context, names),
    {header: 'Said', render: ({customerStatus}) => customerStatus && renderStatus(customerStatus)},
    {header: 'Status', render: ({status}) => renderStatus(status)},
    {header: 'ID', render: ({eventId: id}) => renderItemLink(context, {path: paths.event, id}), isShort: true},
  ],
  find: async ({source}, id) => source.events?.findEvent(id),
  show: async (context, event) => {
    const {deliveries, customerStatus, issues} = event
    return {
      title: toText(event.type),
      status: renderStatus(event.status),
      lead: renderLead(findWords('event', chooseWords(event)), event.eventId),
      timeline: {moments: listMoments(event)},
      cards: [
        [
          'Details',
          [
            ['Customer', await renderCustomer(context, event)],
            ['Status of the customer', customerStatus && renderStatus(customerStatus)],
            ['Reasons', Array.isArray(issues) && issues.map((issue) => html`<div>${describeIssue(issue)}</div>`)],
            ['ID', renderCode(toText(event.eventId))],
          ],
        ],
      ],
      related:
        deliveries &&
        renderCard(
          'Deliveries',
          renderTable({
            id: 'event-deliveries',
            caption: 'Deliveries',
            columns: deliveryColumns,
            items: deliveries,
            empty: 'It was sent to no endpoint.',
          }),
        ),
    }
  },
}

const getStatusTone = (status: number): Tone =>
  status === 0 || status >= 500 ? 'bad' : status >= 400 ? 'open' : 'good'

const renderHttpStatus = (status: number) =>
  renderStatus(status === 0 ? 'No reply' : String(status), getStatusTone(status))

const formatMs = (ms: number) => `${Math.round(ms * 10) / 10} ms`

const renderBody = (title: string, body: unknown): Content =>
  renderCard(
    title,
    body === undefined
      ? html`<p class="none">It had no body.</p>`
      : html`<pre tabindex="0">${JSON.stringify(body, null, 2)}</pre>`,
  )

export const requests: Noun<ConsoleRequest> = {
  title: 'Requests',
  noun: 'request',
  path: paths.requests,
  itemPath: paths.request,
  part: 'requests',
  command: 'svc sandbox requests',
  searchLabel: 'Path, method or fault',
  choice: {
    name: 'method',
    label: 'Method',
    values: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
    read: ({method}) => method,
  },
  empty: 'There are no requests yet.',
  list: (source, query) =>
    readCutPage(async (count) => (await source.requests?.listRequests(count)) ?? [], source.readMax, query),
  columns: (context) => [
    {header: 'Time (UTC)', render: ({at}) => renderTime(at, {withSeconds: true})},
    {header: 'Method', render: ({method}) => toText(method)},
    {
      header: 'Path',
      render: ({seq, path}) => renderItemLink(context, {path: paths.request, id: String(seq), text: toText(path)}),
      isLong: true,
    },
    {header: 'Status', render: ({status}) => renderHttpStatus(status)},
    {header: 'Took', render: ({durationMs}) => formatMs(durationMs), isNumber: true},
    {header: 'Fault', render: ({fault}) => toText(fault), isMinor: true},
  ],
  find: async ({source}, id) => (/^\d{1,15}$/.test(id) ? source.requests?.findRequest(Number(id)) : undefined),
  show: async (_, request) => ({
    title: toText(`${request.method} ${request.path.replace(/\?.*$/, '')}`),
    status: renderHttpStatus(request.status),
    cards: [
      [
        'Details',
        [
          ['Time', renderTime(request.at, {withSeconds: true})],
          ['Address', renderCode(toText(request.path))],
          ['Took', formatMs(request.durationMs)],
          ['Fault', toText(request.fault)],
        ],
        'Values that could be personal data are masked in the log.',
      ],
    ],
    related: html`<div class="columns">
      ${renderBody('Request', request.request)} ${renderBody('Reply', request.reply)}
    </div>`,
  }),
}
