// A page token that dies in the middle of a list: the list proves nothing, and nothing is taken for absent.
import {describe, expect, it} from 'vitest'
import {type PaymentService, refusal, servePayments} from '../support/scripted-service.ts'
import {useVirtualTime} from '../support/virtual-time.ts'
import {countSent, createHost, createRows, pay, runPayouts, briefly} from './attack.ts'

// A service whose list has three pages, with the first payments on the last one.
async function serveThreePages(): Promise<PaymentService> {
  const service = await servePayments({keys: 'ignored', quotes: 'many'})
  expect((await runPayouts(createHost(service), createRows(6))).code).toBe(0)
  service.behaviour.pageItemsMax = 2
  return service
}

// The payment is on the last page, and tokens die after it was sent.
function killTokensAfterSend(service: PaymentService, times: number) {
  service.behaviour.listOrder = 'oldest'
  return service.script({
    at: 'GET /transactions',
    times,
    matches: ({query}) => countSent(service) > 6 && query.has('pageToken'),
    reply: refusal(410, 'GONE', 'The page token has expired'),
  })
}

const tokenRefusals = [
  refusal(400, 'BAD_REQUEST', 'pageToken: unknown or expired'),
  refusal(410, 'GONE', 'The page token has expired'),
  refusal(404, 'NOT_FOUND', 'No such page'),
]

const name = ({status, message}: (typeof tokenRefusals)[number]) => `${status} ${message}`
const cases = tokenRefusals.map((refused) => [name(refused), refused] as const)

useVirtualTime()

describe('a page token that dies', () => {
  it.each(cases)('stops a payment before anything is sent, and the next run pays: %s', async (_, refused) => {
    const service = await serveThreePages()
    const host = createHost(service)
    service.behaviour.deadPageTokens = {refusal: refused, times: 1}
    const {code, err} = await pay(host, 'rent', '10')
    expect([code, countSent(service)]).toEqual([6, 6])
    expect(err).toContain(`refused its own page token (${refused.status} `)
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    expect(service.transactions).toHaveLength(7)
  })

  it('does not hide a payment of another host on a later page', async () => {
    const service = await serveThreePages()
    const host = createHost(service)
    service.behaviour.deadPageTokens.times = 1
    await runPayouts(host, createRows(6))
    expect((await runPayouts(host, createRows(6))).code).toBe(0)
    expect(countSent(service)).toBe(6)
  })

  it('does not keep a payment from being settled', async () => {
    const service = await serveThreePages()
    const host = createHost(service)
    service.script({reply: 'reset'})
    const dead = killTokensAfterSend(service, 1)
    await pay(host, 'rent', '10')
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    expect(dead.hits).toHaveLength(1)
    expect(countSent(service)).toBe(7)
  })

  it('leaves an unknown payment unknown while it always dies', async () => {
    const service = await serveThreePages()
    const host = createHost(service)
    service.script({reply: 'reset'})
    killTokensAfterSend(service, Infinity)
    expect((await pay(host, 'rent', '10', ...briefly)).code).toBe(7)
    expect(countSent(service)).toBe(7)
  })
})
