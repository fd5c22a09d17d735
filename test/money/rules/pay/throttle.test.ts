// A run against a service that takes so many requests a second, and refuses the others with 429.
import {setTimeout as sleep} from 'node:timers/promises'
import {expect, it} from 'vitest'
import {SvcError} from '../../../../src/errors.ts'
import {Throttle} from '../../../../src/payments/context/throttle.ts'
import type {Service} from '../../../../src/payments/protocol/service.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'

useVirtualTime()

const requestsPerSecond = 20
const places = 16
const payments = 200

// Answers after some time. More than so many requests within a second are refused.
function createLimitedService(throttle: Throttle) {
  const times: number[] = []
  const refused = {quotes: 0, sends: 0, lists: 0}
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
  async function* transactions() {
    await answer('lists')
    yield []
  }
  const service = {
    quote: () => answer('quotes'),
    send: () => answer('sends'),
    transactions,
  } as unknown as Service
  return {service, refused}
}

it('a service that is asked too often is asked more slowly, by those that look for a refused payment too, so that only the first ones are refused', async () => {
  const throttle = new Throttle()
  const {service, refused} = createLimitedService(throttle)
  const throttled = throttle.wrap(service, (ms) => sleep(ms))
  // As a payment with a key that is honoured: what was refused is looked for, and sent again.
  const look = async () => {
    for await (const page of throttled.transactions('')) expect(page).toEqual([])
  }
  const insist = async (work: () => Promise<unknown>, before: () => Promise<void>): Promise<void> => {
    const isDone = await work().then(
      () => true,
      () => false,
    )
    if (isDone) return
    await before().catch(() => {})
    return insist(work, before)
  }
  let left = payments
  const work = async () => {
    while (left-- > 0) {
      await insist(
        () => throttled.quote({} as never, false),
        async () => {},
      )
      await insist(() => throttled.send('', ''), look)
    }
  }
  await Promise.all(Array.from({length: places}, work))
  expect(refused.quotes + refused.sends + refused.lists).toBeLessThanOrEqual(places)
})

it('a shorter wait that the service asks for later does not end a longer one', async () => {
  const throttle = new Throttle()
  const {service} = createLimitedService(throttle)
  const beganMs = performance.now()
  for (const seconds of ['30', '1']) throttle.observe({status: 429, headers: new Headers({'retry-after': seconds})})
  await throttle.wrap(service, (ms) => sleep(ms)).quote({} as never, false)
  expect(performance.now() - beganMs).toBeGreaterThanOrEqual(30_000)
})
