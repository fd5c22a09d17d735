// Parsing an event, in every shape in which it may arrive.
import {describe, expect, it} from 'vitest'
import {parseEvent, deriveEventId} from '../../../src/events/event.ts'
import {customer, customerId} from '../../support/service.ts'

const parseValue = (value: unknown) => parseEvent(Buffer.from(JSON.stringify(value)))
const data = customer(1)
const update = {
  type: 'customer.updated',
  customerId: customerId(1),
  customerStatus: 'ACTIVE',
  updatedAt: data.updatedAt,
}

describe('an event', () => {
  it.each([
    ['an envelope with a type', {type: 'customer.updated', data}],
    ['the other spelling of it', {type: 'customer.update', data}],
    ['an envelope with an event', {event: 'customer.updated', data}],
    ['both at once', {event: 'customer.update', data}],
    ['an envelope without a name', {data}],
    ['a bare customer', data],
    ['a bare customer with a name', {event: 'customer.update', ...data}],
  ])('is parsed as an update of a customer from %s', (_, value) => {
    expect(parseValue(value)).toMatchObject(update)
  })

  it('of an unknown type keeps its type, since the service may add some', () => {
    expect(parseValue({type: 'transaction.updated', data: {transactionId: 'x'}})).toMatchObject({
      type: 'transaction.updated',
      customerId: undefined,
    })
  })

  it('is identified by the header, else by the id in its envelope, else by its content', () => {
    const bodyOf = (value: unknown) => Buffer.from(JSON.stringify(value))
    const [own, none] = [
      bodyOf({id: 'evt_own', type: 'customer.updated', data}),
      bodyOf({...data, id: 'of the customer'}),
    ]
    expect(deriveEventId('evt_header', parseEvent(own), own)).toBe('evt_header')
    expect(deriveEventId(undefined, parseEvent(own), own)).toBe('evt_own')
    expect(deriveEventId(undefined, parseEvent(none), none)).toMatch(/^sha256_[\da-f]{64}$/)
    expect(deriveEventId(undefined, parseEvent(none), none)).not.toBe(
      deriveEventId(undefined, parseEvent(own), bodyOf(data)),
    )
  })
})
