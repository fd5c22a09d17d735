// The lists of customers' transactions: how often they are read, and what of them is remembered in the journal.
import path from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import type {LooseTransaction} from '../../../src/contract/loose.ts'
import type {Journal} from '../../../src/payments/journal/journal.ts'
import {openSqliteJournal} from '../../../src/payments/journal/open-journal.ts'
import {createServerClock} from '../../../src/payments/protocol/clock.ts'
import {CustomerList, CustomerLists, type ListSettings, type Wanted} from '../../../src/payments/protocol/lists.ts'
import {
  type Attempt,
  type Made,
  type Payment,
  deriveCorrelationId,
  unknownContent,
} from '../../../src/payments/protocol/payment.ts'
import {lease} from '../../support/lease.ts'
import {addBankAccounts, createRow, writePayroll, zoe} from '../../support/payroll.ts'
import {payment} from '../../support/payments.ts'
import {createAttempt, enterState} from '../../support/recorded.ts'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run, temporaryFolder} from '../../support/svc.ts'
import {createQuoteBody} from '../../support/transactions.ts'

const minuteMs = 60_000
const lagMaxMs = 6 * minuteMs
const serviceId = 's'
const begunMs = Date.now()

const toItem = (id: string, ageMs: number, more: Partial<LooseTransaction> = {}): LooseTransaction => ({
  transactionId: id,
  createdAt: new Date(begunMs - ageMs).toISOString(),
  updatedAt: new Date(begunMs - ageMs).toISOString(),
  ...more,
})

const ofKey = (key: string) => ({correlationId: deriveCorrelationId(serviceId, key)})

// 60 transactions of others, one in ten minutes, newest first, in pages of ten.
const createOldItems = () => Array.from({length: 60}, (_, index) => toItem(`t-${index}`, (60 + 10 * index) * minuteMs))
const pageSize = 10
const wholePages = 6

const intended: Payment = {
  serviceId,
  key: '',
  content: {...unknownContent, customerId: 'c'},
  state: 'INTENDED',
  attempts: [],
  createdAt: 0,
  updatedAt: 0,
}

const createPayment = (key: string) => ({...intended, key})
const createUnknown = (key: string, attempt: Attempt) =>
  enterState(createPayment(key), 'UNKNOWN', {attempts: [attempt]})
const createMade = (key: string, made: Partial<Made>) => enterState(createPayment(key), 'CREATED', {made})

