// What a run of many payments asks of services that limit it, on a clock of its own.
import {describe, expect, it} from 'vitest'
import {Throttle} from '../../../src/payments/pay/throttle.ts'

// Time passes only while everybody waits.
class VirtualTime {
  #nowMs = 0
  readonly #sleepers: Array<{atMs: number; wake: () => void}> = []

  now = () => this.#nowMs

  sleep = (ms: number) =>
    new Promise<void>((resolve) => void this.#sleepers.push({atMs: this.#nowMs + Math.max(0, ms), wake: resolve}))

  async run(work: Promise<unknown>): Promise<void> {
    let isDone = false
    void work.finally(() => (isDone = true))
    for (;;) {
      await new Promise(setImmediate)
      if (isDone) return
      this.#sleepers.sort((one, other) => one.atMs - other.atMs)
      const next = this.#sleepers.shift()
      if (!next) throw new Error('everybody waits for nothing')
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.wake()
    }
  }
}

interface Limits {
  // Takes so many requests in each window.
  perWindow: number
  windowMs: number
  // How long a request takes, by how many are under way.
  takesMs: (underWay: number) => number
  placesMax?: number
}

// Pays so many rows, each with a quote and a send, and counts what the service refused.
async function payRows(rows: number, {perWindow, windowMs, takesMs, placesMax}: Limits) {
  const time = new VirtualTime()
  const throttle = new Throttle({...(placesMax && {placesMax}), now: time.now})
  const counts = {requests: 0, refused: 0, mostUnderWay: 0}
  let [window, inWindow, underWay] = [0, 0, 0]
  const request = async () => {
    counts.requests += 1
    underWay += 1
    counts.mostUnderWay = Math.max(counts.mostUnderWay, underWay)
    await time.sleep(takesMs(underWay))
    underWay -= 1
    const current = Math.floor(time.now() / windowMs)
    if (current !== window) [window, inWindow] = [current, 0]
    inWindow += 1
    const isRefused = inWindow > perWindow
    const retryAfter = String(Math.ceil(((current + 1) * windowMs - time.now()) / 1000))
    throttle.observe({
      status: isRefused ? 429 : 200,
      headers: {get: (name) => (isRefused && name === 'retry-after' ? retryAfter : null)},
    })
    if (!isRefused) return {}
    counts.refused += 1
    throw new Error('refused')
  }
  const service = throttle.wrap({quote: request, send: request, transactions: async function* () {}}, time.sleep)
  // What was refused is looked for in the list before it is tried again.
  const insist = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch(async () => {
      for await (const _ of service.transactions('', {})) break
      return insist(work)
    })
  }
  let next = 0
  let running = 0
  const payAll = async () => {
    const ended: Array<Promise<void>> = []
    while (next < rows) {
      if (running >= throttle.places) {
        await time.sleep(1)
        continue
      }
      next += 1
      running += 1
      const row = async () => {
        await insist(() => service.quote({} as never, false))
        await insist(() => service.send('', ''))
        running -= 1
      }
      ended.push(row())
    }
    await Promise.all(ended)
  }
  await time.run(payAll())
  return {...counts, perSecond: (rows * 2) / (time.now() / 1000), places: throttle.places}
}

describe('a run of many payments', () => {
  it.each([
    ['20 requests a second', {perWindow: 20, windowMs: 1_000, takesMs: () => 3}, 20, 0.01],
    ['20 requests a second, answered in 50 ms', {perWindow: 20, windowMs: 1_000, takesMs: () => 50}, 20, 0.01],
    ['600 requests a minute', {perWindow: 600, windowMs: 60_000, takesMs: () => 3}, 10, 0.02],
  ])('keeps to %s', async (_, limits, perSecondMax, refusedMax) => {
    const {requests, refused, perSecond} = await payRows(1_500, limits)
    expect(refused / requests).toBeLessThan(refusedMax)
    expect(perSecond).toBeGreaterThan(perSecondMax * 0.9)
  })

  it('takes all places at a service that answers in 50 ms however many ask, within a few rounds', async () => {
    const {perSecond, refused} = await payRows(2_000, {
      perWindow: Infinity,
      windowMs: 1_000,
      takesMs: () => 50,
    })
    expect(refused).toBe(0)
    expect(perSecond).toBeGreaterThan((16 / 0.05) * 0.95)
  })

  it('takes fewer places at a service that becomes slower with each', async () => {
    const {places} = await payRows(2_000, {
      perWindow: Infinity,
      windowMs: 1_000,
      takesMs: (underWay) => 20 * underWay,
    })
    expect(places).toBeLessThan(14)
  })
})
