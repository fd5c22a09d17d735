// What svc payouts run says about a row is what the journal has of it at that moment: an earlier run may have sent it.
import type http from 'node:http'
import {setTimeout as sleep} from 'node:timers/promises'
import {describe, expect, it} from 'vitest'
import {startSvc} from '../../support/running.ts'
import {type PaymentService, refusal, servePayments} from '../../support/scripted-service.ts'
import {reply} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {createRow, readStates, writePayroll} from './payroll.ts'

const oneByOne = ['--yes', '--allow-duplicates', '--concurrency', '1']

const runPayouts = (home: Home, {env}: PaymentService, file: string, ...flags: string[]) =>
  run(home, ['payouts', 'run', file, ...oneByOne, ...flags], {env})

const readJournal = async (home: Home, {env}: PaymentService, key: string) =>
  json((await run(home, ['journal', 'show', key, '--json'], {env})).out)

const isSend = ({method, path}: {method: string; path: string}) => method === 'POST' && path === '/transactions'

// The transaction of b is made, and neither the answer nor the list says so.
async function leaveUnknown(home: Home, service: PaymentService): Promise<void> {
  service.script({at: 'POST /transactions', times: 1, reply: 'reset'})
  service.intercept = ({method}, response) => {
    if (method !== 'GET' || service.transactions.length === 0) return false
    response.socket?.destroy()
    return true
  }
  const file = writePayroll(home, [createRow('b')])
  expect((await runPayouts(home, service, file, '--timeout', '2s')).code).toBe(7)
  service.intercept = () => false
  expect(service.transactions).toHaveLength(1)
}

// A run sends b and is killed before it hears of it.
async function leaveArmed(home: Home, service: PaymentService): Promise<void> {
  const sent = Promise.withResolvers<void>()
  service.intercept = (asked) => {
    if (isSend(asked)) sent.resolve()
    return isSend(asked)
  }
  const started = startSvc(home, ['payouts', 'run', writePayroll(home, [createRow('b')]), ...oneByOne], service.env)
  await sent.promise
  started.stop('SIGKILL')
  await started.ended
  service.intercept = () => false
  expect(await readJournal(home, service, 'b')).toMatchObject({state: 'ARMED'})
}

const failQuotes = (service: PaymentService) => {
  service.intercept = ({path}, response) => {
    if (path !== '/quotes') return false
    reply(response, 503, {error: 'NOT_NOW', message: 'not now', statusCode: 503})
    return true
  }
}

const refuseFirst = (service: PaymentService) =>
  service.script({at: 'POST /quotes', times: 1, reply: refusal(400, 'BAD_REQUEST', 'no')})

describe.each([
  ['UNKNOWN', leaveUnknown],
  ['ARMED, after kill -9', leaveArmed],
] as const)('a row that an earlier run left %s', (_, leave) => {
  useVirtualTime()

  it('is told as unknown with code 7 by a run that stops above it, since the service fails', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await leave(home, service)
    failQuotes(service)
    const file = writePayroll(home, [createRow('a'), createRow('b'), createRow('c')])
    const {code, err, out} = await runPayouts(home, service, file, '--stop-after', '1')
    expect(readStates(home)).toEqual(['FAILED', 'UNKNOWN', 'NOT_TRIED'])
    expect(code).toBe(7)
    expect(err).toContain('Of 3 rows, 1 failed, 1 unknown, 1 not tried')
    expect(out).toMatch(/Unknown +1 row/)
  })

  it('is told as unknown with code 7 by a run whose time is up above it', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await leave(home, service)
    service.behaviour.latencyMs = 300
    const file = writePayroll(home, [createRow('a'), createRow('b')])
    const {code} = await runPayouts(home, service, file, '--timeout', '100ms')
    expect(readStates(home).at(-1)).toBe('UNKNOWN')
    expect(code).toBe(7)
  })

  it('is named by a run that is refused because of another row', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await leave(home, service)
    const file = writePayroll(home, [createRow('b'), createRow('c', {amount: '3'}), createRow('d', {amount: '3'})])
    const {code, err} = await run(home, ['payouts', 'run', file, '--yes'], {
      env: {...service.env, SVC_DUPLICATE_WINDOW: '3d'},
    })
    expect(code).toBe(10)
    expect(err).toContain(
      'Whether line 2 was paid by an earlier run is not known, and this run has not tried to settle it.',
    )
    expect(readStates(home)).toEqual(['UNKNOWN', 'NOT_TRIED', 'STOPPED'])
  })
})

