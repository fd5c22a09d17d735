// The journal for many payments at once: what another process sees of it, when, and who goes on if two begin the same payment.
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {digestText, fileChain} from '../../../src/payments/journal/chain.ts'
import {
  type Journal,
  type Lease,
  LeaseLost,
  describeThisProcess,
  toPaymentText,
} from '../../../src/payments/journal/journal.ts'
import {openSqliteJournal, withChainReader} from '../../../src/payments/journal/open-journal.ts'
import {verifyJournal} from '../../../src/payments/audit/verify-journal.ts'
import type {Payment, PaymentState} from '../../../src/payments/protocol/payment.ts'
import {temporaryFolder} from '../../support/svc.ts'

const serviceId = 'https://service.example'
const content = {
  customerId: 'cus-1',
  source: {
    sourcePaymentAccountId: 'acc-1',
    sourceCurrency: 'USD',
    sourcePaymentMethod: 'ACH',
    sourceAmount: '10.00',
  },
  destination: {
    destinationPaymentAccountId: 'acc-2',
    destinationCurrency: 'USDC',
    destinationPaymentMethod: 'POLYGON',
  },
} as Payment['content']

// Opens the journal of another process with each call. Only the first one groups its writes.
function createFile(options: {now?: () => number} = {}) {
  const file = path.join(temporaryFolder(), 'journal.sqlite')
  const open = (isGrouped: boolean, now = options.now): Journal => {
    const journal = openSqliteJournal(file, {isGrouped, ...(now && {now})})
    onTestFinished(() => journal.close())
    return journal
  }
  return {file, open}
}

async function begin(journal: Journal, key = 'k'): Promise<{lease: Lease; payment: Payment}> {
  await journal.findOrCreate({serviceId, key, content})
  const acquired = await journal.acquireLease(serviceId, key, describeThisProcess())
  if (!('lease' in acquired)) throw new Error(`${key} is held elsewhere`)
  return acquired
}

const write = (journal: Journal, lease: Lease, payment: Payment, state: PaymentState) =>
  journal.commit(lease, {...payment, state, ...(state === 'CREATED' && {transactionId: 't-1'})}, {what: state})

const readHistory = async (journal: Journal, key = 'k') => (await journal.history(serviceId, key)).map(({what}) => what)

