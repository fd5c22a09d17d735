// The lines of svc events listen: ids that can be matched and used.
import {describe, expect, it} from 'vitest'
import {parseEvent} from '../../src/events/event.ts'
import {formatEvent, formatForward} from '../../src/events/view.ts'

const painter = {dim: String, bold: String, alarm: String, status: String}
const id = 'evt_97831d741f0c6b2a9e4f7d3c'
const customerId = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const data = {customerId, customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'}
const recorded = {
  id,
  seq: 1,
  receivedAt: Date.parse('2026-11-15T12:00:00Z'),
  type: 'customer.updated',
  verified: true,
  duplicate: true,
  resent: true,
  parsed: parseEvent(Buffer.from(JSON.stringify({type: 'customer.updated', data}))),
}
const forward = {
  forward: 'retrying' as const,
  id,
  target: '',
  outcome: 'ECONNREFUSED',
  attempts: 1,
  nextAttemptAt: recorded.receivedAt,
}

describe('the lines of an event', () => {
  it('have whole ids in a pipe', () => {
    const style = {painter, width: undefined}
    expect(formatEvent(recorded, style)).toBe(
      `12:00:00  ${id}  customer.updated  ${customerId}  NEEDS_ADDITIONAL_INFORMATION  verified  sent again on request\n`,
    )
    expect(formatForward(forward, 'http://localhost:3000/hook', style)).toContain(
      `  ${id} → http://localhost:3000/hook`,
    )
  })

  it('have the beginnings of ids on a narrow terminal', () => {
    const style = {painter, width: 80}
    expect(formatEvent(recorded, style)).toBe(
      '12:00:00  evt_97831d74  customer.updated  4738020a  NEEDS_ADDITIONAL_INFORMATION  verified  sent again on request\n',
    )
    expect(formatForward(forward, 'http://localhost:3000/hook', style)).toContain(
      '  evt_97831d74 → http://localhost:3000/hook  ECONNREFUSED  again at 12:00:00\n',
    )
  })
})
