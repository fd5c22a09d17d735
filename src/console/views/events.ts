// The events, and the page of one with its deliveries.
import {html} from '../../pages/html.ts'
import {type ConsoleContext, type ConsolePage, paths, tryRead} from '../context.ts'
import {getTone, renderCode, renderStatus, renderTime, shortenId, toText} from '../format.ts'
import {
  renderCard,
  renderCustomerLink,
  renderFacts,
  renderHeading,
  renderTable,
  renderTimeline,
  type Moment,
} from '../parts.ts'
import {cutPage} from '../read-newest.ts'
import type {ConsoleEvent, EventDelivery, EventSource} from '../source.ts'
import {createFailurePage, createMissingPage, renderList} from './list-page.ts'

const renderEventLink = ({link}: ConsoleContext, {eventId}: ConsoleEvent) =>
  html`<a href="${link(paths.event, {id: eventId})}" title="${eventId}">${renderCode(shortenId(eventId))}</a>`

export const renderEvents = (context: ConsoleContext, events: EventSource): Promise<ConsolePage> =>
  renderList<ConsoleEvent>(context, {
    id: 'events-list',
    title: 'Events',
    noun: 'event',
    command: 'svc events list',
    search: {label: 'Type, id, customer or status'},
    listTexts: ({eventId, type, customerId, customerStatus, status}) => [
      eventId,
      type,
      customerId,
      customerStatus,
      status,
    ],
    readPage: async (query) => {
      const {readMax} = context.source
      const found = await events.listEvents(readMax + 1)
      return cutPage(found.slice(0, readMax), query, found.length > readMax)
    },
    prepareColumns: async (items) => {
      const names = await context.source.findNames(items.flatMap(({customerId}) => customerId ?? []))
      return [
        {header: 'Time (UTC)', render: ({at}) => renderTime(at, {withSeconds: true})},
        {header: 'Event', render: ({type}) => toText(type)},
        {
          header: 'Customer',
          render: ({customerId}) => renderCustomerLink(context, customerId, names.get(customerId ?? '')),
        },
        {header: 'Said', render: ({customerStatus}) => customerStatus && renderStatus(customerStatus)},
        {header: 'Status', render: ({status}) => renderStatus(status)},
        {header: 'ID', render: (event) => renderEventLink(context, event), isShort: true},
      ]
    },
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

export async function renderEvent(context: ConsoleContext, events: EventSource): Promise<ConsolePage> {
  const id = context.query['id'] ?? ''
  const read = await tryRead(context, () => events.findEvent(id))
  if (read.failure !== undefined) return createFailurePage('Event', read.failure)
  const event = read.value
  if (!event) return createMissingPage('Event', html`There is no event ${renderCode(toText(id))}.`)
  const {customerId, deliveries} = event
  const names = await tryRead(context, () => context.source.findNames(customerId ? [customerId] : []))
  const title = toText(event.type)
  return {
    title,
    body: [
      renderHeading(context, {list: paths.events, listTitle: 'Events', title, beside: renderStatus(event.status)}),
      html`<div class="columns" id="event" data-live>
        ${renderCard(
          'Details',
          renderFacts([
            ['ID', renderCode(toText(event.eventId))],
            ['Customer', renderCustomerLink(context, customerId, names.value?.get(customerId ?? ''))],
            ['Status of the customer', event.customerStatus && renderStatus(event.customerStatus)],
            ['Time', renderTime(event.at, {withSeconds: true})],
          ]),
        )}
        ${renderCard('Timeline', renderTimeline('event-timeline', listMoments(event), 'Nothing has happened yet.'))}
      </div>`,
      deliveries && renderCard('Deliveries', renderDeliveries(deliveries)),
    ],
  }
}
