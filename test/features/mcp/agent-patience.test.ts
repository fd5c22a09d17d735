// How long a program waits for a person: one whose limit each word of progress extends, and one
// that wants to hear nothing meanwhile. The client is the official one, its time and that of svc
// are virtual, and the command that pays is a stand-in.
import {Client, InMemoryTransport, type RequestOptions} from '@modelcontextprotocol/client'
import {expect, it, onTestFinished, vi} from 'vitest'
import {loadSurface} from '../../../scripts/surface.ts'
import type {PricedPayment, RunCaptured} from '../../../src/cli/config.ts'
import {itemResult} from '../../../src/cli/output/result.ts'
import {SvcError} from '../../../src/errors.ts'
import {createMcpServer} from '../../../src/mcp/server.ts'
import {freshHome, run} from '../../support/svc.ts'
import {answerOnPage, askedPlan, openAnnouncedPage} from './agent.ts'

const priced: PricedPayment = {
  box: {title: 'Pay on the sandbox', isLive: false, groups: []},
  lifeMs: 5 * 60_000,
}

// With `looksLong`, svc looks whether it was paid until `look` is resolved.
async function connectProgram({looksLong = false} = {}) {
  const home = freshHome()
  await run(home, ['profiles', 'set', 'sandbox', '--payment-max', 'USDC=100'])
  for (const [name, value] of Object.entries(home.env)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance']})
  onTestFinished(() => void vi.useRealTimers())

  const pages: string[] = []
  const session = new AbortController()
  const look = Promise.withResolvers<void>()
  let [paid, looks] = [0, 0]
  const runPay: RunCaptured = async (_, argv, review) => {
    if (!argv.includes('--dry-run')) {
      if (!(await review?.confirm?.(priced))) {
        throw new SvcError({error: 'NOT_APPROVED', kind: 'limit', message: 'Nobody said yes'})
      }
      looks += 1
      if (looksLong) await look.promise
      if (!review?.signal?.aborted) paid += 1
    }
    return {result: itemResult({transactionId: `payment ${paid}`}), notices: []}
  }
  const server = createMcpServer({
    version: '1.0.0',
    profile: 'sandbox',
    allowsWrites: true,
    showsNames: false,
    help: await (await loadSurface()).help(),
    run: runPay,
    announce: (link) => pages.push(link),
    signal: session.signal,
  })
  const client = new Client({name: 'a test', version: '1.0.0'})
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(there), client.connect(here)])

  const call = async (name: string, input: object, options: RequestOptions = {}) => {
    const {structuredContent} = await client.callTool({name, arguments: {...input}}, options)
    return structuredContent as Record<string, unknown>
  }
  const {planId} = await call('pay_prepare', askedPlan)
  const commit = (options?: RequestOptions) => call('pay_commit', {planId, key: askedPlan.key}, options)
  const listPages = () => pages
  const say = (given: 'yes' | 'no') => answerOnPage({listPages}, given)
  const open = () => openAnnouncedPage({listPages})
  return {commit, say, open, pages, session, look, countLooks: () => looks, countPaid: () => paid}
}

it('a program that hears of the progress waits for longer than its client would without a word', async () => {
  const {commit, say, pages, countPaid} = await connectProgram()
  const heard: string[] = []
  const paying = commit({
    timeout: 60_000,
    resetTimeoutOnProgress: true,
    onprogress: ({progress, message}) => heard.push(`${progress} ${message}`),
  })
  await expect.poll(() => pages.length).toBe(1)
  await vi.advanceTimersByTimeAsync(90_000)
  expect(heard).toHaveLength(18)
  expect(heard.at(-1)).toMatch(/^90 waiting for the yes of the person at this machine, 3:(29|30|31) left$/)
  await say('yes')
  expect(await paying).toMatchObject({exitCode: 0, data: {transactionId: 'payment 1'}})
  expect(countPaid()).toBe(1)
})

it('a program that does not is told in time to call again, and the question stays the same', async () => {
  const {commit, say, pages, countPaid} = await connectProgram()
  const first = commit()
  await expect.poll(() => pages.length).toBe(1)
  await vi.advanceTimersByTimeAsync(55_000)
  const pending = await first
  expect(pending).toMatchObject({exitCode: 8, kind: 'pending', error: 'PENDING'})
  expect(pending['message']).toMatch(/^Not finished: waiting for the yes of the person at this machine, 4:\d\d left\.$/)
  const second = commit()
  await vi.advanceTimersByTimeAsync(55_000)
  expect(await second).toMatchObject({kind: 'pending'})
  const third = commit()
  await say('yes')
  expect(await third).toMatchObject({exitCode: 0, data: {transactionId: 'payment 1'}})
  expect([pages.length, countPaid()]).toEqual([1, 1])
})

it('a program that was told to call again gets nothing paid until it does', async () => {
  const {commit, open, pages, countPaid} = await connectProgram()
  const first = commit()
  await expect.poll(() => pages.length).toBe(1)
  const page = await open()
  await vi.advanceTimersByTimeAsync(55_000)
  expect(await first).toMatchObject({kind: 'pending'})
  expect(await page.click('yes')).toBe('Yes: svc pays it when the program asks again')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(countPaid()).toBe(0)
  expect(await commit()).toMatchObject({exitCode: 0, data: {transactionId: 'payment 1'}})
  expect([pages.length, countPaid()]).toEqual([1, 1])
})

it('a program that calls again after the price has run out is asked about anew', async () => {
  const {commit, open, pages, countPaid} = await connectProgram()
  const first = commit()
  await expect.poll(() => pages.length).toBe(1)
  const page = await open()
  await vi.advanceTimersByTimeAsync(55_000)
  await first
  await page.click('yes')
  await vi.advanceTimersByTimeAsync(priced.lifeMs)
  const again = commit()
  await expect.poll(() => pages.length).toBe(2)
  await (await open()).click('no')
  expect(await again).toMatchObject({error: 'NOT_APPROVED'})
  expect(countPaid()).toBe(0)
})

it('a program that was told to call again and has gone gets nothing sent, also after a yes that came before', async () => {
  const {commit, say, pages, session, look, countLooks, countPaid} = await connectProgram({looksLong: true})
  const first = commit()
  await expect.poll(() => pages.length).toBe(1)
  await say('yes')
  await expect.poll(countLooks).toBe(1)
  await vi.advanceTimersByTimeAsync(55_000)
  expect(await first).toMatchObject({kind: 'pending'})
  session.abort()
  look.resolve()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(countPaid()).toBe(0)
})

// The calls of one plan share a question, so that it ends with the last of them, in whatever order.
const leavings = {
  'cancels both at once': async ([one, other]: AbortController[]) => [one?.abort(), other?.abort()],
  'cancels one after the other': async ([one, other]: AbortController[]) => {
    one?.abort()
    await vi.advanceTimersByTimeAsync(1_000)
    other?.abort()
  },
}

it.each(Object.entries(leavings))('a program that called twice and %s gets nothing paid', async (_, leave) => {
  const {commit, open, pages, countPaid} = await connectProgram()
  const calls = [new AbortController(), new AbortController()]
  const answers = Promise.allSettled(calls.map(({signal}) => commit({signal})))
  await expect.poll(() => pages.length).toBe(1)
  const page = await open()
  await leave(calls)
  await answers
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await page.click('yes')).toBe('The program no longer waits: nothing is paid')
  await vi.advanceTimersByTimeAsync(1_000)
  expect([pages.length, countPaid()]).toEqual([1, 0])
})
