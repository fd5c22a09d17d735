// What the first page of the console costs: bytes over the wire, requests, and the time of the processor until it can be used.
import type {Page} from 'playwright-core'
import {describe, expect, it} from 'vitest'
import {browserForAll, hasChromium} from '../support/browser.ts'
import {enterPage} from '../support/entrance.ts'
import {letIn, newPage, sandboxForAll} from './sandbox.ts'

const bytesMax = 60_000
const cpuMsMax = 100
const rounds = 5

interface Cost {
  bytes: number
  addresses: string[]
  cpuMs: number
}

// From an empty page until the document was read and its scripts have run. Nothing is in a cache.
async function measure(page: Page, url: string): Promise<Cost> {
  await page.goto('about:blank')
  const session = await page.context().newCDPSession(page)
  let bytes = 0
  const addresses: string[] = []
  session.on('Network.requestWillBeSent', ({request}) => addresses.push(request.url))
  session.on('Network.loadingFinished', ({encodedDataLength}) => (bytes += encodedDataLength))
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', {cacheDisabled: true})
  // Of the processor, so that other programs of the machine do not count.
  await session.send('Performance.enable', {timeDomain: 'threadTicks'})
  const readTaskMs = async () => {
    const {metrics} = await session.send('Performance.getMetrics')
    return (metrics.find(({name}) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
  }
  const before = await readTaskMs()
  await page.goto(url, {waitUntil: 'load'})
  const cpuMs = (await readTaskMs()) - before
  await session.detach()
  return {bytes, addresses, cpuMs}
}

const getMedian = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

describe.runIf(hasChromium)('the first page of the console', () => {
  const browser = browserForAll()
  const sandbox = sandboxForAll()

  it('is light, asks no other server for anything, and can be used at once', async () => {
    const entered = await enterPage(sandbox.consoleUrl)
    const page = await newPage(browser())
    await letIn(page, entered)
    const first = await measure(page, entered.url)
    const costs = [first]
    while (costs.length < rounds) costs.push(await measure(page, entered.url))
    const {bytes, addresses} = first
    expect(addresses.map((address) => new URL(address).origin)).toEqual(addresses.map(() => sandbox.url))
    expect(addresses.length).toBeGreaterThanOrEqual(3)
    expect(bytes).toBeGreaterThan(1_000)
    expect(bytes).toBeLessThan(bytesMax)
    expect(getMedian(costs.map(({cpuMs}) => cpuMs))).toBeLessThan(cpuMsMax)
  })
})
