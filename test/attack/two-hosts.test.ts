// Two hosts with journals of their own that pay the same keys, with a service that ignores keys.
import {describe, expect, it, vi} from 'vitest'
import {type PaymentService, servePayments} from '../support/scripted-service.ts'
import {
  countMostPerKey,
  countSent,
  countStates,
  createHost,
  createRows,
  pay,
  readRows,
  reconcile,
  runPayouts,
  spawnPay,
  spawnPayouts,
} from './attack.ts'

const ignored = {keys: 'ignored', quotes: 'many'} as const

// Holds back the quotes of the host with this credential, so that the other host can overtake it.
function holdQuotes(service: PaymentService, apiKey: string) {
  const {promise, resolve} = Promise.withResolvers<void>()
  const matches = ({headers}: {headers: {authorization?: string | undefined}}) =>
    headers.authorization === `Bearer ${apiKey}`
  const {reached} = service.script({at: 'POST /quotes', times: Infinity, matches, before: promise})
  return {reached, release: resolve}
}

// What a host without this journal, or a program of its own, would do: pays the key of an earlier request again.
async function payAgain(service: PaymentService, index = 0): Promise<void> {
  const request = service.requestsTo('POST /transactions')[index]
  const {authorization = '', 'x-idempotency-key': key} = request?.headers ?? {}
  const headers = {authorization, 'x-idempotency-key': String(key)}
  await fetch(`${service.url}/transactions`, {method: 'POST', headers, body: request?.body ?? ''})
}

describe('a host that is overtaken by another one', () => {
  it('finds each of 60 rows again just before it would send it', async () => {
    const service = await servePayments(ignored)
    const rows = createRows(60)
    const slow = holdQuotes(service, 'other-key')
    const overtaken = runPayouts(createHost(service, {SVC_API_KEY: 'other-key'}), rows, '--json')
    await Promise.race([slow.reached, overtaken])
    expect((await spawnPayouts(createHost(service), rows)).code).toBe(0)
    slow.release()
    const result = await overtaken
    expect([result.code, countStates(result)]).toEqual([0, {CREATED: 60}])
    expect([service.transactions.length, countMostPerKey(service)]).toEqual([60, 1])
  })

  it.each([
    ['newest', 0, true],
    ['oldest', 0, true],
    ['mixed', 0, true],
    ['newest', -2, true],
    ['newest', 2, false],
  ] as const)(
    'finds them on any page, order %s, service %i h ahead, Date header %s',
    async (listOrder, hoursAhead, hasDate) => {
      const service = await servePayments({...ignored, listOrder, hasDate, pageItemsMax: 5})
      service.clock.advance(hoursAhead * 3_600_000)
      const old = createRows(15).map((row) => ({...row, key: `old-${row.key}`}))
      expect((await runPayouts(createHost(service), old)).code).toBe(0)
      service.clock.advance(3_600_000)
      const rows = createRows(20)
      const slow = holdQuotes(service, 'other-key')
      const overtaken = runPayouts(createHost(service, {SVC_API_KEY: 'other-key'}), rows, '--json')
      await Promise.race([slow.reached, overtaken])
      expect((await spawnPayouts(createHost(service), rows)).code).toBe(0)
      slow.release()
      expect(countStates(await overtaken)).toEqual({CREATED: 20})
      expect([service.transactions.length, countMostPerKey(service)]).toEqual([35, 1])
    },
  )

  it('finds a single payment again after a slow quote', async () => {
    const service = await servePayments(ignored)
    const slow = holdQuotes(service, 'other-key')
    const overtaken = pay(createHost(service, {SVC_API_KEY: 'other-key'}), 'rent', '10')
    await Promise.race([slow.reached, overtaken])
    expect((await spawnPay(createHost(service), 'rent', '10')).code).toBe(0)
    // A search that is a few seconds old is not repeated, so the clock by which svc counts is moved.
    const passed = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => passed() + 6_000)
    slow.release()
    expect((await overtaken).code).toBe(0)
    clock.mockRestore()
    expect(countSent(service)).toBe(1)
  })

  it('finds rows that were paid while it was in the middle', async () => {
    const service = await servePayments(ignored)
    const rows = createRows(30)
    const {promise, resolve} = Promise.withResolvers<void>()
    const isSlow = ({headers}: {headers: {authorization?: string | undefined}}) =>
      headers.authorization === 'Bearer other-key'
    const step = service.script({at: 'POST /quotes', skip: 15, times: Infinity, matches: isSlow, before: promise})
    const overtaken = runPayouts(createHost(service, {SVC_API_KEY: 'other-key'}), rows, '--json')
    await Promise.race([step.reached, overtaken])
    // Requests of the first rows may still be on their way; the list shows them before the other host starts.
    await expect.poll(() => service.transactions.length).toBe(15)
    expect((await spawnPayouts(createHost(service), rows)).code).toBe(0)
    resolve()
    expect(countStates(await overtaken)).toEqual({CREATED: 30})
    expect([service.transactions.length, countMostPerKey(service)]).toEqual([30, 1])
  })
})

describe('two transactions of one key', () => {
  it('end a rerun of svc pay with 7, which names both, also where the journal knew one of them', async () => {
    const service = await servePayments(ignored)
    const host = createHost(service)
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    await payAgain(service)
    const ids = service.transactions.map(({transactionId}) => String(transactionId))
    expect(ids).toHaveLength(2)
    for (const again of [host, host, createHost(service)]) {
      const {code, err} = await pay(again, 'rent', '10')
      expect(code).toBe(7)
      for (const id of ids) expect(err).toContain(id)
    }
    expect(countSent(service)).toBe(2)
  })

  it('end a rerun of a payout file with 7, which names both, and the other rows are made', async () => {
    const service = await servePayments(ignored)
    const host = createHost(service)
    expect((await runPayouts(host, createRows(3))).code).toBe(0)
    await payAgain(service)
    const sent = countSent(service)
    const [paid, , , paidAgain] = service.transactions
    for (const again of [host, createHost(service)]) {
      const result = await runPayouts(again, createRows(3), '--json')
      expect(result.code).toBe(7)
      expect(countStates(result)).toEqual({UNKNOWN: 1, CREATED: 2})
      const row = readRows(result).find(({state}) => state === 'UNKNOWN') ?? {}
      const {message} = row['error'] as {message: string}
      expect(message).toContain(String(paid?.['transactionId']))
      expect(message).toContain(String(paidAgain?.['transactionId']))
    }
    expect(countSent(service)).toBe(sent)
  })

  it('are a finding of reconcile', async () => {
    const service = await servePayments(ignored)
    const host = createHost(service)
    await pay(host, 'rent', '10')
    await payAgain(service)
    const {code, findings} = await reconcile(host)
    expect(code).toBe(12)
    expect(findings).toMatchObject([{kind: 'SEVERAL', key: 'rent'}])
  })
})
