// The time up to which slots have come, with a service that tells its time, and with one that stops telling it.
import {describe, expect, it} from 'vitest'
import {readSlotTime, watchReplies} from '../../../src/fleet/schedules/slot-time.ts'
import type {PostgresDatabase} from '../../../src/storage/postgres/database.ts'

const hourMs = 3_600_000
const minuteMs = 60_000

// The clock of the database is that of this machine.
const database = {
  read: () => Promise.resolve([{now: new Date()}]),
} as unknown as PostgresDatabase

function createService(aheadMs: number) {
  let nowMs = 0
  let asked = 0
  const replies = watchReplies(() => nowMs)
  const reply = (date: string | null) => replies.observe({headers: {get: () => date}})
  const state = {date: null as string | null}
  const service = {
    clock: {earliest: () => Date.now() + aheadMs, observedAheadMs: () => aheadMs},
    ...replies,
    ask: () => {
      asked += 1
      reply(state.date)
      return Promise.resolve()
    },
  }
  return {service, reply, state, pass: (ms: number) => (nowMs += ms), countAsked: () => asked}
}

describe('a service that told its time', () => {
  it('is compared while the reply is recent, and asked again later', async () => {
    const {service, reply, state, pass, countAsked} = createService(hourMs)
    reply('Sun, 01 Nov 2026 12:00:00 GMT')
    await expect(readSlotTime(database, service)).rejects.toThrow('that of the service')
    expect(countAsked()).toBe(0)
    pass(2 * minuteMs)
    state.date = 'Sun, 01 Nov 2026 12:02:00 GMT'
    await expect(readSlotTime(database, service)).rejects.toThrow('that of the service')
    expect(countAsked()).toBe(1)
  })

  it('and whose replies have no Date any more is asked once, and what it told long ago does not count', async () => {
    const {service, reply, pass, countAsked} = createService(hourMs)
    reply('Sun, 01 Nov 2026 12:00:00 GMT')
    pass(2 * minuteMs)
    reply(null)
    await expect(readSlotTime(database, service)).resolves.toBeInstanceOf(Date)
    pass(2 * minuteMs)
    await expect(readSlotTime(database, service)).resolves.toBeInstanceOf(Date)
    expect(countAsked()).toBe(1)
  })
})
