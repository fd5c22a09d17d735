// Events: what was reported of customers, and whether it arrived.
import {isMadeUpEvent} from '../../values/event-ids.ts'
import {renderStatus, renderTime, toText} from '../format.ts'
import {html} from '../html.ts'
import {renderLead} from '../parts.ts'
import {cutPage, paths, readByCount} from './context.ts'
import {renderReasons} from './customers.ts'
import {type Noun, createIdFields, customerField} from './noun.ts'
import type {ConsoleEvent} from './source.ts'
import {findWords} from './words.ts'

function chooseWords({eventId, isMadeUp, status}: ConsoleEvent): string {
  if (status === 'FAILED' || status === 'UNVERIFIED') return status
  return isMadeUpEvent(eventId) ? 'TRIGGERED' : isMadeUp ? 'MADE_UP' : 'REPORT'
}

// Somebody made the event up, or the change that it reports.
const renderType = ({type, eventId, isMadeUp}: ConsoleEvent) =>
  `${toText(type)}${isMadeUpEvent(eventId) || isMadeUp ? ' (made up)' : ''}`

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
  list: async ({events: source, readMax}, query) =>
    cutPage(await readByCount(readMax, (count) => source?.listEvents(count)), query),
  fields: (context, names) => [
    {header: 'Time (UTC)', render: ({at}) => renderTime(at, {withSeconds: true})},
    {header: 'Event', render: renderType},
    ...customerField(context, names),
    {header: 'Said', render: ({customerStatus}) => customerStatus && renderStatus(customerStatus)},
    {header: 'Reasons', render: ({issues}) => renderReasons(issues), only: 'page'},
    {header: 'Status', render: ({status}) => renderStatus(status), only: 'list'},
    ...createIdFields<ConsoleEvent>(context, paths.event, ({eventId}) => eventId),
  ],
  find: async ({source}, id) => source.events?.findEvent(id),
  show: async (_, event) => ({
    title: toText(event.type),
    status: renderStatus(event.status),
    lead: renderLead(findWords('event', chooseWords(event)), event.eventId),
  }),
}
