// What every store of the journal does: payments, leases with a fencing epoch, checks in the transaction that writes.
import {findHeldPayees} from '../../../src/controls/new-payees.ts'
import {Big} from 'big.js'
import {describe, expect, it} from 'vitest'
import {type CommitCheck, type Journal, LeaseLost} from '../../../src/payments/journal/journal.ts'
import {type LeaseOwner, describeThisProcess} from '../../../src/payments/journal/owner.ts'
import type {Made, Payment, PaymentState} from '../../../src/payments/protocol/payment.ts'
import {dayMs} from '../../../src/values/time.ts'
import {lease as leasePayment} from '../../support/lease.ts'
import {createAttempt, enterState} from '../../support/recorded.ts'
import {type TestStore, useStores} from './stores.ts'

const serviceId = 'https://api.example.com'

const createContent = (sourceAmount: string, destination = 'to'): Payment['content'] => ({
  customerId: 'c',
  source: {sourcePaymentAccountId: 'from', sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA', sourceAmount},
  destination: {destinationPaymentAccountId: destination, destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
})

const content = createContent('5')
const rent = {serviceId, key: 'rent', content}
// A process of another machine, of which nobody here can say whether it has ended.
const far = (run: string): LeaseOwner => ({...describeThisProcess(), host: 'far.example', run})

const lease = (journal: Journal, key: string, owner = describeThisProcess()) =>
  leasePayment(journal, {...rent, key}, owner)

type Change = Parameters<typeof enterState>[2]

async function record(journal: Journal, key: string, state: PaymentState, change: Change = {}) {
  const {serviceId: id = serviceId} = change
  const {lease: held, payment} = await leasePayment(journal, {...rent, serviceId: id, key})
  const written = await journal.commit(held, enterState(payment, state, change), {what: state})
  await journal.releaseLease(held)
  return written
}

// An attempt by which the money may have been spent then.
const spentAt = (at: number) => ({attempts: [createAttempt({armed: {at}})]})

const readHistory = async (journal: Journal, key = 'rent') =>
  (await journal.history(serviceId, key)).map(({what}) => what)

describe.each(useStores())('a journal in $name', (store: TestStore) => {
  const openTwo = async () => {
    const created = await store.create()
    return {created, one: await created.open(), other: await created.open()}
  }

  it('creates a payment once, whoever asks, and gives its lease to one at a time, with a higher epoch each', async () => {
    const {created, one, other} = await openTwo()
    const before = await created.now()
    const answers = await Promise.all(
      [one, other, one, other].map((journal, index) =>
        journal.acquireLease(
          {...rent, content: createContent(String(index + 1)), template: 't', slot: 's'},
          far(`run-${index}`),
        ),
      ),
    )
    const [won, ...more] = answers.flatMap((answer) => ('lease' in answer ? [answer] : []))
    if (!won || more.length > 0) throw new Error('one of them has it')
    const {payment, lease: held} = won
    for (const answer of answers) expect(answer).toEqual('lease' in answer ? won : {payment, heldBy: {...held.owner}})
    expect(payment).toMatchObject({serviceId, key: 'rent', template: 't', slot: 's', state: 'INTENDED', attempts: []})
    expect(payment.createdAt).toBeGreaterThanOrEqual(before)
    expect(await other.find(serviceId, 'rent')).toEqual(payment)
    expect(await other.find(serviceId, 'food')).toBeUndefined()
    expect(await readHistory(one)).toEqual(['INTENDED'])
    expect((await other.findLeaseHolder(serviceId, 'rent'))?.run).toBe(held.owner.run)
    await (answers.indexOf(won) % 2 === 0 ? one : other).releaseLease(held)
    expect(await other.findLeaseHolder(serviceId, 'rent')).toBeUndefined()
    expect((await lease(other, 'rent')).lease.epoch).toBe(held.epoch + 1)
  })

  it('keeps every text of a payment as it is', async () => {
    const journal = await (await store.create()).open()
    const odd = 'quote " \\ \u0000 \ud800 𝄞 \n end'
    const written = await record(journal, 'odd', 'UNKNOWN', {
      attempts: [createAttempt({quote: {id: odd}, armed: {bytes: odd}})],
    })
    expect(await journal.find(serviceId, 'odd')).toEqual(written)
    const {lease: held, payment} = await lease(journal, 'odd')
    await journal.commit(held, payment, {what: 'NOTED', detail: {reason: odd, count: 3, yes: true}})
    expect((await journal.history(serviceId, 'odd')).at(-1)).toMatchObject({detail: {reason: odd, count: 3, yes: true}})
  })

  it('lets another process take over a lease that expired, or whose process has ended, and no other', async () => {
    const created = await store.create()
    const journal = await created.open()
    const {lease: old} = await lease(journal, 'rent', far('a'))
    await created.ageLeases(119_000)
    expect(await journal.acquireLease(rent, far('b'))).toMatchObject({heldBy: {run: 'a'}})
    await created.ageLeases(2_000)
    expect(await journal.findLeaseHolder(serviceId, 'rent')).toBeUndefined()
    const {lease: next} = await lease(journal, 'rent', {...describeThisProcess(), began: 'gone', run: 'c'})
    const {lease: last} = await lease(journal, 'rent', far('d'))
    expect([next.epoch, last.epoch]).toEqual([old.epoch + 1, old.epoch + 2])
    expect(await journal.history(serviceId, 'rent')).toMatchObject([
      {what: 'INTENDED'},
      {what: 'TAKEN_OVER', detail: {host: 'far.example', pid: process.pid}},
      {what: 'TAKEN_OVER', detail: {pid: process.pid}},
    ])
  })

  it('renews a lease that is old enough, and refuses every write of a holder that lost it', async () => {
    const {created, one, other} = await openTwo()
    const {lease: held, payment} = await lease(one, 'rent', far('a'))
    await created.ageLeases(100_000)
    await one.renewLease(held)
    await created.ageLeases(100_000)
    expect(await other.acquireLease(rent, far('b'))).toMatchObject({heldBy: {run: 'a'}})
    await created.ageLeases(30_000)
    const {lease: taken} = await lease(other, 'rent', far('b'))
    await expect(one.renewLease(held)).rejects.toThrow(LeaseLost)
    for (const check of [undefined, {judge: () => {}}])
      await expect(one.commit(held, enterState(payment, 'ARMED'), {what: 'ARMED'}, check)).rejects.toThrow(LeaseLost)
    // What the old holder returns is not taken from the new one.
    await one.releaseLease(held)
    await other.renewLease(taken)
    expect((await other.find(serviceId, 'rent'))?.state).toBe('INTENDED')
    expect(await readHistory(other)).toEqual(['INTENDED', 'TAKEN_OVER'])
  })

  it('shows a payment to others when it is leased, armed and made, with its whole history', async () => {
    const {created, one: journal, other} = await openTwo()
    const {lease: held, payment} = await lease(journal, 'rent')
    expect(await other.find(serviceId, 'rent')).toEqual(payment)
    const commit = (last: Payment, state: PaymentState) => journal.commit(held, enterState(last, state), {what: state})
    const quoted = journal.note(held, enterState(payment, 'QUOTED'), {what: 'QUOTED'})
    expect(await other.find(serviceId, 'rent')).toEqual(payment)
    const armed = await commit(quoted, 'ARMED')
    expect(await other.find(serviceId, 'rent')).toEqual(armed)
    expect(await other.acquireLease(rent, far('b'))).toMatchObject({payment: armed})
    const made = await commit(armed, 'CREATED')
    expect(await other.find(serviceId, 'rent')).toEqual(made)
    const times = [quoted, armed, made].map(({updatedAt}) => updatedAt)
    expect(Math.min(...times.slice(0, 2))).toBeGreaterThan(payment.updatedAt)
    expect(made.updatedAt).toBeGreaterThan(armed.updatedAt)
    expect(await readHistory(other)).toEqual(['INTENDED', 'QUOTED', 'ARMED', 'CREATED'])
    // The same write has ended the lease, and the first holder returns nothing of the next one.
    const {lease: next} = await lease(other, 'rent')
    expect(next.epoch).toBe(held.epoch + 1)
    await journal.releaseLease(held)
    expect(await other.findLeaseHolder(serviceId, 'rent')).toBeDefined()
    expect(await created.verify()).toBeUndefined()
  })

  it('keeps a payment that ends before it is armed, for whoever is next', async () => {
    const {created, one: journal, other} = await openTwo()
    const {lease: held, payment} = await lease(journal, 'rent')
    journal.note(held, enterState(payment, 'QUOTED'), {what: 'QUOTED'})
    await journal.releaseLease(held)
    expect(() => journal.note(held, payment, {what: 'QUOTED'})).toThrow(LeaseLost)
    expect(await lease(other, 'rent')).toMatchObject({lease: {epoch: 2}, payment: {state: 'QUOTED'}})
    expect(await readHistory(other)).toEqual(['INTENDED', 'QUOTED'])
    expect(await created.verify()).toBeUndefined()
  })

  it('writes fifty payments at once, beside those of another host, and refuses one without the others', async () => {
    const {created, one, other} = await openTwo()
    const lost = await lease(one, 'lost', far('a'))
    await created.ageLeases(121_000)
    await lease(other, 'lost', far('b'))
    const payAll = (journal: Journal, name: string) =>
      Promise.all(
        Array.from({length: 50}, (_, index) => record(journal, `${name}-${index}`, 'CREATED', {made: {madeAt: 1}})),
      )
    const [refused] = await Promise.allSettled([
      one.commit(lost.lease, enterState(lost.payment, 'ARMED'), {what: 'ARMED'}),
      payAll(one, 'one'),
      payAll(other, 'other'),
    ])
    expect(refused).toMatchObject({reason: expect.any(LeaseLost) as unknown})
    expect(await one.list({serviceId, states: ['CREATED']})).toHaveLength(100)
    expect(await created.verify()).toBeUndefined()
  })

  it('judges each of a group by what the ones before it have written', async () => {
    const journal = await (await store.create()).open()
    const leased = await Promise.all(['a', 'b', 'c', 'd'].map((key) => lease(journal, key)))
    const seen: string[] = []
    const judge: CommitCheck['judge'] = ({spent, owners}) => {
      seen.push(`${spent.amount} ${owners.map(({key}) => key).join()}`)
      if (new Big(spent.amount).gte('10')) throw new Error('enough')
    }
    const check = {spending: {currency: 'usdc', day: 0}, transactionId: 'tx', judge}
    const made = {transactionId: 'tx', madeAt: 1_000}
    const outcomes = await Promise.allSettled(
      leased.map(({lease: held, payment}) =>
        journal.commit(held, enterState(payment, 'CREATED', {made}), {what: 'CREATED'}, check),
      ),
    )
    expect(seen).toEqual(['0 ', '5 a', '10 a,b', '10 a,b'])
    expect(outcomes.map(({status}) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
    // Nothing of the refused ones was written, and their leases are still held.
    const {lease: held, payment} = leased[2]!
    expect(await journal.commit(held, enterState(payment, 'STOPPED'), {what: 'STOPPED'})).toMatchObject({key: 'c'})
    expect(await readHistory(journal, 'c')).toEqual(['INTENDED', 'STOPPED'])
  })

  it('judges a commit by what was spent since, unknown amounts too, and by what other services have', async () => {
    const journal = await (await store.create()).open()
    const spend = (key: string, amount: string, state: PaymentState = 'CREATED', more: Change = {}) =>
      record(journal, key, state, {...spentAt(dayMs), content: createContent(amount), ...more})
    await spend('one', '1.10')
    await spend('two', '2.25', 'UNKNOWN')
    await spend('none', '100', 'REJECTED')
    await spend('early', '100', 'CREATED', spentAt(dayMs - 1))
    await spend('mine', '100', 'CREATED', {serviceId: 'other'})
    const {lease: held, payment} = await lease(journal, 'mine')
    const found: Array<Parameters<CommitCheck['judge']>[0]> = []
    const arm = (judge: CommitCheck['judge']) =>
      journal.commit(
        held,
        enterState(payment, 'ARMED'),
        {what: 'ARMED'},
        {
          spending: {currency: 'usdc', day: 1},
          judge,
        },
      )
    const refuse: CommitCheck['judge'] = (findings) => {
      found.push(findings)
      throw new Error('too much')
    }
    await expect(arm(refuse)).rejects.toThrow('too much')
    expect(found[0]?.spent).toEqual({amount: '3.35', unknown: 0})
    expect(found[0]?.elsewhere.map((each) => each.serviceId)).toEqual(['other'])
    expect((await journal.find(serviceId, 'mine'))?.state).toBe('INTENDED')
    expect(await readHistory(journal, 'mine')).toEqual(['INTENDED'])
    const unknown = createContent('')
    await spend('adopted', '', 'CREATED', {content: {...unknown, source: {...unknown.source, sourceCurrency: ''}}})
    await spend('strange', '1e3')
    await expect(arm(refuse)).rejects.toThrow('too much')
    expect(found[1]?.spent).toEqual({amount: '1003.35', unknown: 1})
    expect((await arm(() => {})).state).toBe('ARMED')
  })

  it('lists by service, state, transaction and time, in the order in which they were recorded, from any of them on', async () => {
    const journal = await (await store.create()).open()
    const list = async (filter: Omit<Parameters<Journal['list']>[0], 'serviceId'>) =>
      (await journal.list({serviceId, ...filter})).map(({key}) => key)
    const states: PaymentState[] = ['CREATED', 'UNKNOWN', 'REJECTED']
    for (const [index, key] of ['b', 'a', 'é', 'C', '😀', '\uFF5E'].entries()) {
      const state = states[index % 3] ?? 'CREATED'
      await record(journal, key, state)
      await record(journal, key, 'ARMED', {serviceId: 'https://other.example.com'})
    }
    const all = await list({})
    expect(all.toSorted()).toEqual(['C', 'a', 'b', 'é', '\uFF5E', '😀'].toSorted())
    expect((await list({states: ['ARMED', 'UNKNOWN']})).toSorted()).toEqual(['a', '😀'].toSorted())
    expect(await list({newestCount: 2})).toEqual(all.toReversed().slice(0, 2))
    expect(await list({transactionIds: ['tx-b', 'tx-c']})).toEqual(['b'])
    expect(await list({transactionIds: ['tx-b'], newestCount: 1})).toEqual(['b'])
    const recordedMs = (await journal.find(serviceId, 'C'))?.createdAt ?? 0
    expect(await list({sinceMs: recordedMs})).toContain('C')
    expect(await list({sinceMs: recordedMs + 60_000})).toEqual([])
    for (const filter of [{}, {states: ['REJECTED'] as const}]) {
      const walked: Payment[] = []
      for (let page = walked.slice(); page.length > 0 || walked.length === 0; walked.push(...page))
        page = await journal.list({serviceId, ...filter, newestCount: 1, after: walked.at(-1)})
      expect(walked.map(({key}) => key)).toEqual(await list({...filter, newestCount: 100}))
    }
  })

  it('knows what all services have under a key, and what was paid to an account', async () => {
    const journal = await (await store.create()).open()
    expect(await journal.findByKey('rent')).toEqual([])
    for (const id of ['z', 'a', serviceId])
      await record(journal, 'rent', 'CREATED', {serviceId: id, made: {madeAt: 1_000}})
    expect((await journal.findByKey('rent')).map((payment) => payment.serviceId)).toEqual(['a', serviceId, 'z'])
    const query = {serviceId, destination: 'to', currency: 'usdc', sinceMs: 1_000}
    expect((await journal.listPaidTo(query)).map(({key}) => key)).toEqual(['rent'])
    for (const other of [{sinceMs: 1_001}, {destination: 'else'}])
      expect(await journal.listPaidTo({...query, ...other})).toEqual([])
  })

  it('knows which accounts were paid: by a transaction that went there and did not fail', async () => {
    const journal = await (await store.create()).open()
    const made = (destination: string, change: Partial<Made> = {}) =>
      record(journal, destination, 'CREATED', {content: createContent('5', destination), made: {madeAt: 1, ...change}})
    await made('paid')
    await made('failed', {ended: 'FAILED'})
    await made('elsewhere', {wentElsewhere: true})
    const accounts = ['paid', 'failed', 'elsewhere', 'unseen']
    expect(await journal.listPayees(serviceId, accounts)).toEqual([{destination: 'paid', isPaid: true}])
  })

  // Of the clock that is written and the one that is read, each may be the one that is wrong.
  const [atMs, hourMs] = [1_700_000_000_000, 3_600_000]
  // The bounds of the service's clock are an hour apart. What is seen is written by the later one, and
  // the earlier one says how late it is.
  const createClock = (wallMs: number, earliestMs: number) => ({
    wall: () => wallMs,
    earliest: () => earliestMs,
    latest: () => earliestMs + hourMs,
  })
  const seenBy = (wallMs: number, latestMs: number) => createClock(wallMs, latestMs - hourMs)
  it.each([
    ['the machine behind when it is seen', seenBy(atMs - 48 * hourMs, atMs), createClock(atMs, atMs)],
    ['the service behind when it is seen', seenBy(atMs, atMs - 48 * hourMs), createClock(atMs, atMs)],
    ['the machine ahead when it is paid', seenBy(atMs, atMs), createClock(atMs + 48 * hourMs, atMs)],
    ['the service ahead when it is paid', seenBy(atMs, atMs), createClock(atMs, atMs + 48 * hourMs)],
  ])('lets a payee wait from when it was first seen, by the clock that waits longer: %s', async (_, seen, paid) => {
    const journal = await (await store.create()).open()
    const rules = {coolDownMs: 24 * hourMs, allowed: new Set<string>(), isDryRun: false}
    const ask = (clock: typeof seen, change: object = {}, id = serviceId) =>
      findHeldPayees({journal, clock}, id, ['new'], {...rules, ...change})
    const end = [{destination: 'new', until: atMs + 24 * hourMs}]
    expect(await ask(createClock(atMs - hourMs, atMs - hourMs), {isDryRun: true})).toHaveLength(1)
    expect(await ask(seen)).toEqual(end)
    expect(await ask(paid)).toEqual(end)
    expect(await ask(createClock(atMs + 24 * hourMs - 1, atMs + 48 * hourMs))).toEqual(end)
    expect(await ask(createClock(atMs + 48 * hourMs, atMs + 24 * hourMs - 1))).toEqual(end)
    expect(await ask(createClock(atMs + 24 * hourMs, atMs + 24 * hourMs))).toEqual([])
    // What one service has seen, another has not.
    expect(await ask(createClock(atMs + 24 * hourMs, atMs + 24 * hourMs), {}, 'https://other.example')).toHaveLength(1)
  })

  it('never lets 50 hosts exceed a cap together', async () => {
    const created = await store.create()
    const hosts = 50
    const cap = new Big('12')
    const judge: CommitCheck['judge'] = ({spent}) => {
      if (new Big(spent.amount).plus('1').gt(cap)) throw new Error('cap')
    }
    const arm = async (journal: Journal, index: number) => {
      const key = `row-${index}`
      const {lease: held, payment} = await leasePayment(journal, {...rent, key, content: createContent('1')}, far(key))
      const armed = enterState(payment, 'ARMED', spentAt(1_000))
      await journal.commit(held, armed, {what: 'ARMED'}, {spending: {currency: 'USDC', day: 0}, judge})
    }
    const journals = await Promise.all(Array.from({length: hosts}, () => created.open()))
    const results = await Promise.allSettled(journals.map(arm))
    const refused = results.filter((result) => result.status === 'rejected')
    expect(new Set(refused.map(({reason}) => String(reason)))).toEqual(new Set(['Error: cap']))
    expect(hosts - refused.length).toBe(12)
    expect(await journals[0]?.list({serviceId, states: ['ARMED']})).toHaveLength(12)
    await Promise.all(journals.map((journal) => journal.close()))
  })

  const paidTo = {destination: 'to', currency: 'usdc', sinceMs: 1_000}
  const alone: Array<[string, Omit<CommitCheck, 'judge'>]> = [
    ['give one transaction to two payments', {transactionId: 'tx'}],
    ['pay the same amount to one account twice', {paidTo: {...paidTo, amount: '5.0'}}],
    ['pay one account twice', {paidTo}],
  ]

  // Half of them share a journal, so that some of their commits are of one group.
  it.each(alone)('never lets 20 hosts %s', async (_, check) => {
    const created = await store.create()
    const judge: CommitCheck['judge'] = ({owners, paidTo: paid}) => {
      if (owners.length + paid.length > 0) throw new Error('taken')
    }
    await record(await created.open(), 'before', 'CREATED', {made: {madeAt: 999}})
    await record(await created.open(), 'else', 'CREATED', {made: {madeAt: 1_000}, content: createContent('5', 'else')})
    await record(await created.open(), 'stopped', 'STOPPED', spentAt(1_000))
    const make = async (journal: Journal, index: number) => {
      const key = `row-${index}`
      const spelled = createContent(['5', '5.00', '05'][index % 3] ?? '')
      const {lease: held, payment} = await leasePayment(journal, {...rent, key, content: spelled}, far(key))
      const made = enterState(payment, 'CREATED', {made: {transactionId: 'tx', madeAt: 1_000}})
      await journal.commit(held, made, {what: 'CREATED'}, {...check, judge})
    }
    const journals = await Promise.all(Array.from({length: 10}, () => created.open()))
    const hosts = journals.flatMap((journal, index) => [journal, journals[index > 4 ? 0 : index] ?? journal])
    const results = await Promise.allSettled(hosts.map(make))
    expect(results.filter(({status}) => status === 'fulfilled')).toHaveLength(1)
    await Promise.all(journals.map((journal) => journal.close()))
  })

  it('keeps decisions of people with who decided and why, about a payment or anything else', async () => {
    const {created, one, other} = await openTwo()
    const before = await created.now()
    const who = {user: 'ann', host: 'till'}
    const data = {digest: 'abc', signatures: [{signer: 'bob@example.com'}]}
    const signed = {...who, signer: 'ann@example.com'}
    await one.recordDecision({kind: 'APPROVAL_USED', about: {serviceId, key: 'rent'}, who: signed, data})
    const why = "ticket 4711 „ü“ ' \u0007"
    await other.recordDecision({kind: 'LIMITS_CHANGED', about: {profile: 'acme'}, who, why})
    const toLine = (detail: object) => ({
      at: expect.toSatisfy((at: number) => at >= before) as number,
      what: 'DECISION',
      detail: {id: expect.any(String) as string, ...detail},
    })
    expect(await other.listDecisions()).toEqual([
      toLine({kind: 'APPROVAL_USED', ...signed, data}),
      toLine({kind: 'LIMITS_CHANGED', profile: 'acme', ...who, why}),
    ])
    // One about a payment is a line of its history as well.
    expect(await readHistory(one)).toEqual(['DECISION'])
  })
})
