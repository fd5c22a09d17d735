// What svc says about a payment is what the service's ledger has. Each of these said something else once.
import {DatabaseSync} from 'node:sqlite'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type PaymentService, refusal, servePayments} from '../../../support/scripted-service.ts'
import type {Behaviour, Body} from '../../../support/scripted/behaviour.ts'
import {json, run} from '../../../support/svc.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'
import {
  type Host,
  briefly,
  countSent,
  countStates,
  createHost,
  createRows,
  pay,
  readJournal,
  reconcile,
  runPayouts,
} from '../../../features/security/attack.ts'

useVirtualTime()

const minuteMs = 60_000
const ignored = {keys: 'ignored', quotes: 'many'} as const
const readId = (service: PaymentService, index: number) => String(service.transactions[index]?.['transactionId'])
const touch = (service: PaymentService, index: number) => {
  const [made] = service.transactions.slice(index, index + 1)
  if (made) made['updatedAt'] = new Date(service.clock.now()).toISOString()
}

describe('a service that gives the same quote twice', () => {
  const rows = createRows(2, {amount: '50'})

  it('and makes one transaction of it: the other row is not told as made', async () => {
    const service = await servePayments({areQuotesCached: true})
    const host = createHost(service)
    const first = await runPayouts(host, rows, '--allow-duplicates', '--json', ...briefly)
    expect([first.code, countStates(first)]).toEqual([9, {CREATED: 1, REJECTED: 1}])
    expect(service.transactions).toHaveLength(1)
    for (let again = 0; again < 3; again += 1) {
      service.clock.advance(7 * minuteMs)
      await runPayouts(host, rows, '--allow-duplicates', '--json', ...briefly)
    }
    const last = await runPayouts(host, rows, '--allow-duplicates', '--json')
    expect([last.code, countStates(last)]).toEqual([0, {CREATED: 2}])
    expect(service.transactions).toHaveLength(2)
    expect(await reconcile(host)).toEqual({code: 0, findings: []})
  })

  it.each<[string, Partial<Behaviour>, Body | undefined, code: number, states: object]>([
    ['refuses it then', {}, {correlationId: undefined}, 9, {CREATED: 1, REJECTED: 1}],
    ['answers with it again, under the name of whoever asks', {quotes: 'replayed'}, {}, 7, {CREATED: 1, UNKNOWN: 1}],
  ])('and makes one transaction of it, and %s: no row has what another has', async (_, behaviour, change, ...ended) => {
    const service = await servePayments({areQuotesCached: true, ...behaviour})
    service.alter = (transaction) => ({...transaction, ...change})
    const host = createHost(service)
    const first = await runPayouts(host, rows, '--allow-duplicates', '--json', ...briefly)
    expect([first.code, countStates(first)]).toEqual(ended)
    expect(service.transactions).toHaveLength(1)
  })

  it('and lists it in a list that may go on: nothing is said of the other payment', async () => {
    const service = await servePayments({...ignored, areQuotesCached: true})
    service.alter = (transaction) => ({...transaction, correlationId: undefined})
    const host = createHost(service)
    expect((await pay(host, 'first', '10')).code).toBe(0)
    // It is made all the same.
    const {reached} = service.script({reply: refusal(400, 'BAD_REQUEST', 'No')})
    void reached.then(() =>
      service.script({
        at: 'GET /transactions',
        times: Infinity,
        reply: {status: 200, body: {transactions: service.transactions.slice(0, 1), hasMore: true}},
      }),
    )
    expect((await pay(host, 'rent', '10', ...briefly)).code).toBe(7)
    expect(service.transactions).toHaveLength(2)
  })
})

