// The events, and the page of one with its deliveries.
import {type Tone, getTone, renderCode, renderStatus, renderTime, toText} from '../../format.ts'
import {html} from '../../html.ts'
import {isMadeUpEvent} from '../../../values/event-ids.ts'
import {
  type Column,
  type Moment,
  renderCard,
  renderFacts,
  renderItemLink,
  renderLead,
  renderTable,
  renderTimeline,
} from '../../parts.ts'
import {type ConsoleContext, type ConsolePage, paths, readCutPage} from '../context.ts'
import type {ConsoleEvent, ConsoleRequest, EventDelivery, EventSource, RequestSource} from '../source.ts'
import {findWords} from '../words.ts'
import {describeIssue} from './customers.ts'
import {
  type CustomerNames,
  createCustomerNameColumns,
  findCustomerNames,
  renderList,
  renderItem,
  renderOwnerLink,
} from './list-page.ts'

// Somebody made the event up, or the change that it reports.
const hasNotHappened = ({eventId, isMadeUp}: ConsoleEvent) => isMadeUpEvent(eventId) || isMadeUp === true

const createEventColumns = (context: ConsoleContext, names?: CustomerNames): Column<ConsoleEvent>[] => [
  {header: 'Time (UTC)', render: ({at}) => renderTime(at, {withSeconds: true})},
  {header: 'Event', render: (event) => `${toText(event.type)}${hasNotHappened(event) ? ' (made up)' : ''}`},
  ...createCustomerNameColumns(context, names),
  {header: 'Said', render: ({customerStatus}) => customerStatus && renderStatus(customerStatus)},
  {header: 'Status', render: ({status}) => renderStatus(status)},
  {
    header: 'ID',
    render: ({eventId: id}) => renderItemLink(context, {path: paths.event, id}),
    isShort: true,
  },
]

export const renderEvents = (context: ConsoleContext, events: EventSource): Promise<ConsolePage> =>
  renderList<ConsoleEvent>(context, {
    command: 'svc events list',
    search: {label: 'Type, id, customer or status'},
    listTexts: ({eventId, type, customerId, customerStatus, status}) => [
      eventId,
      type,
      customerId,
      customerStatus,
      status,
    ],
    readPage: (query) => readCutPage((count) => events.listEvents(count), context.source.readMax, query),
    prepareColumns: async (items) => createEventColumns(context, await findCustomerNames(context, items)),
    empty: 'There are no events yet.',
    above: html`<p class="note">${events.description}</p>`,
  })

const listMoments = ({at, deliveries = []}: ConsoleEvent): Moment[] => [
  {at, what: 'Created'},
  ...deliveries.flatMap(({url, lastAttemptAt, lastOutcome, status, attempts}) =>
    lastAttemptAt === undefined
      ? []
      : [
          {
            at: lastAttemptAt,
            what: html`${renderStatus(status)} to ${toText(url)}`,
            detail: `Attempt ${attempts}: ${toText(lastOutcome)}`,
            tone: getTone(status),
          },
        ],
  ),
]

const renderDeliveries = (deliveries: readonly EventDelivery[]) =>
  renderTable({
    id: 'event-deliveries',
    caption: 'Deliveries',
    columns: [
      {
        header: 'To',
        render: ({url, endpointRemoved}) =>
          html`${toText(url)}${endpointRemoved === true && ' (endpoint since removed)'}`,
        isLong: true,
      },
      {header: 'Status', render: ({status}) => renderStatus(status)},
      {header: 'Attempts', render: ({attempts}) => attempts, isNumber: true},
      {header: 'Last result', render: ({lastOutcome}) => toText(lastOutcome)},
      {header: 'Next attempt (UTC)', render: ({nextAttemptAt}) => renderTime(nextAttemptAt, {withSeconds: true})},
    ],
    items: deliveries,
    empty: 'It was sent to no endpoint.',
  })

function chooseWords({eventId, isMadeUp, status, deliveries = []}: ConsoleEvent): string {
  if (deliveries.some((each) => each.status === 'FAILED')) return 'FAILED'
  if (status === 'UNVERIFIED') return status
  return isMadeUpEvent(eventId) ? 'TRIGGERED' : isMadeUp ? 'MADE_UP' : 'REPORT'
}

