// What the console shows of the events that `svc events listen` stored on this machine.
import fs from 'node:fs'
import type {ConsoleEvent, EventSource} from '../web/console/source.ts'
import {type RecordedEvent, type StoredEvent, findEvent, toRecordedEvent} from '../events/record.ts'
import {type EventStore, getEventStoreFile, openExistingEventStore} from '../events/store.ts'

const columns = 'seq, id, trust, receivedAt, type, headers, body'

const toConsoleEvent = ({id, type, receivedAt, verified, parsed}: RecordedEvent): ConsoleEvent => ({
  eventId: id,
  type,
  at: new Date(receivedAt).toISOString(),
  customerId: parsed?.customerId,
  customerStatus: parsed?.customerStatus,
  status: verified ? 'VERIFIED' : 'UNVERIFIED',
})

function withStore<T>(file: string, read: (store: EventStore) => T): T {
  const store = openExistingEventStore(file)
  try {
    return read(store)
  } finally {
    store.close()
  }
}

function listNewest(store: EventStore, count: number, customerId: string | undefined): StoredEvent[] {
  const order = 'order by seq desc limit ?'
  return customerId === undefined
    ? store.all<StoredEvent>(`select ${columns} from events ${order}`, count)
    : store.all<StoredEvent>(`select ${columns} from events where customerId = ? ${order}`, customerId, count)
}

// Undefined if nothing was ever received here.
export function findEventSource(file = getEventStoreFile()): EventSource | undefined {
  if (!fs.existsSync(file)) return undefined
  return {
    description: 'Events that svc events listen received on this machine, whichever profile they belong to.',
    listEvents: async (count, customerId) =>
      withStore(file, (store) =>
        listNewest(store, count, customerId).map((event) => toConsoleEvent(toRecordedEvent(store, event))),
      ),
    findEvent: async (eventId) =>
      withStore(file, (store) => {
        const event = findEvent(store, eventId)
        return event && toConsoleEvent(toRecordedEvent(store, event))
      }),
  }
}