// Each run has lists of its own, and all share the journal.
describe('what is remembered of a list', () => {
  let journal: Journal
  let items: LooseTransaction[]
  let moveBefore: (page: number) => void
  let pages: number

  beforeEach(() => {
    journal = openSqliteJournal(path.join(temporaryFolder(), 'journal.sqlite'))
    items = createOldItems()
    moveBefore = () => {}
    pages = 0
  })

  async function* transactions(): AsyncGenerator<LooseTransaction[]> {
    for (let at = 0; at === 0 || at < items.length; at += pageSize) {
      moveBefore(at / pageSize + 1)
      pages++
      yield items.slice(at, at + pageSize)
    }
  }

  function openClock(aheadMs = 0) {
    const clock = createServerClock()
    clock.observeDate(new Date(begunMs + aheadMs).toUTCString())
    return clock
  }

  const openList = (settings: Partial<ListSettings> = {}) =>
    new CustomerList(
      {service: {transactions}, journal, memory: journal, clock: openClock(), listLagMaxMs: lagMaxMs, ...settings},
      'C',
    )

  // In a run of its own.
  async function find(paid: Payment, wanted?: Wanted) {
    pages = 0
    const {matches} = await openList().find(paid, wanted)
    return {ids: matches.map(({transactionId}) => transactionId), pages}
  }

  const oneIsEnough = {isOneReadEnough: () => true}

  it('lets the next run read what is new, in any order of payments', async () => {
    expect(await find(createPayment('first'))).toEqual({ids: [], pages: 2 * wholePages})
    items.unshift(toItem('new', 1_000, ofKey('third')))
    expect(await find(createPayment('second'))).toEqual({ids: [], pages: 1})
    expect(await find(createPayment('third'))).toEqual({ids: ['new'], pages: 1})
  })

  it('goes as far back as the list may have lagged', async () => {
    await find(createPayment('first'))
    // Hidden by the lag when the list was read first.
    items = [...Array.from({length: 25}, (_, index) => toItem(`n-${index}`, index * 1_000)), ...items]
    items.splice(25, 0, toItem('late', 66 * minuteMs, ofKey('late')))
    expect(await find(createPayment('late'))).toMatchObject({ids: ['late']})
  })

  it('is written again once it saves a page', async () => {
    await find(createPayment('first'))
    items = [...Array.from({length: 35}, (_, index) => toItem(`n-${index}`, (10 + index) * minuteMs)), ...items]
    expect((await find(createPayment('second'))).pages).toBe(2 * 5)
    expect((await find(createPayment('third'))).pages).toBe(2 * 2)
  })

  it.each([
    ['is of one page', () => items.splice(pageSize)],
    ['is oldest first', () => (items = items.toReversed())],
    ['has one time for all', () => items.forEach((item) => Object.assign(item, {createdAt: items[0]?.createdAt}))],
    ['says no times', () => (items = items.map(({transactionId}) => ({transactionId})))],
  ])('is nothing if the list %s', async (_, change) => {
    change()
    await find(createPayment('first'))
    expect(await journal.recallList({serviceId, customerId: 'c'}, 'any')).toBeUndefined()
  })

  it('is nothing if the service did not say what time it is', async () => {
    await openList({clock: createServerClock()}).find(createPayment('first'))
    expect(await journal.recallList({serviceId, customerId: 'c'}, 'any')).toBeUndefined()
  })

  // A transaction that only a whole read can find, and what the later run knows of its payment.
  const oldMs = 555 * minuteMs
  const createSent = (agoMs: number, quote = 'q', armedAgoMs = agoMs) =>
    createAttempt({
      quote: {id: quote, expiresAt: begunMs - agoMs + 5 * minuteMs},
      armed: {at: begunMs - armedAgoMs, bytes: '{}'},
    })

  it.each([
    {what: 'of a key that another host paid', more: ofKey('k'), paid: createPayment('k')},
    {
      what: 'of such a key, written in capitals',
      more: {correlationId: ofKey('k').correlationId.toUpperCase()},
      paid: createPayment('k'),
    },
    {what: 'of an attempt that was sent before', more: {quoteId: 'q'}, paid: createUnknown('k', createSent(oldMs))},
    {
      what: 'of an attempt that was armed by a clock that was ahead',
      more: {quoteId: 'q'},
      paid: createUnknown('k', createSent(oldMs, 'q', 0)),
    },
    {what: 'of a payment that was made', more: {}, paid: createMade('k', {transactionId: 'old'})},
    {
      what: 'beside the one that was made',
      more: {quoteId: 'q'},
      paid: enterState(createPayment('k'), 'CREATED', {
        attempts: [createSent(0)],
        made: {transactionId: 'old-too', madeAt: begunMs},
      }),
    },
    {
      what: 'of a quote that was made elsewhere',
      more: {quoteId: 'given'},
      paid: createUnknown('quote:given', createSent(0, 'given')),
    },
  ])('does not hide a transaction $what', async ({more, paid}) => {
    items.splice(50, 0, toItem('old', oldMs, more))
    await find(createPayment('first'))
    expect(await find(paid)).toMatchObject({ids: ['old']})
  })

  it('needs no more of the list than since a payment was sent or made', async () => {
    items.splice(24, 0, toItem('made', 299 * minuteMs, ofKey('made')))
    items.splice(24, 0, toItem('sent', 298 * minuteMs, {quoteId: 'q'}))
    await record('made', 'made')
    await find(createPayment('first'))
    const sent = createUnknown('k', createSent(298 * minuteMs))
    expect(await find(sent)).toEqual({ids: ['sent'], pages: 2 * 4})
    const made = createMade('made', {transactionId: 'made', madeAt: begunMs - 299 * minuteMs})
    expect(await find(made, {...oneIsEnough, isOneFoundEnough: true})).toEqual({ids: ['made'], pages: 4})
  })

  // What the journal has recorded as made, it need not look for: a list is mostly svc's own.
  async function record(key: string, transactionId: string) {
    const acquired = await lease(journal, {serviceId, key, content: intended.content})
    await journal.commit(acquired.lease, enterState(acquired.payment, 'CREATED', {made: {transactionId}}), {
      what: 'CREATED',
    })
  }

  const isUnrecorded = async (key: string) =>
    (await journal.recallList({serviceId, customerId: 'c'}, ofKey(key).correlationId))?.isUnrecorded

  it('names the transactions of svc that the journal has not recorded under their own keys', async () => {
    for (const [index, key] of ['made', 'unknown', 'adopted'].entries())
      Object.assign(items[20 + index] ?? {}, ofKey(key))
    await record('made', 't-20')
    await record('another', 't-22')
    await find(createPayment('first'))
    expect([await isUnrecorded('made'), await isUnrecorded('unknown'), await isUnrecorded('adopted')]).toEqual([
      false,
      true,
      true,
    ])
  })

  it('counts for less if one read was enough for it', async () => {
    // What moves to a page that was read already is passed over.
    const moved = [toItem('old', oldMs, ofKey('k'))]
    moveBefore = (page) => {
      if (page === 2) items.splice(5, 0, ...moved.splice(0))
    }
    await find(createPayment('first'), oneIsEnough)
    moveBefore = () => {}
    items.sort((one, other) => String(other.createdAt).localeCompare(String(one.createdAt)))
    expect((await find(createPayment('second'), oneIsEnough)).pages).toBe(1)
    const list = openList()
    await list.find(createPayment('second'), oneIsEnough)
    expect((await list.find(createPayment('k'))).matches).toHaveLength(1)
  })

  // Another host has paid k since, and the list is another than before.
  it.each([
    {
      what: 'its order',
      change: (list: LooseTransaction[]) => [
        ...list.slice(20, 50),
        toItem('paid', 1_000, ofKey('k')),
        ...list.slice(0, 20),
      ],
    },
    {
      what: 'its order to the oldest first',
      change: (list: LooseTransaction[]) => [...list.toReversed(), toItem('paid', 1_000, ofKey('k'))],
    },
    {
      what: 'all of it',
      change: () => [
        ...Array.from({length: 20}, (_, index) => toItem(`x-${index}`, (80 + index) * minuteMs)),
        toItem('paid', 101 * minuteMs, ofKey('k')),
      ],
    },
    {
      what: 'its ids',
      change: (list: LooseTransaction[]) =>
        [...list.slice(30), toItem('paid', 1_000 * minuteMs, ofKey('k'))].map((item, index) =>
          index === 30 ? item : {...item, transactionId: `t-${index}`},
        ),
    },
  ])('does not count for a list that has changed $what', async ({change}) => {
    await find(createPayment('first'))
    items = change(items)
    expect(await find(createPayment('k'))).toMatchObject({ids: ['paid']})
    expect(await find(createPayment('k'))).toMatchObject({ids: ['paid']})
  })

  it('goes as far back as the list may lag now', async () => {
    await find(createPayment('first'))
    items.splice(30, 0, toItem('late', 355 * minuteMs, ofKey('late')))
    const list = openList({listLagMaxMs: 300 * minuteMs})
    expect((await list.find(createPayment('late'))).matches).toHaveLength(1)
  })

  // They stand at the head of a list by update.
  it('does not count for transactions that were updated since', async () => {
    await find(createPayment('first'))
    for (const [index, item] of items.entries()) {
      if (index < 20) items[index] = {...item, updatedAt: new Date(begunMs).toISOString()}
    }
    items.splice(20, 0, toItem('paid', 30 * minuteMs, ofKey('k')))
    expect(await find(createPayment('k'))).toMatchObject({ids: ['paid']})
  })

  // In each of two walks another transaction is hidden, so that the one of k slides to a page that was read.
  it('saves nothing of the proof in a list that is another', async () => {
    await find(createPayment('first'))
    items = Array.from({length: 40}, (_, index) => toItem(`x-${index}`, (100 + index) * minuteMs))
    items.splice(10, 0, toItem('old', 109.5 * minuteMs, ofKey('k')))
    let walks = 0
    moveBefore = (page) => {
      if (page === 1 && ++walks === 2) items.unshift(toItem('new', 1_000))
      if (page === 2 && walks <= 2) items.splice(5, 1)
    }
    expect(await find(createPayment('k'))).toMatchObject({ids: ['old']})
  })

  it('counts for a list that has lost a few of its newest transactions', async () => {
    await find(createPayment('first'))
    items.splice(0, 3)
    items.unshift(toItem('paid', 1_000, ofKey('k')))
    expect(await find(createPayment('k'))).toEqual({ids: ['paid'], pages: 1})
  })

  it.each([
    {what: 'the newest ones are of the future', aheadMs: 0, futureMs: 1_000 * minuteMs},
    {what: 'the service says that it is later than it is', aheadMs: 1_000 * minuteMs, futureMs: 0},
  ])('ends no later than it can have seen everything, although $what', async ({aheadMs, futureMs}) => {
    const future = Array.from({length: futureMs === 0 ? 0 : 8}, (_, index) => toItem(`f-${index}`, index - futureMs))
    items.unshift(...future)
    await openList({clock: openClock(aheadMs)}).find(createPayment('first'))
    const newer = Array.from({length: 25}, (_, index) => toItem(`n-${index}`, index * 1_000))
    items.splice(future.length, 0, ...newer, toItem('paid', 30 * minuteMs, ofKey('k')))
    expect(await find(createPayment('k'))).toMatchObject({ids: ['paid']})
  })

  it('counts only as long as the journal has it: a journal may go back', async () => {
    Object.assign(items[25] ?? {}, ofKey('k'))
    await record('k', 't-25')
    await find(createPayment('first'))
    const earlier = openSqliteJournal(path.join(temporaryFolder(), 'earlier.sqlite'))
    const proof = {untilMs: begunMs - 400 * minuteMs, sinceMs: begunMs - 410 * minuteMs, heads: [], isAgreed: true}
    await earlier.rememberList({serviceId, customerId: 'c'}, proof, [])
    let current = journal
    const memory: Pick<Journal, 'recallList' | 'rememberList'> = {
      recallList: (...given) => current.recallList(...given),
      rememberList: async () => {},
    }
    const list = openList({memory})
    expect((await list.find(createPayment('second'))).matches).toEqual([])
    current = earlier
    expect((await list.find(createPayment('k'))).matches).toHaveLength(1)
  })
})

