// Fills a journal with payments of today, like the one that it has.
import {DatabaseSync} from 'node:sqlite'
import {openSqliteJournal} from '../../src/payments/journal/open-journal.ts'
import {describeThisProcess} from '../../src/payments/journal/owner.ts'
import {type Payment, toCreated} from '../../src/payments/protocol/payment.ts'

const writtenTogether = 500

function readPayment(file: string): Payment {
  const database = new DatabaseSync(file, {readOnly: true})
  const row = database.prepare('select payment from payments limit 1').get()
  database.close()
  return JSON.parse(String(row?.['payment'])) as Payment
}

export async function addPayments(file: string, count: number): Promise<void> {
  const {serviceId, content} = readPayment(file)
  const journal = openSqliteJournal(file)
  const owner = describeThisProcess()

  const add = async (index: number) => {
    const taken = await journal.acquireLease({serviceId, key: `earlier-${index}`, content}, owner)
    if ('heldBy' in taken) throw new Error('the journal is in use')
    const made = toCreated(taken.payment, {transactionId: `earlier-${index}`, content, madeAt: Date.now()})
    await journal.commit(taken.lease, made, {what: 'CREATED'})
  }

  for (let first = 0; first < count; first += writtenTogether)
    await Promise.all(Array.from({length: Math.min(writtenTogether, count - first)}, (_, index) => add(first + index)))
  await journal.close()
}
