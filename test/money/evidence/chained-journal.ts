// A journal with payments in many states and decisions, for tests of its chain. The same seed makes the same one.
import type {Journal} from '../../../src/payments/journal/journal.ts'
import {describeThisProcess} from '../../../src/payments/journal/owner.ts'
import type {Payment, PaymentState} from '../../../src/payments/protocol/payment.ts'
import {lease} from '../../support/lease.ts'
import {createAttempt, enterState} from '../../support/recorded.ts'

export const serviceId = 'https://api.example.com'

const createContent = (sourceAmount: string): Payment['content'] => ({
  customerId: 'c',
  source: {sourcePaymentAccountId: 'from', sourceCurrency: 'usdc', sourcePaymentMethod: 'SOLANA', sourceAmount},
  destination: {
    destinationPaymentAccountId: 'to',
    destinationPaymentMethod: 'ACH',
    destinationCurrency: 'USD',
  },
})

const paths: ReadonlyArray<readonly PaymentState[]> = [
  [],
  ['QUOTED', 'STOPPED'],
  ['QUOTED', 'ARMED', 'CREATED'],
  ['QUOTED', 'ARMED', 'UNKNOWN', 'ABANDONED', 'QUOTED', 'ARMED', 'CREATED'],
  ['QUOTED', 'ARMED', 'UNKNOWN'],
]

// An owner whose process has ended, so that the next one takes over.
const ended = () => ({...describeThisProcess(), began: 'gone'})

async function play(journal: Journal, key: string, states: readonly PaymentState[], isTakenOver: boolean) {
  const named = key.endsWith('1') ? {template: 't', slot: key} : {}
  const intent = {serviceId, key, content: createContent('5'), ...named}
  if (isTakenOver) await journal.acquireLease(intent, ended())
  const acquired = await lease(journal, intent)
  let {payment} = acquired
  for (const state of states) {
    const attempts = state === 'QUOTED' ? [...payment.attempts, createAttempt()] : payment.attempts
    const [next, entry] = [enterState(payment, state, {attempts}), {what: state, detail: {key}}]
    if (state === 'QUOTED') payment = journal.note(acquired.lease, next, entry)
    else payment = await journal.commit(acquired.lease, next, entry)
  }
  await journal.releaseLease(acquired.lease)
}

export async function fillJournal(journal: Journal, rounds = 1): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const [index, states] of paths.entries()) {
      await play(journal, `key-${round}-${index}`, states, index % 2 === 1)
      await journal.recordDecision({
        kind: 'TEST',
        about: index % 2 === 0 ? {serviceId, key: `key-${round}-${index}`} : {profile: 'acme'},
        who: {user: 'ann', host: 'till'},
        why: 'ticket 4711',
      })
    }
  }
}