// A quote that lives was made less than five minutes ago, so its transaction is younger.
describe('the list for a quote that was made elsewhere', () => {
  const made = toItem('made', minuteMs, {quoteId: 'given'})
  const old = Array.from({length: 40}, (_, index) => toItem(`t-${index}`, (60 + index) * minuteMs))

  it.each([
    {what: 'is read as far back as it can have been used', items: [made, ...old], pages: 1},
    {what: 'is read to its end if it is oldest first', items: [...old.toReversed(), made], pages: 2 * 5},
    {what: 'is read to its end if nobody says what time it is', items: [made, ...old], pages: 2 * 5, isTimed: false},
  ])('$what', async ({items, pages: expected, isTimed = true}) => {
    let pages = 0
    async function* transactions(): AsyncGenerator<LooseTransaction[]> {
      for (let at = 0; at < items.length; at += pageSize) {
        pages++
        yield items.slice(at, at + pageSize)
      }
    }
    // A machine's clock that is ahead would end the read too early.
    const clock = createServerClock(() => Date.now() + 1_000 * minuteMs)
    if (isTimed) clock.observeDate(new Date(begunMs).toUTCString())
    const journal = {list: async () => []}
    const list = new CustomerList({service: {transactions}, journal, clock, listLagMaxMs: lagMaxMs}, '')
    const {matches} = await list.find(createPayment('quote:given'))
    expect([matches.map(({transactionId}) => transactionId), pages]).toEqual([['made'], expected])
  })
})

