// What every store of the journal does: payments, leases with a fencing epoch, checks in the transaction that writes.
import {Big} from 'big.js'
import {describe, expect, it} from 'vitest'
import {type CommitCheck, type Journal, LeaseLost} from '../../../src/payments/journal/journal.ts'
import {type LeaseOwner, describeThisProcess} from '../../../src/payments/journal/owner.ts'
import type {Payment, PaymentState} from '../../../src/payments/protocol/payment.ts'
import {lease as leasePayment} from '../../support/lease.ts'
import {type TestStore, useStores} from './stores.ts'

const serviceId = 'https://api.example.com'

const createContent = (sourceAmount: string, destination = 'to'): Payment['content'] => ({
  customerId: 'c',
  source: {sourcePaymentAccountId: 'from', sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA', sourceAmount},
  destination: {
    destinationPaymentAccountId: destination,
    destinationPaymentMethod: 'ACH',
    destinationCurrency: 'USD',
  },
})

const content = createContent('5')
// A process of another machine, of which nobody here can say whether it has ended.
const far = (run: string): LeaseOwner => ({...describeThisProcess(), host: 'far.example', run})

const lease = (journal: Journal, key: string, owner = describeThisProcess()) =>
  leasePayment(journal, {serviceId, key, content}, owner)

async function record(journal: Journal, key: string, state: PaymentState, change: Partial<Payment> = {}) {
  const id = change.serviceId ?? serviceId
  const {template, slot} = change
  const {lease: held, payment} = await leasePayment(journal, {
    serviceId: id,
    key,
    content: change.content ?? content,
    ...(template !== undefined && {template}),
    ...(slot !== undefined && {slot}),
  })
  const written = await journal.commit(held, {...payment, ...change, state}, {what: state})
  await journal.releaseLease(held)
  return written
}

const readHistory = async (journal: Journal, key = 'rent') =>
  (await journal.history(serviceId, key)).map(({what}) => what)

const addUp = (amounts: readonly string[]) => amounts.reduce((sum, amount) => sum.plus(amount), new Big('0')).toFixed()

describe.each(useStores())('a journal in $name', (store: TestStore) => {
  it('creates a payment once, whoever asks, and keeps what it has', async () => {
    const created = await store.create()
    const [one, other] = [await created.open(), await created.open()]
    const before = await created.now()
    const answers = await Promise.all(
      [one, other, one, other].map((journal, index) => {
        const intent = {serviceId, key: 'rent', content: createContent(String(index + 1)), template: 't', slot: 's'}
        return journal.acquireLease(intent, far(`run-${index}`))
      }),
    )
    expect(answers.filter((answer) => 'lease' in answer)).toHaveLength(1)
    const payments = answers.map(({payment}) => payment)
    expect(new Set(payments.map((payment) => JSON.stringify(payment))).size).toBe(1)
    expect(payments[0]).toMatchObject({
      serviceId,
      key: 'rent',
      template: 't',
      slot: 's',
      state: 'INTENDED',
      attempts: [],
    })
    expect(payments[0]?.createdAt).toBeGreaterThanOrEqual(before)
    expect(await other.find(serviceId, 'rent')).toEqual(payments[0])
    expect(await other.find(serviceId, 'food')).toBeUndefined()
    expect((await one.history(serviceId, 'rent')).map(({what}) => what)).toEqual(['INTENDED'])
  })

  it('keeps every text of a payment as it is', async () => {
    const journal = await (await store.create()).open()
    const odd = 'quote " \\ \u0000 \ud800 𝄞 \n end'
    const written = await record(journal, 'odd', 'UNKNOWN', {
      attempts: [
        {
          quoteId: odd,
          quoteExpiresAt: 1,
          price: {rate: '1', received: '1', svcFee: '0', developerFee: '0', feeCurrency: 'USDC'},
          serverAheadMs: 0,
          sends: 1,
          bytes: odd,
          armedAt: 1_700_000_000_000,
        },
      ],
    })
    expect(await journal.find(serviceId, 'odd')).toEqual(written)
    const {lease: held, payment} = await lease(journal, 'odd')
    await journal.commit(held, payment, {what: 'NOTED', detail: {reason: odd, count: 3, yes: true}})
    expect((await journal.history(serviceId, 'odd')).at(-1)).toMatchObject({detail: {reason: odd, count: 3, yes: true}})
  })

  it('gives the lease to one at a time, and every holder a higher epoch', async () => {
    const created = await store.create()
    const [one, other] = [await created.open(), await created.open()]
    const [first, second] = await Promise.all([
      one.acquireLease({serviceId, key: 'rent', content}, far('a')),
      other.acquireLease({serviceId, key: 'rent', content}, far('b')),
    ])
    const [won, lost, winner] = 'lease' in first ? [first, second, one] : [second, first, other]
    if (!('lease' in won) || !('heldBy' in lost)) throw new Error('both have it')
    expect(lost.heldBy.run).toBe(won.lease.owner.run)
    expect((await other.findLeaseHolder(serviceId, 'rent'))?.run).toBe(won.lease.owner.run)
    await winner.releaseLease(won.lease)
    expect(await other.findLeaseHolder(serviceId, 'rent')).toBeUndefined()
    expect((await lease(other, 'rent')).lease.epoch).toBe(won.lease.epoch + 1)
  })

  it('lets another process take over a lease that expired, or whose process has ended, and no other', async () => {
    const created = await store.create()
    const journal = await created.open()
    const {lease: old} = await lease(journal, 'rent', far('a'))
    await created.ageLeases(119_000)
    expect(await journal.acquireLease({serviceId, key: 'rent', content}, far('b'))).toMatchObject({heldBy: {run: 'a'}})
    await created.ageLeases(2_000)
    expect(await journal.findLeaseHolder(serviceId, 'rent')).toBeUndefined()
    const {lease: next} = await lease(journal, 'rent', {...describeThisProcess(), began: 'gone', run: 'c'})
    expect(next.epoch).toBe(old.epoch + 1)
    const {lease: last} = await lease(journal, 'rent', far('d'))
    expect(last.epoch).toBe(next.epoch + 1)
    expect(await journal.history(serviceId, 'rent')).toMatchObject([
      {what: 'INTENDED'},
      {what: 'TAKEN_OVER', detail: {host: 'far.example', pid: process.pid}},
      {what: 'TAKEN_OVER', detail: {pid: process.pid}},
    ])
  })

  it('renews a lease that is old enough, and refuses every write of a holder that lost it', async () => {
    const created = await store.create()
    const [one, other] = [await created.open(), await created.open()]
    const {lease: held, payment} = await lease(one, 'rent', far('a'))
    await created.ageLeases(100_000)
    await one.renewLease(held)
    await created.ageLeases(100_000)
    expect(await other.acquireLease({serviceId, key: 'rent', content}, far('b'))).toMatchObject({heldBy: {run: 'a'}})
    await created.ageLeases(30_000)
    const {lease: taken} = await lease(other, 'rent', far('b'))
    await expect(one.renewLease(held)).rejects.toThrow(LeaseLost)
    await expect(one.commit(held, {...payment, state: 'ARMED'}, {what: 'ARMED'})).rejects.toThrow(LeaseLost)
    const check = {judge: () => {}}
    await expect(one.commit(held, {...payment, state: 'ARMED'}, {what: 'ARMED'}, check)).rejects.toThrow(LeaseLost)
    // What the old holder returns is not taken from the new one.
    await one.releaseLease(held)
    await other.renewLease(taken)
    expect((await other.find(serviceId, 'rent'))?.state).toBe('INTENDED')
    expect((await other.history(serviceId, 'rent')).map(({what}) => what)).toEqual(['INTENDED', 'TAKEN_OVER'])
  })

  it('shows a payment to others when it is leased, armed and made, with its whole history', async () => {
    const created = await store.create()
    const [journal, other] = [await created.open(), await created.open()]
    const {lease: held, payment} = await lease(journal, 'rent')
    expect(await other.find(serviceId, 'rent')).toEqual(payment)
    expect((await other.findLeaseHolder(serviceId, 'rent'))?.run).toBe(held.owner.run)
    const commit = (last: Payment, state: PaymentState) =>
      journal.commit(held, {...last, state, transactionId: 'tx-1'}, {what: state})
    const quoted = await commit(payment, 'QUOTED')
    expect(await other.find(serviceId, 'rent')).toEqual(payment)
    const armed = await commit(quoted, 'ARMED')
    expect(await other.find(serviceId, 'rent')).toEqual(armed)
    expect(await other.acquireLease({serviceId, key: 'rent', content}, far('b'))).toMatchObject({payment: armed})
    const made = await commit(armed, 'CREATED')
    expect(await other.find(serviceId, 'rent')).toEqual(made)
    expect(quoted.updatedAt).toBeGreaterThan(payment.updatedAt)
    expect(armed.updatedAt).toBeGreaterThan(payment.updatedAt)
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
    const created = await store.create()
    const [journal, other] = [await created.open(), await created.open()]
    const {lease: held, payment} = await lease(journal, 'rent')
    await journal.commit(held, {...payment, state: 'QUOTED'}, {what: 'QUOTED'})
    await journal.releaseLease(held)
    expect(await lease(other, 'rent')).toMatchObject({lease: {epoch: 2}, payment: {state: 'QUOTED'}})
    expect(await readHistory(other)).toEqual(['INTENDED', 'QUOTED'])
    expect(await created.verify()).toBeUndefined()
  })

  it('writes fifty payments at once, beside those of another host, and refuses one without the others', async () => {
    const created = await store.create()
    const hosts = [await created.open(), await created.open()]
    const lost = await lease(hosts[0]!, 'lost', far('a'))
    await created.ageLeases(121_000)
    await lease(hosts[1]!, 'lost', far('b'))
    const payAll = (journal: Journal, name: string) =>
      Promise.all(Array.from({length: 50}, (_, index) => record(journal, `${name}-${index}`, 'CREATED', {madeAt: 1})))
    const arm = (journal: Journal) => journal.commit(lost.lease, {...lost.payment, state: 'ARMED'}, {what: 'ARMED'})
    const [refused] = await Promise.allSettled([
      arm(hosts[0]!),
      ...hosts.map((journal, index) => payAll(journal, `host-${index}`)),
    ])
    expect(refused).toMatchObject({reason: expect.any(LeaseLost) as unknown})
    expect(await hosts[0]!.list({serviceId, states: ['CREATED']})).toHaveLength(100)
    expect(await created.verify()).toBeUndefined()
  })

  it('judges each of a group by what the ones before it have written', async () => {
    const journal = await (await store.create()).open()
    const leased = await Promise.all(['a', 'b', 'c', 'd'].map((key) => lease(journal, key)))
    const seen: string[] = []
    const outcomes = await Promise.allSettled(
      leased.map(({lease: held, payment}) => {
        const judge: CommitCheck['judge'] = ({spentAmounts, owners}) => {
          seen.push(`${addUp(spentAmounts)} ${owners.map(({key}) => key).join()}`)
          if (new Big(addUp(spentAmounts)).gte('10')) throw new Error('enough')
        }
        const check = {spending: {currency: 'usdc', sinceMs: 0}, transactionId: 'tx', judge}
        const made = {...payment, state: 'UNKNOWN' as const, transactionId: 'tx', madeAt: 1_000}
        return journal.commit(held, made, {what: 'UNKNOWN'}, check)
      }),
    )
    expect(seen).toEqual(['0 ', '5 a', '10 a,b', '10 a,b'])
    expect(outcomes.map(({status}) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
    // Nothing of the refused ones was written, and their leases are still held.
    const {lease: held, payment} = leased[2]!
    expect(await journal.commit(held, {...payment, state: 'STOPPED'}, {what: 'STOPPED'})).toMatchObject({key: 'c'})
    expect(await readHistory(journal, 'c')).toEqual(['INTENDED', 'STOPPED'])
  })

  it('lists by service, state, template, slot, transaction and time, in the order in which they were recorded', async () => {
    const journal = await (await store.create()).open()
    const listed = async (filter: Parameters<Journal['list']>[0]) => (await journal.list(filter)).map(({key}) => key)
    await record(journal, 'b', 'CREATED', {template: 'x-{date}', slot: '2026-11-01', transactionId: 'tx-b'})
    await record(journal, 'a', 'UNKNOWN', {template: 'x-{date}', slot: '2026-11-02'})
    await record(journal, 'C', 'STOPPED', {template: 'x-{date}', slot: '2026-11-03'})
    await record(journal, 'd', 'ARMED', {serviceId: 'https://other.example.com'})
    const all = await listed({serviceId})
    expect(all.toSorted()).toEqual(['C', 'a', 'b'])
    expect(await listed({serviceId, states: ['ARMED', 'UNKNOWN']})).toEqual(['a'])
    expect(await listed({serviceId, newestCount: 2})).toEqual(all.toReversed().slice(0, 2))
    expect(await listed({serviceId, transactionIds: ['tx-b', 'tx-c']})).toEqual(['b'])
    expect(await listed({serviceId, transactionIds: ['tx-b'], newestCount: 1})).toEqual(['b'])
    const created = (await journal.find(serviceId, 'C'))?.createdAt ?? 0
    expect(await listed({serviceId, sinceMs: created})).toContain('C')
    expect(await listed({serviceId, sinceMs: created + 60_000})).toEqual([])
  })

  it('continues a list after any of its payments', async () => {
    const journal = await (await store.create()).open()
    const states: PaymentState[] = ['CREATED', 'UNKNOWN', 'REJECTED']
    for (const [index, key] of ['b', 'a', 'é', 'C', '😀', '\uFF5E'].entries()) {
      const state = states[index % 3] ?? 'CREATED'
      await record(journal, key, state)
      await record(journal, key, state, {serviceId: 'https://other.example.com'})
    }
    const name = ({serviceId: id, key}: Payment) => `${key} ${id}`
    for (const filter of [{serviceId}, {serviceId, states: ['REJECTED'] as const}]) {
      const all = await journal.list({...filter, newestCount: 100})
      expect(all.toReversed().map(name).toSorted()).toEqual((await journal.list(filter)).map(name).toSorted())
      const walked: Payment[] = []
      for (let page = all.slice(0, 0); ;) {
        page = await journal.list({...filter, newestCount: 1, ...(walked.length > 0 && {after: walked.at(-1)})})
        if (page.length === 0) break
        walked.push(...page)
      }
      expect(walked.map(name)).toEqual(all.map(name))
    }
  })

  it('knows what all services have under a key, and what was paid to an account', async () => {
    const journal = await (await store.create()).open()
    expect(await journal.findByKey('rent')).toEqual([])
    for (const id of ['z', 'a', serviceId]) await record(journal, 'rent', 'CREATED', {serviceId: id, madeAt: 1_000})
    expect((await journal.findByKey('rent')).map((payment) => payment.serviceId)).toEqual(['a', serviceId, 'z'])
    const query = {serviceId, destination: 'to', currency: 'usdc', sinceMs: 1_000}
    expect((await journal.listPaidTo(query)).map(({key}) => key)).toEqual(['rent'])
    expect(await journal.listPaidTo({...query, sinceMs: 1_001})).toEqual([])
    expect(await journal.listPaidTo({...query, destination: 'else'})).toEqual([])
  })

  it('knows which accounts were paid: by a transaction that went there and did not fail', async () => {
    const journal = await (await store.create()).open()
    const made = (destination: string, change: Partial<Payment> = {}) =>
      record(journal, destination, 'CREATED', {content: createContent('5', destination), madeAt: 1, ...change})
    await made('paid')
    await made('failed', {ended: 'FAILED'})
    await made('elsewhere', {wentElsewhere: true})
    const payees = await journal.listPayees(serviceId, ['paid', 'failed', 'elsewhere', 'unseen'])
    const states = payees.map(({destination, isPaid}) => [destination, isPaid])
    expect(Object.fromEntries(states)).toEqual({paid: true, failed: false, elsewhere: false})
  })

  it('judges a commit by what was spent and by what is elsewhere, and writes nothing if it is refused', async () => {
    const journal = await (await store.create()).open()
    const spentAt = {madeAt: 5_000}
    await record(journal, 'one', 'CREATED', {...spentAt, content: createContent('1.10')})
    await record(journal, 'two', 'UNKNOWN', {...spentAt, content: createContent('2.25')})
    await record(journal, 'none', 'REJECTED', {...spentAt, content: createContent('100')})
    await record(journal, 'early', 'CREATED', {madeAt: 4_999, content: createContent('100')})
    await record(journal, 'mine', 'CREATED', {...spentAt, serviceId: 'other'})
    const {lease: held, payment} = await lease(journal, 'mine')
    const found: Array<Parameters<CommitCheck['judge']>[0]> = []
    const check: CommitCheck = {
      spending: {currency: 'usdc', sinceMs: 5_000},
      judge(findings) {
        found.push(findings)
        throw new Error('too much')
      },
    }
    await expect(journal.commit(held, {...payment, state: 'ARMED'}, {what: 'ARMED'}, check)).rejects.toThrow('too much')
    expect(addUp(found[0]?.spentAmounts ?? [])).toBe('3.35')
    expect(found[0]?.elsewhere.map((each) => each.serviceId)).toEqual(['other'])
    expect((await journal.find(serviceId, 'mine'))?.state).toBe('INTENDED')
    expect((await journal.history(serviceId, 'mine')).map(({what}) => what)).toEqual(['INTENDED'])
    const armed = await journal.commit(held, {...payment, state: 'ARMED'}, {what: 'ARMED'}, {...check, judge: () => {}})
    expect(armed.state).toBe('ARMED')
  })

  it('shows a judge the amount that is not known, and one that is none', async () => {
    const journal = await (await store.create()).open()
    const unknown = createContent('')
    await record(journal, 'adopted', 'CREATED', {
      madeAt: 5_000,
      content: {...unknown, source: {...unknown.source, sourceCurrency: ''}},
    })
    await record(journal, 'strange', 'CREATED', {madeAt: 5_000, content: createContent('1e3')})
    await record(journal, 'one', 'CREATED', {madeAt: 5_000, content: createContent('1')})
    const {lease: held, payment} = await lease(journal, 'mine')
    let seen: string[] = []
    const judge = ({spentAmounts}: {spentAmounts: string[]}) => void (seen = spentAmounts)
    const check = {spending: {currency: 'USDC', sinceMs: 1}, judge}
    await journal.commit(held, {...payment, state: 'ARMED'}, {what: 'ARMED'}, check)
    expect(seen.toSorted()).toEqual(['', '1', '1e3'])
  })

  it('never lets 50 hosts exceed a cap together', async () => {
    const created = await store.create()
    const hosts = 50
    const cap = new Big('12')
    const arm = async (journal: Journal, index: number) => {
      const key = `row-${index}`
      const intent = {serviceId, key, content: createContent('1')}
      const {lease: held, payment} = await leasePayment(journal, intent, far(key))
      const judge = ({spentAmounts}: {spentAmounts: string[]}) => {
        if (new Big(addUp(spentAmounts)).plus('1').gt(cap)) throw new Error('cap')
      }
      const check = {spending: {currency: 'USDC', sinceMs: 0}, judge}
      const armed = {...payment, state: 'ARMED' as const, madeAt: 1_000}
      await journal.commit(held, armed, {what: 'ARMED'}, check)
    }
    const journals = await Promise.all(Array.from({length: hosts}, () => created.open()))
    const results = await Promise.allSettled(journals.map(arm))
    const refused = results.filter((result) => result.status === 'rejected')
    expect(new Set(refused.map(({reason}) => String(reason)))).toEqual(new Set(['Error: cap']))
    expect(hosts - refused.length).toBe(12)
    expect(await journals[0]?.list({serviceId, states: ['ARMED']})).toHaveLength(12)
    await Promise.all(journals.map((journal) => journal.close()))
  })

  it('keeps decisions of people with who decided and why, about a payment or anything else', async () => {
    const created = await store.create()
    const [one, other] = [await created.open(), await created.open()]
    const before = await created.now()
    await one.recordDecision({
      kind: 'APPROVAL_USED',
      about: {serviceId, key: 'rent'},
      who: {user: 'ann', host: 'till', signer: 'ann@example.com'},
      data: {digest: 'abc', signatures: [{signer: 'bob@example.com'}]},
    })
    await other.recordDecision({
      kind: 'LIMITS_CHANGED',
      about: {profile: 'acme'},
      who: {user: 'ann', host: 'till'},
      why: "ticket 4711 „ü“ ' \u0007",
    })
    const [used, changed, ...more] = await other.listDecisions()
    expect(more).toEqual([])
    expect(used).toEqual({
      at: expect.any(Number),
      what: 'DECISION',
      detail: {
        id: expect.any(String),
        kind: 'APPROVAL_USED',
        user: 'ann',
        host: 'till',
        signer: 'ann@example.com',
        data: {digest: 'abc', signatures: [{signer: 'bob@example.com'}]},
      },
    })
    expect(used?.at).toBeGreaterThanOrEqual(before)
    expect(changed).toEqual({
      at: expect.any(Number),
      what: 'DECISION',
      detail: {
        id: expect.any(String),
        kind: 'LIMITS_CHANGED',
        profile: 'acme',
        user: 'ann',
        host: 'till',
        why: "ticket 4711 „ü“ ' \u0007",
      },
    })
    // One about a payment is a line of its history as well.
    expect((await one.history(serviceId, 'rent')).map(({what}) => what)).toEqual(['DECISION'])
  })
})
