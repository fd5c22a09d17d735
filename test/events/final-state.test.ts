// The last known state of a customer does not depend on the order in which events arrive, nor on how often.
import {describe, expect, it} from 'vitest'
import {findCustomerState, recordEvent, saveCustomerState} from '../../src/events/record.ts'
import {type EventStore, openEventStore} from '../../src/events/store.ts'
import {customer, customerId} from '../support/service.ts'

interface SampleEvent {
  id: string
  body: Buffer
}

const createSample = (id: string, status: string, updatedAt: string, timestamp?: string): SampleEvent => ({
  id,
  body: Buffer.from(
    JSON.stringify({type: 'customer.updated', timestamp, data: customer(1, {customerStatus: status, updatedAt})}),
  ),
})

// The first two changed within one second and were created at different times; the last two have both times in common.
const fiveEvents = [
  createSample('evt_1', 'UNDER_REVIEW', '2026-11-01T12:00:00Z', '2026-11-01T12:00:01Z'),
  createSample('evt_2', 'NEEDS_ADDITIONAL_INFORMATION', '2026-11-01T12:00:00Z', '2026-11-01T12:00:02Z'),
  createSample('evt_3', 'UNDER_REVIEW', '2026-11-01T12:05:00.250Z'),
  createSample('evt_4', 'UNDER_REVIEW', '2026-11-01T12:10:00Z', '2026-11-01T12:10:00Z'),
  createSample('evt_5', 'ACTIVE', '2026-11-01T12:10:00Z', '2026-11-01T12:10:00Z'),
]

function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield []
  for (const [at, item] of items.entries()) {
    for (const rest of permutations(items.toSpliced(at, 1))) yield [item, ...rest]
  }
}

// Each three times: all in a row, each repeated at once, and the second and third time in reverse order.
const repeatThreeTimes = <T>(items: readonly T[]): T[][] => [
  [...items, ...items, ...items],
  items.flatMap((item) => [item, item, item]),
  [...items, ...items.toReversed(), ...items.toReversed()],
]

function receive(store: EventStore, {id, body}: SampleEvent, verified = false) {
  return recordEvent(store, {rawHeaders: ['Webhook-Id', id], body, receivedAt: Date.now(), verified}, [])
}

function finalStateAfter(events: readonly SampleEvent[]) {
  const store = openEventStore(':memory:')
  const recorded = store.transact(() => events.map((event) => receive(store, event)))
  const state = findCustomerState(store, customerId(1))
  store.close()
  return {state, news: recorded.filter(({duplicate}) => !duplicate).length}
}

describe('the last known state of a customer', () => {
  it('is the same in every order of five events that arrive three times each', () => {
    const outcomes = new Set<string>()
    let orders = 0
    for (const order of permutations(fiveEvents)) {
      for (const events of repeatThreeTimes(order)) {
        orders++
        outcomes.add(JSON.stringify(finalStateAfter(events)))
      }
    }
    expect(orders).toBe(360)
    expect([...outcomes].map((outcome) => JSON.parse(outcome) as object)).toEqual([
      {state: customer(1, {customerStatus: 'ACTIVE', updatedAt: '2026-11-01T12:10:00Z'}), news: 5},
    ])
  })

  it.each([1, 2, 3, 4])('is also the same after the first %s of them', (count) => {
    const some = fiveEvents.slice(0, count)
    const states = new Set(permutations(some).map((order) => JSON.stringify(finalStateAfter(order).state)))
    expect([...states]).toHaveLength(1)
    const last = JSON.parse(some.at(-1)?.body.toString() ?? '') as {data: object}
    expect(JSON.parse([...states][0] ?? '')).toEqual(last.data)
  })

  it('is never taken from an unverified event once there is a verified one, whatever time it claims', () => {
    const store = openEventStore(':memory:')
    receive(store, createSample('evt_2', 'ACTIVE', '2026-11-01T12:00:00Z'), true)
    const forged = receive(store, createSample('evt_3', 'REJECTED', '9999-01-01T00:00:00Z'))
    expect(forged).toMatchObject({latest: false, duplicate: false})
    expect(findCustomerState(store, customerId(1))).toMatchObject({customerStatus: 'ACTIVE'})
  })

  it('is taken from a verified event although an unverified one arrived before under the same id', () => {
    const store = openEventStore(':memory:')
    receive(store, createSample('evt_1', 'REJECTED', '9999-01-01T00:00:00Z'))
    expect(receive(store, createSample('evt_1', 'ACTIVE', '2026-11-01T12:00:00Z'), true)).toMatchObject({
      duplicate: false,
      latest: true,
    })
    expect(findCustomerState(store, customerId(1))).toMatchObject({customerStatus: 'ACTIVE'})
  })

  it('is what the service replied, if it was asked', () => {
    const store = openEventStore(':memory:')
    receive(store, createSample('evt_1', 'REJECTED', '9999-01-01T00:00:00Z'))
    const state = customer(1, {customerStatus: 'UNDER_REVIEW', updatedAt: '2026-11-01T12:00:00Z'})
    const fetched = {customerId: customerId(1), isTrusted: true, isFetched: true, eventAt: undefined, eventId: 'evt_1'}
    expect(saveCustomerState(store, {...fetched, state})).toBe(true)
    expect(findCustomerState(store, customerId(1))).toEqual(state)
  })
})