describe('the statuses of payments that were made', () => {
  it('are read anew as far back as the oldest of them, and what is not listed any more has none', async () => {
    let items = createOldItems()
    items[12] = {...items[12], ...ofKey('k'), transactionStatus: 'PROCESSING'}
    let pages = 0
    async function* transactions(): AsyncGenerator<LooseTransaction[]> {
      for (let at = 0; at < items.length; at += pageSize) {
        pages++
        yield items.slice(at, at + pageSize)
      }
    }
    const settings = {service: {transactions}, journal: {list: async () => []}, listLagMaxMs: lagMaxMs}
    const lists = new CustomerLists({...settings, clock: createServerClock()})
    const paid = createMade('k', {transactionId: 't-12'})
    const read = async () => {
      pages = 0
      const {matches} = await lists.find(paid, {isOneReadEnough: (found) => found.length > 0})
      return {statuses: matches.map(({transactionStatus}) => transactionStatus), pages}
    }
    expect(await read()).toEqual({statuses: ['PROCESSING'], pages: wholePages})
    items[12] = {...items[12], transactionStatus: 'COMPLETED'}
    expect(await read()).toEqual({statuses: ['PROCESSING'], pages: 0})
    const expire = () => lists.expireStatuses(begunMs - 180 * minuteMs)
    expire()
    expect(await read()).toEqual({statuses: ['COMPLETED'], pages: 3})
    // Another payment looks at the newest page.
    await lists.find(createPayment('other'), {isFresh: true, isOneReadEnough: () => true})
    expect(await read()).toEqual({statuses: ['COMPLETED'], pages: 0})
    items = items.toSpliced(12, 1)
    expire()
    expect((await read()).statuses).toEqual([])
  })
})