describe('a row that another process has settled meanwhile', () => {
  useVirtualTime()

  it('is told as made', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await leaveUnknown(home, service)
    refuseFirst(service)
    let hasSettled = false
    // While the run is at its first row, another process settles b.
    const settled = Promise.withResolvers<void>()
    service.intercept = (asked, response) => {
      if (asked.path !== '/quotes' || hasSettled) return false
      hasSettled = true
      const env = {...service.env, SVC_JOURNAL: home.env['SVC_JOURNAL'] ?? ''}
      const settle = async () => {
        expect(await startSvc(home, ['journal', 'settle', 'b', '--yes'], env).ended).toMatchObject({code: 0})
        reply(response, 400, {error: 'BAD_REQUEST', message: 'no', statusCode: 400})
      }
      settled.resolve(settle())
      return true
    }
    const file = writePayroll(home, [createRow('a'), createRow('b')])
    const {code} = await runPayouts(home, service, file, '--stop-after', '1')
    await settled.promise
    expect(readStates(home)).toEqual(['REJECTED', 'CREATED'])
    expect(code).toBe(9)
  })
})

describe('a second Ctrl-C', () => {
  it.each([0, 30, 60])('leaves no row out that is unknown, %i ms after one was made', async (delayMs) => {
    const [home, service] = [freshHome(), await servePayments()]
    const sends: http.ServerResponse[] = []
    const both = Promise.withResolvers<http.ServerResponse>()
    service.intercept = (asked, response) => {
      if (!isSend(asked)) return false
      sends.push(response)
      if (sends[0] && sends.length === 2) both.resolve(sends[0])
      return true
    }
    const file = writePayroll(home, [createRow('a'), createRow('b'), createRow('c')])
    const started = startSvc(
      home,
      ['payouts', 'run', file, '--yes', '--allow-duplicates', '--concurrency', '2', '--request-timeout', '1h'],
      service.env,
    )
    const firstSend = await both.promise
    started.stop('SIGINT')
    await started.waitFor('Finishing the rows in progress (2)')
    const [first] = service.requestsTo('POST /transactions')
    const {quoteId, correlationId} = JSON.parse(first?.body ?? '{}') as Record<string, string>
    reply(firstSend, 200, {transactionId: 'made-1', quoteId, correlationId, transactionStatus: 'CREATED'})
    await sleep(delayMs)
    started.stop('SIGINT')
    const {code, err} = await started.ended
    expect(code).toBe(130)
    const states = await Promise.all(['a', 'b'].map((key) => readJournal(home, service, key)))
    const expected = states.map(({state}) => (state === 'CREATED' ? 'CREATED' : 'UNKNOWN'))
    const {out} = await run(home, ['payouts', 'status', file, '--rows', '--json'], {env: service.env})
    const rows = json(out)['payouts'] as Array<{state: string}>
    expect(rows.slice(0, 2).map(({state}) => state)).toEqual(expected)
    // A row whose reply has just come may still be called in progress, but none that is unknown is left out.
    const [, count] = /Stopped at once; the rows in progress \((\d)\) may or may not have been paid/.exec(err) ?? []
    expect(Number(count)).toBeGreaterThanOrEqual(expected.filter((state) => state === 'UNKNOWN').length)
  })
})
