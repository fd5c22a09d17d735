// What a person decided about a payment stands, whatever happens to the processes that look at it later.
import path from 'node:path'
import {expect, it} from 'vitest'
import {aPerson} from '../../../../src/payments/journal/journal.ts'
import {openSqliteJournal} from '../../../../src/payments/journal/open-journal.ts'
import {describeThisProcess, leaseTimeoutMs} from '../../../../src/payments/journal/owner.ts'
import {unknownContent} from '../../../../src/payments/protocol/payment.ts'
import {wasSettledManually} from '../../../../src/payments/protocol/search.ts'
import {lease} from '../../../support/lease.ts'
import {temporaryFolder} from '../../../support/svc.ts'

it('a process that ended while it noted the ending of an adopted payment does not undo the decision', async () => {
  let ms = Date.now()
  const journal = openSqliteJournal(path.join(temporaryFolder(), 'journal.sqlite'), {now: () => ms})
  const intent = {serviceId: 'https://api.example.com', key: 'rent', content: unknownContent}
  const {lease: held, payment} = await lease(journal, intent)
  const adopted = {...payment, state: 'CREATED', transactionId: 'one'} as const
  await journal.commit(held, adopted, {what: 'ADOPTED', detail: {by: aPerson}})
  await lease(journal, intent, {...describeThisProcess(), host: 'far.example'})
  ms += leaseTimeoutMs + 1
  await journal.releaseLease((await lease(journal, intent)).lease)
  const lines = (await journal.history(intent.serviceId, 'rent')).map(({what}) => what)
  expect(lines).toEqual(['INTENDED', 'ADOPTED', 'TAKEN_OVER'])
  expect(await wasSettledManually(adopted, journal)).toBe(true)
  await journal.close()
})
