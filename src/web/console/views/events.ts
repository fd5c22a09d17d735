// The events, and the page of one with its deliveries.
import {html} from '../../html.ts'
import {type ConsoleContext, type ConsolePage, paths, tryRead} from '../context.ts'
import {getTone, renderCode, renderStatus, renderTime, shortenId, toText} from '../../format.ts'
import {renderCard, renderCustomerLink, renderFacts, renderTable, renderTimeline, type Moment} from '../../parts.ts'
import {readCutPage} from '../read-newest.ts'
import type {ConsoleEvent, EventDelivery, EventSource} from '../source.ts'
import {createCustomerNameColumns, findCustomerNames} from './customer-column.ts'
import {renderItem} from './item-page.ts'
import {renderList} from './list-page.ts'

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
    readPage: (query) => readCutPage((count) => events.listEvents(count), context.source.readMax, query),
    prepareColumns: async (items) => {
      const names = await findCustomerNames(context, items)
      return [
        {header: 'Time (UTC)', render: ({at}) => renderTime(at, {withSeconds: true})},
        {header: 'Event', render: ({type}) => toText(type)},
        ...createCustomerNameColumns(context, names),
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
  return renderItem(context, {
    noun: 'Event',
    list: {path: paths.events, title: 'Events'},
    find: () => events.findEvent(id),
    missing: html`There is no event ${renderCode(toText(id))}.`,
    render: async (event) => {
      const {customerId, deliveries} = event
      const names = await tryRead(context, () => findCustomerNames(context, [event]))
      const facts = renderFacts([
        ['ID', renderCode(toText(event.eventId))],
        ['Customer', renderCustomerLink(context, customerId, names.value?.get(customerId ?? ''))],
        ['Status of the customer', event.customerStatus && renderStatus(event.customerStatus)],
        ['Time', renderTime(event.at, {withSeconds: true})],
      ])
      const timeline = renderTimeline('event-timeline', listMoments(event), 'Nothing has happened yet.')
      return {
        title: toText(event.type),
        beside: renderStatus(event.status),
        body: [
          html`<div class="columns" id="event" data-live>
            ${renderCard('Details', facts)} ${renderCard('Timeline', timeline)}
          </div>`,
          deliveries && renderCard('Deliveries', renderDeliveries(deliveries)),
        ],
      }
    },
  })
}