describe('a list that changes while it is read', () => {
  it('shows what another host made meanwhile', async () => {
    const service = await servePayments({...ignored, pageItemsMax: 2})
    for (const key of ['a', 'b', 'c', 'd', 'e']) await pay(createHost(service), key, '3')
    const {promise, resolve} = Promise.withResolvers<void>()
    const slow = service.script({
      at: 'GET /transactions',
      skip: 1,
      matches: ({headers}) => headers.authorization === 'Bearer other-key',
      before: promise,
    })
    const overtaken = pay(createHost(service, {SVC_API_KEY: 'other-key'}), 'rent', '10')
    await slow.reached
    expect((await pay(createHost(service), 'rent', '10')).code).toBe(0)
    resolve()
    expect((await overtaken).code).toBe(0)
    expect(service.transactions).toHaveLength(6)
  })

  it('shows what moved to a page that was read already', async () => {
    const service = await servePayments({...ignored, listOrder: 'updated', pageItemsMax: 2})
    for (const key of ['rent', 'b', 'c', 'd']) {
      expect((await pay(createHost(service), key, '10')).code).toBe(0)
      service.clock.advance(1_000)
    }
    const sent = countSent(service)
    const step = service.script({at: 'GET /transactions', skip: 1})
    void step.reached.then(() => touch(service, 0))
    expect((await pay(createHost(service), 'rent', '10')).code).toBe(0)
    expect(countSent(service)).toBe(sent)
  })

  it('proves nothing if it never stands still', async () => {
    const service = await servePayments({...ignored, listOrder: 'updated', pageItemsMax: 2})
    for (const key of ['a', 'b', 'c', 'd']) await pay(createHost(service), key, '10')
    const sent = countSent(service)
    let reads = 0
    service.intercept = ({method, path: at}) => {
      if (method === 'GET' && at === '/transactions') {
        service.clock.advance(1_000)
        touch(service, reads++ % 4)
      }
      return false
    }
    const {code, err} = await pay(createHost(service), 'rent', '10')
    expect([code, countSent(service)]).toEqual([6, sent])
    expect(err).toContain('changed each time while it was read')
  })
})