// So many transactions of the customer that nobody made with svc, one a minute.
function addOthers({ledger, clock}: PaymentService, count: number): void {
  const nowMs = clock.now()
  for (let index = count; index > 0; index--) {
    const madeAtMs = nowMs - (60 + index) * minuteMs
    const at = new Date(madeAtMs).toISOString()
    const item = {transactionId: `other-${index}`, customerId: zoe, createdAt: at, updatedAt: at}
    ledger.made.push({key: `other-${index}`, correlationId: undefined, madeAtMs, reads: 0, item})
  }
}

describe('a customer with 20,000 transactions', () => {
  it('is read whole once, and the newest pages for every later payment of the journal', async () => {
    const service = await servePayments({keys: 'ignored'})
    addOthers(service, 20_000)
    const home = freshHome()
    const countReads = async (...args: string[]) => {
      const before = service.requestsTo('GET /transactions').length
      expect(await run(home, [...args, '--yes'], {env: service.env})).toMatchObject({code: 0})
      return service.requestsTo('GET /transactions').length - before
    }
    const first = await countReads(...payment('first', '10'))
    expect(first).toBeGreaterThanOrEqual(2 * 200)
    expect(first).toBeLessThanOrEqual(2 * 200 + 6)
    expect(await countReads(...payment('second', '11'))).toBeLessThanOrEqual(6)
    addBankAccounts(service)
    const rows = Array.from({length: 200}, (_, index) => createRow(`r-${index}`, {amount: `${index + 1}.5`}))
    expect(await countReads('payouts', 'run', writePayroll(home, rows))).toBeLessThanOrEqual(100)
    expect(service.transactions.filter(({correlationId}) => correlationId !== undefined)).toHaveLength(202)
  }, 120_000)

  // An unknown payment needs a read that begins after its lease was taken.
  it('is read whole once to settle twenty payments', async () => {
    const service = await servePayments({keys: 'ignored'})
    addOthers(service, 1_000)
    addBankAccounts(service)
    const home: Home = freshHome()
    const rows = Array.from({length: 20}, (_, index) => createRow(`r-${index}`, {amount: `${index + 1}.5`}))
    const {remove} = service.script({reply: 'reset', acts: 'never', times: Infinity})
    await run(home, ['payouts', 'run', writePayroll(home, rows), '--yes', '--timeout', '5s', '--concurrency', '20'], {
      env: service.env,
    })
    remove()
    const before = service.requestsTo('GET /transactions').length
    const {out} = await run(home, ['journal', 'settle', '--timeout', '900ms', '--json'], {env: service.env})
    expect(json(out)['settled']).toHaveLength(20)
    const reads = service.requestsTo('GET /transactions').slice(before)
    const wholeReads = reads.filter(({query}) => query.get('pageToken') === 'after-other-900')
    expect(wholeReads.length).toBeLessThanOrEqual(2)
    expect(reads.length).toBeLessThanOrEqual(2 * 10 + 2 * 20)
  }, 120_000)
})

describe('a quote that was made elsewhere', () => {
  it.each(['oldest', 'newest', 'mixed'] as const)(
    'makes one transaction after the journal was lost, where the list has several pages, %s first',
    async (listOrder) => {
      const service = await servePayments({keys: 'ignored', quotes: 'many', listOrder, pageItemsMax: 10})
      addOthers(service, 60)
      const quoteId = makeQuote(service, '10')
      const create = ['transactions', 'create', '--quote', quoteId, '--yes', '--json']
      const made = await run(freshHome(), create, {env: service.env})
      for (let number = 0; number < 15; number++) {
        service.ledger.create({key: `k-${number}`, body: JSON.stringify({quoteId: makeQuote(service, '11')})})
      }
      const again = await run(freshHome(), create, {env: service.env})
      expect([made.code, again.code]).toEqual([0, 0])
      expect(json(again.out)['transactionId']).toBe(json(made.out)['transactionId'])
    },
  )
})

function makeQuote({ledger}: PaymentService, amount: string): string {
  const quote = ledger.quote(createQuoteBody(amount, 'wallet', 'externalWallet'))
  if ('quoteId' in quote) return quote.quoteId
  throw new Error(quote.message)
}
