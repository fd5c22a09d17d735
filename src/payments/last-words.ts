// What is said of a payment when the process is told to stop in the middle of it.
import {type Words, withLastWords as standingBy} from '../terminal/last-words.ts'
import {type Payment, unsettledStates} from './payment.ts'
import type {World} from './world.ts'

function wordsOf({state, key}: Payment): Words {
  if (unsettledStates.includes(state)) {
    return {
      message: `Stopped on the way: whether the payment ${key} was made is not known`,
      hint: 'Run the same command again, it settles it without paying twice',
    }
  }
  return {message: state === 'CREATED' ? `The payment ${key} was made` : `Stopped; the payment ${key} was not sent`}
}

// The journal is asked at the very end, since only it knows how far the payment has come.
export async function withLastWords<T>({journal}: World, place: string, key: string, work: Promise<T>): Promise<T> {
  const words = () => {
    const payment = journal.find(place, key)
    return payment && wordsOf(payment)
  }
  return standingBy(words, work)
}