describe('an error that another one caused', () => {
  const payFor = async (host: Host, key: string, ...flags: string[]) => {
    const {code, err} = await pay(host, key, '10', '--json', ...flags)
    return {code, message: String(json(err.trimEnd().split('\n').at(-1) ?? '')['message'])}
  }

  it.each(['POST /quotes', 'POST /transactions'])('says once that %s was refused, with the code', async (at) => {
    const service = await servePayments()
    service.script({at, acts: 'never', reply: refusal(422, 'TOO_MUCH', 'Less, please.')})
    const {code, message} = await payFor(createHost(service), 'rent')
    expect([code, message.match(/service|request/gi), message.match(/\(.*/g)]).toEqual([
      3,
      ['service'],
      ['(422 TOO_MUCH): Less, please.'],
    ])
  })

  it('keeps its sentence where an earlier slot holds a payment', async () => {
    const service = await servePayments(ignored)
    const host = createHost(service)
    service.script({reply: 'reset', acts: 'never', times: Infinity})
    const first = await payFor(host, 'rent-{month}', '--slot', '2026-01', ...briefly)
    const held = await payFor(host, 'rent-{month}', '--slot', '2026-02', ...briefly)
    expect([first.code, held.code]).toEqual([7, 7])
    expect(first.message).toBe(
      'Whether the payment rent-2026-01 was made is not known yet: the service closed the connection.',
    )
    expect(held.message).toBe(
      `The payment rent-2026-02 was not sent, since an earlier slot is not settled. ${first.message}`,
    )
  })
})

describe('a journal that went back', () => {
  // As a standby that lacks the last second of its primary, or a restored backup.
  const rewind = ({home}: Host, state: string, lost: string) => {
    const database = new DatabaseSync(path.join(home.folder, 'config', 'state', 'journal.sqlite'))
    const text = `json_remove(json_set(payment, '$.state', '${state}'), '$.transactionId', '${lost}')`
    database.exec(`update payments set state = '${state}', epoch = epoch + 7, owner = null, payment = ${text}`)
    database.close()
  }

  it.each([
    ['INTENDED', '$.attempts[0]'],
    ['QUOTED', '$.attempts[0].armed'],
  ])('to %s is noticed by the process that knows more, and is not paid again', async (state, lost) => {
    const service = await servePayments(ignored)
    service.behaviour.listLagMs = minuteMs
    const host = createHost(service)
    const {promise, resolve} = Promise.withResolvers<void>()
    const step = service.script({after: promise})
    const paying = pay(host, 'rent', '10', ...briefly)
    await step.reached
    rewind(host, state, lost)
    resolve()
    const {code, err} = await paying
    expect([code, countSent(service)]).toEqual([7, 1])
    expect(err).toContain(readId(service, 0))
    expect(err).toContain('went back')
    expect(await readJournal(host, 'rent')).toMatchObject({state: 'UNKNOWN'})
    service.clock.advance(2 * minuteMs)
    const settle = ['journal', 'settle', 'rent', '--adopt', readId(service, 0), '--why', 'failover', '--yes']
    expect((await run(host.home, settle, {env: host.env})).code).toBe(0)
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    expect(countSent(service)).toBe(1)
  })
})

// The list proves nothing then, and nothing is taken for absent.
describe('svc status and svc reconcile', () => {
  const look = async ({home, env}: Host) => {
    const [status, found] = await Promise.all(
      [
        ['status', '--json'],
        ['reconcile', '--json'],
      ].map((args) => run(home, args, {env})),
    )
    const attention = json(status?.out ?? '')['attention'] as Array<{kind: string; items: Array<{id: string}>}>
    const findings = json(found?.out ?? '')['findings'] as Array<{kind: string; key: string}>
    const table = await run(home, ['reconcile'], {env})
    return {
      status: attention.map(({kind, items}) => [kind, ...items.map(({id}) => id)]),
      findings: findings.map(({kind, key}) => [kind, key]),
      codes: [found?.code, table.code],
      words: table.err,
    }
  }
  const underWay = {status: [['paymentsUnderWay', 'rent']], findings: [], codes: [0, 0]}
  const cutOff = {status: [['unknownPayments', 'rent']], findings: [['UNSETTLED', 'rent']], codes: [12, 12]}

  it.each<[string, owner: string, renewedMs: number, expected: object]>([
    ['by a process of this machine that runs', 'owner', 0, underWay],
    ['by one that has ended', "json_set(owner, '$.began', 'gone')", 0, cutOff],
    ['by one of another machine', "json_set(owner, '$.host', 'far.example')", 60_000, underWay],
    ['by one of another machine that is silent', "json_set(owner, '$.host', 'far.example')", 121_000, cutOff],
    ['by nobody', 'null', 0, cutOff],
  ])('know at once of a payment that was sent %s', async (_, owner, silentMs, expected) => {
    const service = await servePayments()
    const host = createHost(service)
    const {promise, resolve} = Promise.withResolvers<void>()
    const step = service.script({after: promise, reply: 'reset', acts: 'never'})
    // It is under way until it is let go, however slow the machine is.
    const paying = pay(host, 'rent', '10', '--timeout', '30s')
    await step.reached
    const database = new DatabaseSync(path.join(host.home.folder, 'config', 'state', 'journal.sqlite'))
    database.exec(`update payments set owner = ${owner}, renewed_at = renewed_at - ${silentMs}`)
    database.close()
    const {words, ...seen} = await look(host)
    expect(seen).toEqual(expected)
    expect(words).not.toMatch(/No findings|exactly one/)
    resolve()
    await paying
  })

  it('say that there is nothing to compare', async () => {
    const {words, ...seen} = await look(createHost(await servePayments()))
    expect(seen).toEqual({status: [], findings: [], codes: [0, 0]})
    expect(words).not.toMatch(/No findings|exactly one/)
  })
})

describe('a page token that dies in the middle of a list', () => {
  // A list of three pages, with the first payments on the last one.
  async function serveThreePages(): Promise<PaymentService> {
    const service = await servePayments(ignored)
    expect((await runPayouts(createHost(service), createRows(6))).code).toBe(0)
    service.behaviour.pageItemsMax = 2
    return service
  }

  it.each([
    refusal(400, 'BAD_REQUEST', 'pageToken: unknown or expired'),
    refusal(410, 'GONE', 'The page token has expired'),
    refusal(404, 'NOT_FOUND', 'No such page'),
  ])('stops a payment before anything is sent, and the next run pays: $status', async (refused) => {
    const service = await serveThreePages()
    const host = createHost(service)
    service.behaviour.deadPageTokens = {refusal: refused, times: 1}
    const {code, err} = await pay(host, 'rent', '10')
    expect([code, countSent(service)]).toEqual([6, 6])
    expect(err).toContain(`refused its own page token (${refused.status} `)
    expect((await pay(host, 'rent', '10')).code).toBe(0)
    expect(service.transactions).toHaveLength(7)
  })
})
