// What a person decided about a payment stands, whatever happens to the processes that look at it later.
import path from 'node:path'
import {expect, it, onTestFinished} from 'vitest'
import type {Journal} from '../../../../src/payments/journal/journal.ts'
import {openSqliteJournal} from '../../../../src/payments/journal/open-journal.ts'
import {describeThisProcess, leaseTimeoutMs} from '../../../../src/payments/journal/owner.ts'
import {adoptTransaction} from '../../../../src/payments/by-hand.ts'
import {describeMade} from '../../../../src/payments/protocol/compare.ts'
import type {PaymentContext} from '../../../../src/payments/protocol/context.ts'
import {noteBadEnding} from '../../../../src/payments/protocol/made.ts'
import {toCreated, unknownContent} from '../../../../src/payments/protocol/payment.ts'
import {lease} from '../../../support/lease.ts'
import {temporaryFolder} from '../../../support/svc.ts'

it('a process that ended while it noted the ending of an adopted payment does not undo the decision', async () => {
  let ms = Date.now()
  const journal = openSqliteJournal(path.join(temporaryFolder(), 'journal.sqlite'), {now: () => ms})
  const intent = {serviceId: 'https://api.example.com', key: 'rent', content: unknownContent}
  const {lease: held, payment} = await lease(journal, intent)
  const {adopted} = adoptTransaction(payment, {transactionId: 'one'})
  await journal.commit(held, adopted, {what: 'ADOPTED'})
  await lease(journal, intent, {...describeThisProcess(), host: 'far.example'})
  ms += leaseTimeoutMs + 1
  await journal.releaseLease((await lease(journal, intent)).lease)
  const lines = (await journal.history(intent.serviceId, 'rent')).map(({what}) => what)
  expect(lines).toEqual(['INTENDED', 'ADOPTED', 'TAKEN_OVER'])
  // Nor does one that had read it before.
  const context = {journal, owner: describeThisProcess()} as unknown as PaymentContext
  await noteBadEnding(context, {...adopted, transactionId: 'other'}, {transactionStatus: 'FAILED'})
  const kept = await journal.find(intent.serviceId, 'rent')
  expect(kept).toMatchObject({state: 'CREATED', transactionId: 'one', settledBy: 'person'})
  expect(kept?.ended).toBeUndefined()
  // What an earlier decision said of another transaction is gone with the next one.
  const [asked, next] = [{...adopted, content: {...unknownContent, customerId: 'c'}}, {transactionId: 'two'}]
  const earlier = {
    ...asked,
    content: unknownContent,
    meant: asked.content,
    ended: 'FAILED',
    wentElsewhere: true,
  } as const
  expect(adoptTransaction(earlier, next)).toEqual(adoptTransaction(asked, next))
  // A transaction that a run finds is no decision of a person.
  expect(toCreated(earlier, describeMade(unknownContent, next)).settledBy).toBeUndefined()
  const elsewhere = {...next, destination: {destinationPaymentAccountId: 'another'}}
  expect(describeMade(asked.content, elsewhere)).toMatchObject({wentElsewhere: true})
  await journal.close()
})

it('a bad ending is told, and noted by the next run, if another process takes the lease before it is noted', async () => {
  let ms = Date.now()
  const journal = openSqliteJournal(path.join(temporaryFolder(), 'journal.sqlite'), {now: () => ms})
  onTestFinished(() => journal.close())
  const intent = {serviceId: 'https://api.example.com', key: 'rent', content: unknownContent}
  const {lease: held, payment} = await lease(journal, intent)
  const {adopted: made} = adoptTransaction(payment, {transactionId: 'one'})
  await journal.commit(held, made, {what: 'ADOPTED'})
  await journal.releaseLease(held)

  const far = {...describeThisProcess(), host: 'far.example'}
  const suspended: Pick<Journal, 'acquireLease' | 'commit' | 'releaseLease'> = {
    commit: (...given) => journal.commit(...given),
    releaseLease: (...given) => journal.releaseLease(...given),
    async acquireLease(...given) {
      const acquired = await journal.acquireLease(...given)
      ms += leaseTimeoutMs + 1
      await lease(journal, intent, far)
      return acquired
    },
  }
  const near = {...describeThisProcess(), host: 'near.example'}
  const note = (of: typeof suspended) => {
    const context = {journal: of, owner: near} as unknown as PaymentContext
    return noteBadEnding(context, made, {transactionStatus: 'FAILED'})
  }
  expect(await note(suspended)).toEqual(made)

  ms += leaseTimeoutMs + 1
  expect(await note(journal)).toMatchObject({ended: 'FAILED'})
})
