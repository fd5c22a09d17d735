// What is said of a payment when the process is told to stop in the middle of it.
import {writeErr} from '../terminal/streams.ts'
import {type Payment, unsettledStates} from './payment.ts'
import type {World} from './world.ts'

function wordsOf({state, key}: Payment): string {
  if (unsettledStates.includes(state)) {
    return `Stopped on the way: whether the payment ${key} was made is not known. Run the same command again, it settles it without paying twice.\n`
  }
  return state === 'CREATED' ? `The payment ${key} was made.\n` : `Stopped; the payment ${key} was not sent.\n`
}

// The journal is asked at the very end, since only it knows how far the payment has come.
export async function withLastWords<T>({journal}: World, place: string, key: string, work: Promise<T>): Promise<T> {
  const say = () => {
    const payment = journal.find(place, key)
    if (payment) writeErr(wordsOf(payment))
  }
  process.once('exit', say)
  try {
    return await work
  } finally {
    process.off('exit', say)
  }
}