describe('a journal for many payments at once', () => {
  it('gives the lease of a payment that was just created to one alone', async () => {
    const journal = createFile().open(true)
    const first = await begin(journal)
    expect(first).toMatchObject({lease: {epoch: 1}, payment: {key: 'k', state: 'INTENDED'}})
    expect(await journal.acquireLease(serviceId, 'k', describeThisProcess())).toHaveProperty('heldBy')
    expect(await journal.findLeaseHolder(serviceId, 'k')).toEqual(first.lease.owner)
  })

  it('creates a payment once if it is asked twice at the same time', async () => {
    const journal = createFile().open(true)
    const intent = {serviceId, key: 'k', content}
    const [first, second] = await Promise.all([journal.findOrCreate(intent), journal.findOrCreate(intent)])
    expect(second).toBe(first)
  })

  it('writes a new payment when it is armed, with its whole history, and that it was made with the next flush', async () => {
    const {file, open} = createFile()
    const [journal, other] = [open(true), open(false)]
    const {lease, payment} = await begin(journal)
    const quoted = await write(journal, lease, payment, 'QUOTED')
    await journal.flush()
    expect(await other.find(serviceId, 'k')).toBeUndefined()
    expect(await journal.find(serviceId, 'k')).toEqual(quoted)

    const armed = await write(journal, lease, quoted, 'ARMED')
    await journal.flush()
    expect(await other.find(serviceId, 'k')).toEqual(armed)
    expect(await other.findLeaseHolder(serviceId, 'k')).toEqual(lease.owner)
    expect(await readHistory(other)).toEqual(['INTENDED', 'QUOTED', 'ARMED'])

    const created = await write(journal, lease, armed, 'CREATED')
    await journal.releaseLease(lease)
    expect(await journal.find(serviceId, 'k')).toEqual(created)
    expect(await other.find(serviceId, 'k')).toEqual(armed)
    await journal.flush()
    expect(await other.find(serviceId, 'k')).toEqual(created)
    expect(await other.findLeaseHolder(serviceId, 'k')).toBeUndefined()
    expect(await readHistory(other)).toEqual(['INTENDED', 'QUOTED', 'ARMED', 'CREATED'])
    const {finding} = await withChainReader({text: file}, (reader) => verifyJournal(reader))
    expect(finding).toBeUndefined()
    // A state that was never stored has no digest.
    const entries = await withChainReader({text: file}, (reader) => reader.readEntries({chain: fileChain, number: 0}))
    const stored = [armed, created].map((state) => digestText(toPaymentText(state)))
    expect(entries.map((entry) => entry.payment)).toEqual([null, null, ...stored])
  })

  it.each(['INTENDED', 'QUOTED', 'STOPPED'] as const)('keeps a payment that ends as %s', async (state) => {
    const {open} = createFile()
    const [journal, other] = [open(true), open(false)]
    const {lease, payment} = await begin(journal)
    const last = state === 'INTENDED' ? payment : await write(journal, lease, payment, state)
    await journal.releaseLease(lease)
    await journal.flush()
    expect(await other.find(serviceId, 'k')).toEqual(last)
    expect(await other.acquireLease(serviceId, 'k', describeThisProcess())).toMatchObject({lease: {epoch: 2}})
  })

  it('lets the process go on that arms a payment first, and takes nothing from it', async () => {
    const {open} = createFile()
    const [journal, other] = [open(true), open(false)]
    const mine = await begin(journal)
    const quoted = await write(journal, mine.lease, mine.payment, 'QUOTED')
    const theirs = await begin(other)
    expect(theirs.lease.epoch).toBe(mine.lease.epoch)

    await expect(write(journal, mine.lease, quoted, 'ARMED')).rejects.toThrow(LeaseLost)
    await expect(write(journal, mine.lease, quoted, 'ARMED')).rejects.toThrow(LeaseLost)
    await expect(journal.renewLease(mine.lease)).rejects.toThrow(LeaseLost)
    await journal.releaseLease(mine.lease)
    await journal.flush()
    expect(await other.findLeaseHolder(serviceId, 'k')).toEqual(theirs.lease.owner)
    const armed = await write(other, theirs.lease, theirs.payment, 'ARMED')
    expect(await journal.find(serviceId, 'k')).toEqual(armed)
    expect(await journal.acquireLease(serviceId, 'k', describeThisProcess())).toHaveProperty('heldBy')
    expect(await readHistory(journal)).toEqual(['INTENDED', 'ARMED'])
  })

  it('drops a payment that is released, if another process has begun it since', async () => {
    const {open} = createFile()
    const [journal, other] = [open(true), open(false)]
    const {lease} = await begin(journal)
    const theirs = await begin(other)
    await journal.releaseLease(lease)
    await journal.flush()
    expect(await other.findLeaseHolder(serviceId, 'k')).toEqual(theirs.lease.owner)
    expect(await readHistory(journal)).toEqual(['INTENDED'])
  })

  it('ends the lease with the write that says that the payment was made, and with no other', async () => {
    const journal = createFile().open(true)
    const {lease, payment} = await begin(journal)
    const quoted = await write(journal, lease, payment, 'QUOTED')
    expect(await journal.findLeaseHolder(serviceId, 'k')).toEqual(lease.owner)
    await write(journal, lease, await write(journal, lease, quoted, 'ARMED'), 'CREATED')
    const next = await journal.acquireLease(serviceId, 'k', describeThisProcess())
    expect(next).toMatchObject({lease: {epoch: 2}, payment: {state: 'CREATED', transactionId: 't-1'}})
    // The first holder returns what it has not any more.
    await journal.releaseLease(lease)
    expect(await journal.findLeaseHolder(serviceId, 'k')).toBeDefined()
    expect(await readHistory(journal)).toEqual(['INTENDED', 'QUOTED', 'ARMED', 'CREATED'])
  })

  it('keeps both lines if a payment was made and has ended badly before the next flush', async () => {
    const journal = createFile().open(true)
    const {lease, payment} = await begin(journal)
    const armed = await write(journal, lease, payment, 'ARMED')
    const created = await write(journal, lease, armed, 'CREATED')
    await journal.commit(lease, {...created, ended: 'FAILED'}, {what: 'ENDED'})
    expect(await readHistory(journal)).toEqual(['INTENDED', 'ARMED', 'CREATED', 'ENDED'])
    expect(await journal.find(serviceId, 'k')).toMatchObject({state: 'CREATED', ended: 'FAILED'})
  })

  // Of a process that was suspended for so long that its leases expired.
  const takeOver = async (other: Journal) => {
    const taken = await other.acquireLease(serviceId, 'k', describeThisProcess())
    expect(taken).toMatchObject({lease: {epoch: 2}})
  }

  it('says so if a payment was taken over before it was made', async () => {
    let ms = Date.now()
    const {open} = createFile({now: () => ms})
    const [journal, other] = [open(true), open(false)]
    const {lease, payment} = await begin(journal)
    const armed = await write(journal, lease, payment, 'ARMED')
    await journal.flush()
    ms += 600_000
    await takeOver(other)
    await expect(write(journal, lease, armed, 'CREATED')).rejects.toThrow(LeaseLost)
    await journal.flush()
    expect(await other.find(serviceId, 'k')).toEqual(armed)
  })

  it('leaves a payment to the process that took it over before the next flush, and records all others', async () => {
    const {open} = createFile()
    const [journal, other] = [open(true), open(false, () => Date.now() + 600_000)]
    const {lease, payment} = await begin(journal)
    const armed = await write(journal, lease, payment, 'ARMED')
    const next = await begin(journal, 'next')
    const nextArmed = await write(journal, next.lease, next.payment, 'ARMED')
    await journal.flush()
    await write(journal, lease, armed, 'CREATED')
    await write(journal, next.lease, nextArmed, 'CREATED')
    await takeOver(other)
    await journal.flush()
    expect(await other.find(serviceId, 'k')).toEqual(armed)
    expect(await other.find(serviceId, 'next')).toMatchObject({state: 'CREATED'})
  })

  it('has on disk after a flush what nobody leased, and lists everything it knows', async () => {
    const {open} = createFile()
    const [journal, other] = [open(true), open(false)]
    await journal.findOrCreate({serviceId, key: 'waits', content})
    await journal.flush()
    expect(await other.find(serviceId, 'waits')).toMatchObject({state: 'INTENDED'})
    await begin(journal, 'leased')
    expect((await journal.list({serviceId})).map(({key}) => key).toSorted()).toEqual(['leased', 'waits'])
  })

  it('writes what is left when it is closed', async () => {
    const {file, open} = createFile()
    const journal = openSqliteJournal(file, {isGrouped: true})
    await begin(journal, 'begun')
    const {lease, payment} = await begin(journal, 'made')
    await write(journal, lease, await write(journal, lease, payment, 'ARMED'), 'CREATED')
    await journal.close()
    const states = (await open(false).list({serviceId})).map(({key, state}) => `${key} ${state}`)
    expect(states.toSorted()).toEqual(['begun INTENDED', 'made CREATED'])
  })
})