export async function renderEvent(context: ConsoleContext, events: EventSource): Promise<ConsolePage> {
  const id = context.query['id'] ?? ''
  return renderItem(context, {
    find: () => events.findEvent(id),
    missing: html`There is no event ${renderCode(toText(id))}.`,
    render: async (event) => {
      const {deliveries} = event
      const customer = await renderOwnerLink(context, event)
      const facts = renderFacts([
        ['Customer', customer],
        ['Status of the customer', event.customerStatus && renderStatus(event.customerStatus)],
        [
          'Reasons',
          Array.isArray(event.issues) && event.issues.map((issue) => html`<div>${describeIssue(issue)}</div>`),
        ],
        ['ID', renderCode(toText(event.eventId))],
      ])
      const timeline = renderTimeline('event-timeline', listMoments(event), 'Nothing has happened yet.')
      return {
        title: toText(event.type),
        beside: renderStatus(event.status),
        body: [
          renderLead(findWords('event', chooseWords(event)), event.eventId),
          html`<div class="columns" id="event" data-live>
            ${renderCard('What happened', timeline)} ${renderCard('Details', facts)}
          </div>`,
          deliveries && renderCard('Deliveries', renderDeliveries(deliveries)),
        ],
      }
    },
  })
}

// The requests that the sandbox received, and the page of one with its bodies.
const getStatusTone = (status: number): Tone =>
  status === 0 || status >= 500 ? 'bad' : status >= 400 ? 'open' : 'good'

const renderHttpStatus = (status: number) =>
  renderStatus(status === 0 ? 'No reply' : String(status), getStatusTone(status))

const formatMs = (ms: number) => `${Math.round(ms * 10) / 10} ms`

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

export const renderRequests = (context: ConsoleContext, requests: RequestSource): Promise<ConsolePage> =>
  renderList<ConsoleRequest>(context, {
    command: 'svc sandbox requests',
    search: {label: 'Path, status or fault', choice: {name: 'method', label: 'Method', values: methods}},
    listTexts: ({method, path, status, fault}) => [method, path, String(status), fault],
    hasChoice: ({method}, value) => method === value,
    readPage: (query) => readCutPage((count) => requests.listRequests(count), context.source.readMax, query),
    prepareColumns: async () => [
      {header: 'Time (UTC)', render: ({at}) => renderTime(at, {withSeconds: true})},
      {header: 'Method', render: ({method}) => toText(method)},
      {
        header: 'Path',
        render: ({seq, path}) =>
          html`<a id="request-${seq}" href="${context.link(paths.request, {id: String(seq)})}"
            ><code>${toText(path)}</code></a
          >`,
        isLong: true,
      },
      {header: 'Status', render: ({status}) => renderHttpStatus(status)},
      {header: 'Took', render: ({durationMs}) => formatMs(durationMs), isNumber: true},
      {header: 'Fault', render: ({fault}) => toText(fault), isMinor: true},
    ],
    empty: 'There are no requests yet.',
  })

const renderBody = (title: string, body: unknown) =>
  renderCard(
    title,
    body === undefined
      ? html`<p class="none">It had no body.</p>`
      : html`<pre tabindex="0">${JSON.stringify(body, null, 2)}</pre>`,
  )

export async function renderRequest(context: ConsoleContext, requests: RequestSource): Promise<ConsolePage> {
  const id = context.query['id'] ?? ''
  const seq = /^\d{1,15}$/.test(id) ? Number(id) : -1
  return renderItem(context, {
    find: () => requests.findRequest(seq),
    missing: html`There is no request ${renderCode(toText(id))} in the log.`,
    render: async (request) => ({
      title: toText(`${request.method} ${request.path.replace(/\?.*$/, '')}`),
      beside: renderHttpStatus(request.status),
      body: [
        renderCard(
          'Details',
          renderFacts([
            ['Time', renderTime(request.at, {withSeconds: true})],
            ['Address', renderCode(toText(request.path))],
            ['Took', formatMs(request.durationMs)],
            ['Fault', toText(request.fault)],
          ]),
          {note: 'Values that could be personal data are masked in the log.'},
        ),
        html`<div class="columns">
          ${renderBody('Request', request.request)} ${renderBody('Reply', request.reply)}
        </div>`,
      ],
    }),
  })
}
