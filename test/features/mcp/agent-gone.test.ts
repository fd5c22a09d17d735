// A program that no longer waits for the person's answer: whatever the person says then, nothing
// new is sent.
import {setTimeout as wait} from 'node:timers/promises'
import {describe, expect, it, onTestFinished, vi} from 'vitest'
import type {PaymentService} from '../../support/scripted-service.ts'
import {reply} from '../../support/service.ts'
import {json, run} from '../../support/svc.ts'
import {type Agent, createLiveHome, openAnnouncedPage, prepare, startAgent, toBank} from './agent.ts'

const noLonger = 'The program no longer waits: nothing is paid'

interface Leaving {
  // Of the call, before it is made.
  signal?: AbortSignal
  leave: () => Promise<unknown>
  // What the page says to a yes after that.
  says: string | undefined
}

// How a program stops to wait. That of the request is the client's own limit of 60 s.
const leavings: Record<string, (agent: Agent) => Leaving> = {
  'cancels its call': ({client}) => {
    const call = new AbortController()
    return {signal: call.signal, says: noLonger, leave: async () => [call.abort(), await client.ping()]}
  },
  'has waited for as long as its client does': ({client}) => {
    vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']})
    onTestFinished(() => void vi.useRealTimers())
    const leave = async () => [await vi.advanceTimersByTimeAsync(60_000), vi.useRealTimers(), await client.ping()]
    return {says: noLonger, leave}
  },
  'closes the connection': ({client}) => ({says: undefined, leave: () => client.close()}),
}

// The service answers no look for the transaction until it is let go.
function holdLooks(service: PaymentService) {
  const held: Array<() => Promise<void>> = []
  service.intercept = (asked, response) => {
    if (asked.path !== '/transactions' || asked.method !== 'GET') return false
    held.push(async () => {
      const {status, text, headers} = await service.handle(asked)
      reply(response, status, text, headers)
    })
    return true
  }
  return {
    held,
    async letGo() {
      service.intercept = () => false
      for (const each of held) await each()
    },
  }
}

async function startPaying(how: (agent: Agent) => Leaving) {
  const {home, service} = await createLiveHome()
  const agent = await startAgent(home, '-p', 'acme', '--allow-writes')
  const commit = await prepare(agent, toBank)
  const leaving = how(agent)
  const paying = agent.call('pay_commit', commit, {...(leaving.signal && {signal: leaving.signal})}).then(
    () => 'answered',
    () => 'gone',
  )
  return {home, service, paying, leaving, page: await openAnnouncedPage(agent)}
}

type Started = Awaited<ReturnType<typeof startPaying>>

async function expectNothingPaid({home, service, paying}: Started) {
  expect(await paying).toBe('gone')
  // Time for what must not come.
  await wait(300)
  expect(service.requestsTo('POST /transactions')).toEqual([])
  const {payments} = json((await run(home, ['journal', 'list', '-p', 'acme', '--json'])).out)
  const states = (payments as Array<{state: string}>).map(({state}) => state)
  expect(['INTENDED', 'QUOTED', 'ABANDONED']).toEqual(expect.arrayContaining(states))
}

describe.each(Object.entries(leavings))('a program that %s', (_, how) => {
  it('gets nothing paid by a yes that comes later', async () => {
    const started = await startPaying(how)
    const {page, leaving} = started
    await leaving.leave()
    expect(await page.click('yes')).toBe(leaving.says)
    await expectNothingPaid(started)
  })

  // svc looks once more between the yes and the arming.
  it('gets nothing sent by a yes that came before the look for whether it was paid', async () => {
    const started = await startPaying(how)
    const {page, leaving, service} = started
    const looks = holdLooks(service)
    await page.answer('yes')
    await expect.poll(() => looks.held.length).toBe(1)
    await leaving.leave()
    await looks.letGo()
    await expectNothingPaid(started)
  })
})
