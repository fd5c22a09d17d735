// A run against a service that takes so many requests a second, and refuses the others with 429.
import {setTimeout as sleep} from 'node:timers/promises'
import {describe, expect, it} from 'vitest'
import {SvcError} from '../../../src/errors.ts'
import {Throttle} from '../../../src/payments/pay/throttle.ts'
import type {Service} from '../../../src/payments/protocol/service.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const requestsPerSecond = 20
const places = 16
const payments = 40

// Answers after some time. More than so many requests within a second are refused.
function createLimitedService(throttle: Throttle) {
  const times: number[] = []
  const refused = {quotes: 0, sends: 0}
  const answer = async (kind: keyof typeof refused): Promise<object> => {
    const nowMs = performance.now()
    const isRefused = times.filter((ms) => nowMs - ms < 1_000).length >= requestsPerSecond
    if (!isRefused) times.push(nowMs)
    await sleep(20)
    throttle.observe({status: isRefused ? 429 : 200, headers: new Headers()})
    if (!isRefused) return {}
    refused[kind] += 1
    throw new SvcError({error: 'TOO_MANY_REQUESTS', kind: 'unreachable', message: 'later', statusCode: 429})
  }
  const service = {quote: () => answer('quotes'), send: () => answer('sends')} as unknown as Service
  return {service, refused}
}

describe('a service that is asked too often', () => {
  it('is asked more slowly, so that few sends are refused', async () => {
    const throttle = new Throttle()
    const {service, refused} = createLimitedService(throttle)
    const throttled = throttle.wrap(service, (ms) => sleep(ms))
    let left = payments
    const work = async () => {
      while (left-- > 0) {
        try {
          await throttled.quote({} as never, false)
          await throttled.send('', '')
        } catch {
          // The next one.
        }
      }
    }
    await Promise.all(Array.from({length: places}, work))
    expect(refused.sends).toBeLessThan(payments / 3)
  })
})
